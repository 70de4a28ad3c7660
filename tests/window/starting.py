"""Starting a windowed Blender with the extension installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from blender_window import DRIVER, HOME, LAUNCHER, OUT, PICTURES, ROOT, Window

LAUNCHERS_FILES = "var/lib/blender-gui"
DRIVEN_BY = "driver.py"
OF_A_RUN = "pid", "display", "rc", "log", "xvfb.log"


def folder() -> Path:
    """A new one. Not pytest's own: these Blenders see only what is in the checkout."""
    OUT.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="driver_", dir=OUT))


def another_home(name: str) -> Path:
    """Where another Blender is installed, beside the first and made of its files."""
    home = HOME.with_name(f"{HOME.name}_{name}")
    if not home.is_dir():
        subprocess.run(["cp", "--archive", "--link", HOME, home], check=True)
        for running in OF_A_RUN:  # of the first one, which may be open: not to be stopped as the second
            (home / LAUNCHERS_FILES / running).unlink(missing_ok=True)
    return home


@contextmanager
def started(blender: Window, edition: str) -> Iterator[Window]:
    """Blender with its window open and an edition of the extension installed; ended afterwards."""
    if not LAUNCHER.is_file():
        pytest.skip(f"no launcher of a windowed Blender: {LAUNCHER} is not there (NEURAL_PHYSICS_WINDOW)")
    blender.launcher("setup", timeout=1500)
    blender.launcher("stop")
    zipped = blender.folder / "neural_physics.zip"
    words = [sys.executable, ROOT / "tools" / "build_zip.py", zipped, "--edition", edition]
    subprocess.run(words, check=True)
    (blender.folder / DRIVEN_BY).write_text(DRIVER.format(folder=str(blender.folder), pictures=PICTURES))
    try:
        start(blender)
        yield blender
    finally:
        blender.launcher("stop")
        shutil.rmtree(blender.folder, ignore_errors=True)


def start(blender: Window) -> None:
    """Start Blender, and install the extension from the zip in its folder; again where it has ended."""
    for unanswered in blender.folder.glob("*.request"):
        unanswered.unlink()
    blender.launcher("run", "--factory-startup", "--python", blender.folder / DRIVEN_BY)
    zipped = str(blender.folder / "neural_physics.zip")
    blender.ask(
        f"bpy.ops.extensions.package_install_files(filepath={zipped!r}, "
        "repo='user_default', enable_on_install=True)\nbpy.ops.wm.save_userpref()"
    )
