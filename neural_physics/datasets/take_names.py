"""What a take may be called: each is a folder in its dataset, on every system."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

LONGEST_NAME = 200  # bytes: file systems allow 255, and some files are called after their take


def check_take_name(name: str) -> None:
    """Raise ValueError for a name that is no folder's, or would lead out of the dataset."""
    if not isinstance(name, str) or name in ("", ".", "..") or not name.isprintable():
        raise ValueError("a take has no name that can be a folder's")
    if not PurePosixPath(name).name == PureWindowsPath(name).name == name:
        raise ValueError(f"the name of a take, “{name:.40}”, leads elsewhere")
    if len(name.encode()) > LONGEST_NAME:
        raise ValueError(f"the name of a take, “{name:.40}…”, is too long")
