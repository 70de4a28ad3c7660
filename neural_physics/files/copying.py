"""Copies of folders in which somebody may be writing, also into the copy."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from .below import held
from .new_folders import BLOCK, NewFolder

HALF_WRITTEN = ".new"  # see `atomic.write_atomically`
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def copy_living_folder(folder: Path, target: Path, *, below: Path, last: tuple[str, ...] = ()) -> None:
    """Copy a folder, without what is only half written or goes meanwhile; links are copied as links.

    Pipes and devices stay behind, which no bake has made; and so does what a file is allowed to, as it was
    somebody else's, and would be allowed to do it as whoever copies it.

    last: names of files and folders that are copied after all beside them, in this order, because what they
    say must not be older than that. target: not there yet. below: see `held`, of where the target is made.
    Raises OSError and what `NewFolder` does.
    """
    with held(below, target.parent) as within, NewFolder(target, within) as made:
        _copy_into(made, folder, {name: number for number, name in enumerate(last, 1)})


def _copy_into(made: NewFolder, folder: Path, rank: dict[str, int]) -> None:
    for path in sorted(folder.iterdir(), key=lambda path: (rank.get(path.name, 0), path.name)):
        if path.name.endswith(HALF_WRITTEN) and not path.is_dir():
            continue
        with suppress(FileNotFoundError):
            kind = path.lstat().st_mode
            if stat.S_ISLNK(kind):
                made.link(path.name, str(path.readlink()))
            elif stat.S_ISDIR(kind):
                with made.folder(path.name) as inner:
                    _copy_into(inner, path, rank)
            elif stat.S_ISREG(kind):
                _copy_file(made, path)


def _copy_file(made: NewFolder, path: Path) -> None:
    with os.fdopen(os.open(path, READ), "rb") as there:
        if stat.S_ISREG(os.fstat(there.fileno()).st_mode):  # still
            with made.file(path.name) as copy:
                shutil.copyfileobj(there, copy, BLOCK)
