"""Copies of folders in which somebody may be writing, also into the copy."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, cast

from .below import READ, held, inner_folder
from .new_folders import BLOCK, NewFolder

HALF_WRITTEN = ".new"  # see `atomic.write_atomically`

Folder = tuple[int | None, list[str]]  # held open, where it can be, and the names of what is in it


def copy_living_folder(
    folder: Path, target: Path, *, folder_below: Path, target_below: Path, last: tuple[str, ...] = ()
) -> None:
    """Copy a folder, without what is only half written or goes meanwhile; links are copied as links.

    Pipes and devices stay behind, which no bake has made; and so does what a file is allowed to, as it was
    somebody else's, and would be allowed to do it as whoever copies it.

    target: not there yet. folder_below, target_below: see `held`, of where each is.
    last: names of files and folders that are copied after all beside them, in this order, because what they
    say must not be older than that. Raises OSError and what `NewFolder` does.
    """
    rank = {name: number for number, name in enumerate(last, 1)}
    with held(folder_below, folder) as opened, held(target_below, target.parent) as within:
        names = _names(folder, opened)
        with NewFolder(target, within) as made:
            _copy_into(made, folder, (opened, names), rank=rank, is_whole=False)


def copy_whole_folder(folder: Path, target: Path, *, target_below: Path) -> None:
    """Copy a folder with all that is in it, but what a file is allowed to. Raises as `copy_living_folder`."""
    with held(folder, folder) as opened, held(target_below, target.parent) as within:
        names = _names(folder, opened)
        with NewFolder(target, within) as made:
            _copy_into(made, folder, (opened, names), rank={}, is_whole=True)


def _copy_into(made: NewFolder, folder: Path, there: Folder, *, rank: dict[str, int], is_whole: bool) -> None:
    opened, names = there
    for name in sorted(names, key=lambda name: (rank.get(name, 0), name)):
        with ExitStack() as files:
            try:
                found = _opened(files, folder / name, opened)
            except FileNotFoundError:  # there; what the copy lacks is no reason to leave something out
                if is_whole:
                    raise
                continue
            if isinstance(found, tuple):
                with made.folder(name) as inner:
                    _copy_into(inner, folder / name, found, rank=rank, is_whole=is_whole)
            elif name.endswith(HALF_WRITTEN) and not is_whole:
                continue
            elif isinstance(found, str):
                made.link(name, found)
            elif found is not None:
                with made.file(name) as copy:
                    shutil.copyfileobj(found, copy, BLOCK)
            elif is_whole:
                raise OSError(errno.EINVAL, "It is neither a file nor a folder", str(folder / name))


def _opened(files: ExitStack, path: Path, opened: int | None) -> Folder | BinaryIO | str | None:
    """What is in a folder that may be held open: where a link leads, None for what nobody can copy."""
    place: str | Path = path if opened is None else path.name
    kind = os.stat(place, dir_fd=opened, follow_symlinks=False).st_mode
    if stat.S_ISDIR(kind):
        inside = files.enter_context(inner_folder(opened, path))
        return inside, _names(path, inside)
    if stat.S_ISLNK(kind):
        return os.readlink(place, dir_fd=opened)
    if not stat.S_ISREG(kind):
        return None
    file = files.enter_context(os.fdopen(os.open(place, READ, dir_fd=opened), "rb"))
    return cast(BinaryIO, file) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None  # still


def _names(folder: Path, opened: int | None) -> list[str]:
    with os.scandir(folder if opened is None else opened) as entries:
        return [entry.name for entry in entries]
