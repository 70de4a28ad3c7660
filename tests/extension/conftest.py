"""A Blender of its own, with scratch user folders and the zip installed, for each test that asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

INSTALL = """
import bpy, os, sys
bpy.ops.extensions.package_install_files(
    filepath=os.environ["NEURAL_PHYSICS_ZIP"], repo="user_default", enable_on_install=True)
MODULE = "bl_ext.user_default.neural_physics"
assert MODULE in bpy.context.preferences.addons.keys()
"""
# The 4.5 module can hang in a destructor when Python ends.
LEAVE = "\nsys.stdout.flush(); os._exit(0)\n"


@pytest.fixture(scope="session")
def extension_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("zip") / "neural_physics.zip"
    subprocess.run([sys.executable, ROOT / "tools" / "build_zip.py", target], check=True)
    return target


@pytest.fixture
def installed(extension_zip: Path, tmp_path: Path) -> Callable[..., str]:
    """Run a script in a fresh process in which the zip was just installed; returns what it printed."""

    def run(script: str, timeout: float = 120, **env: str) -> str:
        environment = {
            **os.environ,
            "BLENDER_USER_RESOURCES": str(tmp_path / "user"),
            "NEURAL_PHYSICS_ZIP": str(extension_zip),
            **env,
        }
        done = subprocess.run(
            [sys.executable, "-c", INSTALL + script + LEAVE],
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=environment,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
