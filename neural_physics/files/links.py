"""Folders and files that are links to others: what is written through one lands where nobody agreed to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from ..errors import Problem

# A bit in the kind of what Windows has in place of a file or folder. Anybody can make those for folders, and
# Python 3.11 takes them for folders. Without the bit are files that a cloud keeps.
STANDS_FOR_ANOTHER = 0x2000_0000


def is_link(place: Path) -> bool:
    """Whether there is a link here, of any kind that the system has; it need not lead anywhere."""
    try:
        found = os.lstat(place)
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_reparse_tag", 0) & STANDS_FOR_ANOTHER)


def check_no_link(place: Path) -> Path:
    """A place beside or below a checked one, unless it leads elsewhere. Raises Problem("place_is_link")."""
    if is_link(place):
        raise Problem("place_is_link", path=place)
    return place


def without_links(path: str, flags: int) -> int:
    """An `opener` that refuses a file which is a link to another one. Raises OSError."""
    alone = getattr(os, "O_NOFOLLOW", 0)
    # Windows cannot refuse while it opens: a link that is made in between is followed there.
    if not alone and is_link(Path(path)):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return os.open(path, flags | alone, 0o666)
