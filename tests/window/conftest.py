"""The window that the tests share."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
    if not LAUNCHER.is_file():
        pytest.skip(f"no launcher of a windowed Blender: {LAUNCHER} is not there (NEURAL_PHYSICS_WINDOW)")
    OUT.mkdir(parents=True, exist_ok=True)
    # Not pytest's own folder: that Blender sees only what is in the checkout.
    folder = Path(tempfile.mkdtemp(prefix="driver_", dir=OUT))
    blender = Window(folder)
    blender.launcher("setup", timeout=1500)
    blender.launcher("stop")
    zipped = OUT / "neural_physics.zip"
    subprocess.run([sys.executable, ROOT / "tools" / "build_zip.py", zipped], check=True)
    (folder / "driver.py").write_text(DRIVER.format(folder=str(folder)))
    blender.launcher("run", "--factory-startup", "--python", folder / "driver.py")
    try:
        blender.ask(
            f"bpy.ops.extensions.package_install_files(filepath={str(zipped)!r}, "
            "repo='user_default', enable_on_install=True)\nbpy.ops.wm.save_userpref()"
        )
        yield blender
    finally:
        blender.launcher("stop")
        shutil.rmtree(folder, ignore_errors=True)
