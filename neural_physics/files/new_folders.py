"""Folders that are filled while others may put something else in their place, as in a shared folder."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from .below import CHANGED, INNER_FOLDER, NEW
from .flushing import flush
from .links import check_no_link
from .replacing import when_let_go

BLOCK = 1 << 20  # bytes that are copied at a time


class NewFolder:
    """A folder that is made here, and what is made in it, none of which may be there: so no link is followed.

    It is held open, so that a link in its place, or in that of a folder in it, gets nothing. Raises OSError,
    and Problem("place_is_link").
    """

    def __init__(self, path: Path, within: int | None) -> None:
        """within: the folder that it is made in, as `below.held` has that open; None where nothing can be."""
        self._path, self._within = path, within
        self._held: int | None = None
        if within is None:
            check_no_link(path.parent)
            path.mkdir()
        else:
            os.mkdir(path.name, dir_fd=within)
            self._held = os.open(path.name, INNER_FOLDER, dir_fd=within)

    def folder(self, name: str) -> NewFolder:
        """One in it."""
        return NewFolder(self._path / name, self._held)

    def file(self, name: str) -> BinaryIO:
        """One in it, to be written."""
        return os.fdopen(os.open(self._place(name), NEW, 0o666, dir_fd=self._held), "wb")

    def flush(self, name: str) -> None:
        """Wait until one in it is on the disk itself."""
        opened = os.open(self._place(name), CHANGED, dir_fd=self._held)
        try:
            flush(opened)
        finally:
            os.close(opened)

    def receive(self, path: Path) -> None:
        """A file from somewhere else, which is gone there then."""
        place = self._place(path.name)
        try:
            os.rename(path, place, dst_dir_fd=self._held)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with path.open("rb") as there, self.file(path.name) as here:
                shutil.copyfileobj(there, here, BLOCK)
            path.unlink()

    def take_in(self, name: str, under: str) -> None:
        """What is beside this folder, under another name."""
        place, outside = self._place(under), self._outside(name)
        when_let_go(lambda: os.replace(outside, place, src_dir_fd=self._within, dst_dir_fd=self._held))

    def give_out(self, name: str, to: str) -> None:
        """Something in it, to take a place beside this folder, whatever file is there."""
        place, outside = self._place(name), self._outside(to)
        when_let_go(lambda: os.replace(place, outside, src_dir_fd=self._held, dst_dir_fd=self._within))

    def link(self, name: str, target: str) -> None:
        """One in it."""
        os.symlink(target, self._place(name), dir_fd=self._held)

    def _place(self, name: str) -> str | Path:
        return check_no_link(self._path) / name if self._held is None else name

    def _outside(self, name: str) -> str | Path:
        return self._path.with_name(name) if self._within is None else name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            os.close(self._held)
