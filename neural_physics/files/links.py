"""Folders and files that are links to others: what is written through one lands where nobody agreed to."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import Problem


def check_no_link(place: Path) -> Path:
    """A place beside or below a checked one, unless it leads elsewhere. Raises Problem("place_is_link")."""
    # Windows has another kind of link for folders, which Python knows from 3.12 on.
    if place.is_symlink() or getattr(place, "is_junction", bool)():
        raise Problem("place_is_link", path=place)
    return place


def without_links(path: str, flags: int) -> int:
    """An `opener` that refuses a file which is a link to another one, where the system can detect that."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
