"""The window that the tests share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from blender_window import DRIVER, LAUNCHER, OUT, ROOT, Window


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """Blender's window, with the extension installed from its zip, and an empty scene."""
    if not LAUNCHER.is_file():
        pytest.skip(f"no launcher of a windowed Blender: {LAUNCHER} is not there (NEURAL_PHYSICS_WINDOW)")
    folder = OUT / "driver"
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
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
