"""Copies of folders in which somebody may be writing, also into the copy."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from .held_folders import BLOCK, NEW, READ, HeldFolder, held

HALF_WRITTEN = ".new"  # see `atomic.write_atomically`


def copy_living_folder(
    folder: Path, target: Path, *, folder_below: Path, target_below: Path, last: tuple[str, ...] = ()
) -> None:
    """Copy a folder, without what is only half written or goes meanwhile; links are copied as links.

    Pipes and devices stay behind, which no bake has made; and so does what a file is allowed to, as it was
    somebody else's, and would be allowed to do it as whoever copies it.

    target: not there yet. folder_below, target_below: see `held`, of where each is.
    last: names of files and folders that are copied after all beside them, in this order, because what they
    say must not be older than that. Raises what `held` does.
    """
    rank = {name: number for number, name in enumerate(last, 1)}
    with held(folder_below, folder) as there, held(target_below, target.parent) as within:
        names = there.names()
        with within.made(target.name) as made:
            _Copying(rank).copy(there, names, made)


def copy_whole_folder(folder: Path, target: Path, *, target_below: Path) -> None:
    """Copy a folder with all that is in it, but what a file is allowed to. Raises as `copy_living_folder`."""
    with held(folder, folder) as there, held(target_below, target.parent) as within:
        names = there.names()
        with within.made(target.name) as made:
            _Copying(is_whole=True).copy(there, names, made)


@dataclass(frozen=True)
class _Copying:
    """rank: of what is copied last. is_whole: whether nothing may be left out."""

    rank: dict[str, int] = field(default_factory=dict)
    is_whole: bool = False

    def copy(self, there: HeldFolder, names: list[str], made: HeldFolder) -> None:
        """What has these names in a folder."""
        for name in sorted(names, key=lambda name: (self.rank.get(name, 0), name)):
            with ExitStack() as opened:
                try:
                    found = _found(there, name, opened)
                except FileNotFoundError:  # there; what the copy lacks is no reason to leave something out
                    if self.is_whole:
                        raise
                    continue
                if isinstance(found, tuple):
                    with made.made(name) as inner:
                        self.copy(*found, inner)
                elif name.endswith(HALF_WRITTEN) and not self.is_whole:
                    continue
                elif isinstance(found, str):
                    made.make_link(name, found)
                elif found is not None:
                    with made.opened(name, NEW) as copy:
                        shutil.copyfileobj(found, copy, BLOCK)
                elif self.is_whole:
                    raise OSError(errno.EINVAL, "It is neither a file nor a folder", str(there.path / name))


def _found(
    there: HeldFolder, name: str, opened: ExitStack
) -> tuple[HeldFolder, list[str]] | BinaryIO | str | None:
    """A folder and what is in it, a file, where a link leads, or None for what nobody can copy."""
    mode = there.mode(name)
    if not mode:
        raise FileNotFoundError(errno.ENOENT, "It is gone", str(there.path / name))
    if stat.S_ISDIR(mode):
        inner = opened.enter_context(there.inner(name))
        return inner, inner.names()
    if stat.S_ISLNK(mode):
        return there.link_of(name)
    if not stat.S_ISREG(mode):
        return None
    file = opened.enter_context(there.opened(name, READ))
    return file if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None  # still
