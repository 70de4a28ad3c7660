"""Copies of folders in which somebody may be writing, also into the copy."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from .below import READ, held, inner_folder
from .new_folders import BLOCK, NewFolder

HALF_WRITTEN = ".new"  # see `atomic.write_atomically`


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
    with (
        held(folder_below, folder) as opened,
        held(target_below, target.parent) as within,
        NewFolder(target, within) as made,
    ):
        _copy_into(made, folder, opened, rank)


def _copy_into(made: NewFolder, folder: Path, opened: int | None, rank: dict[str, int]) -> None:
    """opened: the folder, where it can be held."""
    with os.scandir(folder if opened is None else opened) as entries:
        names = [entry.name for entry in entries]
    for name in sorted(names, key=lambda name: (rank.get(name, 0), name)):
        place: str | Path = folder / name if opened is None else name
        with suppress(FileNotFoundError):
            kind = os.stat(place, dir_fd=opened, follow_symlinks=False).st_mode
            if stat.S_ISDIR(kind):
                with inner_folder(opened, folder / name) as inside, made.folder(name) as inner:
                    _copy_into(inner, folder / name, inside, rank)
            elif name.endswith(HALF_WRITTEN):
                continue
            elif stat.S_ISLNK(kind):
                made.link(name, os.readlink(place, dir_fd=opened))
            elif stat.S_ISREG(kind):
                _copy_file(made, name, os.open(place, READ, dir_fd=opened))


def _copy_file(made: NewFolder, name: str, opened: int) -> None:
    with os.fdopen(opened, "rb") as there:
        if stat.S_ISREG(os.fstat(opened).st_mode):  # still
            with made.file(name) as copy:
                shutil.copyfileobj(there, copy, BLOCK)
