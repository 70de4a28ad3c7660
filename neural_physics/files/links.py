"""Folders and files that are links to others: what is written through one lands where nobody agreed to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..errors import Problem
from .atomic import writing
from .looking import refused

# A bit in the kind of what Windows has in place of a file or folder. Anybody can make those for folders, and
# Python 3.11 takes them for folders. Without the bit are files that a cloud keeps.
STANDS_FOR_ANOTHER = 0x2000_0000


def is_link(place: Path) -> bool:
    """Whether there is a link here, of any kind that the system has, wherever it leads. Raises OSError."""
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return _stands_for_another(found)


def has_own_file(folder: Path, *parts: str) -> bool:
    """Whether a file is there, in folders within each other in one that was asked about.

    Where a link leads is not even looked at: a panel would tell a stranger's server who draws it.
    Raises Problem("place_is_link" | "place_not_readable").
    """
    found = None
    for part in parts:
        folder /= part
        found = look_at(folder)
        if found is None:
            return False
    return found is not None and stat.S_ISREG(found.st_mode)


def look_at(place: Path) -> os.stat_result | None:
    """What is there itself; None for nothing. Raises Problem("place_is_link" | "place_not_readable")."""
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        raise refused(error, place) from error
    if _stands_for_another(found):
        raise Problem("place_is_link", path=place)
    return found


def has_link(folder: Path, *parts: str) -> bool:
    """Whether a folder, or one of those within each other in it, is a link, or cannot be asked."""
    try:
        return is_link(folder) or any(is_link(folder := folder / part) for part in parts)
    except OSError:
        return True


def check_no_link(place: Path) -> Path:
    """A place beside or below a checked one, unless it leads elsewhere.

    Raises Problem("place_is_link"), and Problem("folder_not_writable") for what is too long for a path.
    """
    with writing(place):
        if is_link(place):
            raise Problem("place_is_link", path=place)
    return place


def links_in(folder: Path) -> Iterator[Path]:
    """The folder itself, if it is a link, and all links in it, however deep. Raises what `writing` does."""
    if is_link(folder):
        yield folder
        return
    folders = [folder]
    with writing(folder):
        while folders:
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folders.pop()) as entries:
                for entry in entries:
                    place = Path(entry.path)
                    if is_link(place):
                        yield place
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(place)


def resolved(folder: Path) -> Path:
    """Where a folder really is, for `check_unmoved`."""
    return Path(os.path.realpath(folder))


def check_unmoved(folder: Path) -> Path:
    """A folder that was `resolved` when it was chosen, or one in it, unless a link leads elsewhere by now.

    For what is written to for hours. Raises Problem("place_is_link").
    """
    if resolved(folder) != folder:
        raise Problem("place_is_link", path=folder)
    return folder


def is_own_file(place: Path) -> bool:
    """Whether a plain file is there, which is no link, and no second name of another one."""
    try:
        return _is_own(os.lstat(place))
    except OSError:
        return False


def may_be_looked_at(place: Path) -> bool:
    """Whether a file is there that a panel may look at: neither it nor its folder leads elsewhere."""
    return not has_link(place.parent) and is_own_file(place)


def make_way(place: Path) -> None:
    """Let a program write a file that writes through whatever is there: what is no plain file is taken away.

    But for folders, which nobody writes through. It is to be called at the last moment. Raises OSError, and
    Problem("place_is_link") where the folder that it is in is a link.
    """
    check_no_link(place.parent)
    is_folder = place.is_dir() and not is_link(place)
    if os.path.lexists(place) and not is_own_file(place) and not is_folder:
        place.unlink()


def open_own(path: str | Path, flags: int) -> int:
    """Open a file that is written where it is, such as by `open(..., opener=open_own)`.

    A second name of a file changes that file, a pipe waits for whoever reads it, and a device does something.
    Windows cannot refuse a link while it opens: one that is made in between is followed there.
    Raises OSError, and Problem("place_is_link" | "place_not_own_file").
    """
    place = check_no_link(Path(path))
    with suppress(FileNotFoundError):  # asked once only, as it may be deleted after that
        if not _is_own(os.lstat(place)):  # before it is opened, as a device may act then
            raise Problem("place_not_own_file", path=place)
    opened = os.open(place, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    if not _is_own(os.fstat(opened)):  # another one stands there by now
        os.close(opened)
        raise Problem("place_not_own_file", path=place)
    return opened


def _is_own(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_nlink <= 1


def _stands_for_another(found: os.stat_result) -> bool:
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_reparse_tag", 0) & STANDS_FOR_ANOTHER)
