"""Where this extension is, and the folder that Blender keeps for its files."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import bpy

EXTENSION_ROOT = Path(__file__).resolve().parents[3]
A_DAY = 86400.0  # seconds
# Blender's name for this extension; "" where the library is used without it.
PACKAGE = (__package__ or "").removesuffix("neural_physics.blender.settings").rstrip(".")


def user_folder(*, create: bool = True) -> Path:
    """The folder Blender keeps for this extension's own files; never the extension's folder itself."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE, create=create))
    return Path(bpy.utils.user_resource("DATAFILES", path="neural_physics", create=create))


def scratch_folder() -> Path:
    """What this Blender need not keep; there may be none yet.

    It is in a folder of this extension, where nobody else puts a link. Those that other Blenders have left
    behind go after a day.
    """
    scratch = user_folder(create=False) / "scratch"
    for left in scratch.iterdir() if scratch.is_dir() else ():
        if left.name != str(os.getpid()) and time.time() - left.stat().st_mtime > A_DAY:
            shutil.rmtree(left, ignore_errors=True)
    return scratch / str(os.getpid())


def unsaved_folder() -> Path:
    """Where the datasets and models of scenes are kept that have no file yet."""
    return user_folder(create=False) / "unsaved"
