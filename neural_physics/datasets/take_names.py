"""What a take may be called: each is a folder in its dataset, on every system."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from ..files.names import is_portable, same_key

LONGEST_NAME = 200  # bytes: file systems allow 255, and some files are called after their take
OF_BAKES = re.compile(r"(take|poses)_[0-9]+")


def check_take_name(name: str) -> None:
    """Raise ValueError for a name that is no folder's on some system, or would lead out of the dataset."""
    if not isinstance(name, str) or name in ("", ".", "..") or not name.isprintable():
        raise ValueError("a take has no name that can be a folder's")
    if not PurePosixPath(name).name == PureWindowsPath(name).name == name:
        raise ValueError(f"the name of a take, “{name:.40}”, leads elsewhere")
    if not is_portable(name):
        raise ValueError(f"the name of a take, “{name:.40}”, is no folder's on Windows")
    if len(name.encode()) > LONGEST_NAME:
        raise ValueError(f"the name of a take, “{name:.40}…”, is too long")
    # A bake would go on with it where the two are the same.
    if OF_BAKES.fullmatch(same_key(name)) and not OF_BAKES.fullmatch(name):
        raise ValueError(
            f"the name of a take, “{name:.40}”, differs from those of bakes by its capitals alone"
        )
