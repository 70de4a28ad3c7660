"""The window that the tests share."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from blender_window import DRIVER, HOME, LAUNCHER, OUT, ROOT, Window


@pytest.fixture(scope="session")
def alone() -> Iterator[None]:
    """There is one such Blender on a machine: another run of these tests is waited for."""
    HOME.parent.mkdir(parents=True, exist_ok=True)
    with HOME.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def window(alone: None) -> Iterator[Window]:
    """Blender's window, with the extension installed from its zip, and an empty scene."""
    with started(Window(_folder()), "full") as blender:
        yield blender


@pytest.fixture(scope="module")
def newcomer(window: Window) -> Iterator[Window]:
    """A second window, of somebody who has Blender and nothing else: no other Python, and no network.

    The edition for the extensions platform is installed.
    """
    home = HOME.with_name(HOME.name + "_newcomer")
    if not home.is_dir():
        subprocess.run(["cp", "--archive", "--link", HOME, home], check=True)
    blender = Window(_folder(), home, newcomer=True)
    blender.launcher("stop")
    shutil.rmtree(home / "home" / "blender", ignore_errors=True)
    (home / "home" / "blender").mkdir()
    with started(blender, "platform") as blender:
        yield blender


def _folder() -> Path:
    """Not pytest's own folder: these Blenders see only what is in the checkout."""
    OUT.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="driver_", dir=OUT))


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
    driver = blender.folder / "driver.py"
    driver.write_text(DRIVER.format(folder=str(blender.folder)))
    blender.launcher("run", "--factory-startup", "--python", driver)
    try:
        blender.ask(
            f"bpy.ops.extensions.package_install_files(filepath={str(zipped)!r}, "
            "repo='user_default', enable_on_install=True)\nbpy.ops.wm.save_userpref()"
        )
        yield blender
    finally:
        blender.launcher("stop")
        shutil.rmtree(blender.folder, ignore_errors=True)
