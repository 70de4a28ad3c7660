"""A Blender of its own for a script: with an extension installed, or enabled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from one_blender import HELPERS, MODULE

ROOT = Path(__file__).resolve().parents[2]

INSTALL = """
import bpy, os, sys
bpy.ops.extensions.package_install_files(
    filepath=os.environ["NEURAL_PHYSICS_ZIP"], repo="user_default", enable_on_install=True)
"""
ENABLE = f"""
import bpy, os, sys
MODULE = {MODULE!r}
bpy.ops.preferences.addon_enable(module=MODULE)
assert MODULE in bpy.context.preferences.addons.keys()
"""
# The 4.5 module can hang in a destructor when Python ends, also where it ends in an exception.
FAIL = """
import os, sys, traceback
def _fail(*error):
    traceback.print_exception(*error)
    sys.stderr.flush()
    os._exit(1)
sys.excepthook = _fail
"""
LEAVE = "\nsys.stdout.flush(); os._exit(0)\n"


def run(script: str, folder: Path, timeout: float = 120, **env: str) -> str:
    """What a script printed that ran in a Blender of its own, with the folder as its current one."""
    done = subprocess.run(
        [sys.executable, "-c", FAIL + HELPERS + script + LEAVE],
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **env},
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
