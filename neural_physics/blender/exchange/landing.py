"""How files that have been written take the places they are for: all of them, or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...errors import Problem
from ...files.atomic import writing
from ...files.below import held
from ...files.links import check_unmoved, is_link, resolved
from ...files.new_folders import NewFolder


class Landing:
    """`scratch` is to be written, in a folder of ours, and then takes the place of the last of some files.

    The others do so with it. Blender writes through links: where others may write to the folder that the
    files are for, they could lead it anywhere.
    """

    def __init__(self, files: Sequence[Path], folder: Path, *, known: bool) -> None:
        """folder: ours. known: whether what is there under the other names is; the artist has named the last.

        Raises Problem("file_not_ours").
        """
        path = files[-1]
        strange = next((each for each in files[:-1] if os.path.lexists(each)), None)
        if strange is not None and not known:
            raise Problem("file_not_ours", path=strange)
        self._names = [each.name for each in files]
        self._named, self._parent = path.parent, resolved(path.parent)
        self._beside = path.with_suffix(".new").name  # a folder of their own beside their places
        self._folder = folder / "written"
        self.scratch = self._folder / path.name

    def begin(self) -> None:
        """See whether they can land there. Raises Problem("folder_not_writable" | "disk_full")."""
        with writing(self._named):
            self._folder.mkdir()
            self._parent.mkdir(parents=True, exist_ok=True)
            self._clear()
            (self._parent / self._beside).mkdir()
            self._clear()

    def land(self) -> None:
        """Let what was written take its place.

        Raises Problem("place_is_link" | "folder_not_writable" | "disk_full"); then all is as it was.
        """
        with writing(self._named):
            self._clear()
            check_unmoved(self._parent)
            with (
                held(self._parent, self._parent) as within,
                NewFolder(self._parent / self._beside, within) as beside,
            ):
                try:
                    for name in self._names:
                        beside.receive(self._folder / name)
                    self._exchange(beside)
                finally:
                    with suppress(OSError):
                        self._clear()

    def _exchange(self, beside: NewFolder) -> None:
        landed: list[str] = []
        try:
            for number, name in enumerate(self._names):
                place = self._parent / name
                if place.is_dir():  # made while the files were written
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
                if os.path.lexists(place):
                    beside.take_in(name, _kept(number))
                landed.append(name)
                beside.give_out(name, name)
        except OSError:
            for number, name in enumerate(landed):
                with suppress(OSError):
                    (self._parent / name).unlink(missing_ok=True)
                with suppress(OSError):
                    beside.give_out(_kept(number), name)
            raise

    def _clear(self) -> None:
        """Take away what is left of a try. Raises OSError."""
        folder = self._parent / self._beside
        if is_link(folder):  # whose folder it leads to, is not known
            folder.unlink()
        elif folder.exists():
            for number, name in enumerate(self._names):
                for each in (name, _kept(number)):
                    (folder / each).unlink(missing_ok=True)
            folder.rmdir()


def _kept(number: int) -> str:
    """Where what was there is kept until all have landed."""
    return f"{number}.old"
