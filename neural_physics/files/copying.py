"""Copies of folders in which somebody may be writing."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

HALF_WRITTEN = ".new"  # see `atomic.write_atomically`


def copy_living_folder(folder: Path, target: Path, *, last: tuple[str, ...] = ()) -> None:
    """Copy a folder, without what is only half written or goes meanwhile; links are copied as links.

    Pipes and devices stay behind, which no bake has made; and so does what a file is allowed to, as it was
    somebody else's, and would be allowed to do it as whoever copies it.

    last: names of files and folders that are copied after all beside them, in this order, because what they
    say must not be older than that. target: not there yet. Raises OSError.
    """
    target.mkdir(parents=True)
    rank = {name: number for number, name in enumerate(last, 1)}
    for path in sorted(folder.iterdir(), key=lambda path: (rank.get(path.name, 0), path.name)):
        if path.is_dir() and not path.is_symlink():
            copy_living_folder(path, target / path.name, last=last)
        elif (path.is_file() or path.is_symlink()) and not path.name.endswith(HALF_WRITTEN):
            with suppress(FileNotFoundError):
                shutil.copyfile(path, target / path.name, follow_symlinks=False)
