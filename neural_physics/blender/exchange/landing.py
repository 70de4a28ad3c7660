"""How files that have been written take the places they are for: all of them, or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...errors import Problem
from ...files.atomic import writing
from ...files.links import is_link
from ...files.replacing import replace


class Landing:
    """`scratch` is to be written, and then takes the place of the last of some files; the others with it.

    They are written in a folder of their own beside their places.
    """

    def __init__(self, files: Sequence[Path], *, known: bool) -> None:
        """known: whether what is there under the other names is ours; the artist has named the last alone.

        Raises Problem("file_not_ours").
        """
        self._files, path = files, files[-1]
        strange = next((each for each in files[:-1] if os.path.lexists(each)), None)
        if strange is not None and not known:
            raise Problem("file_not_ours", path=strange)
        self._folder = path.with_suffix(".new")
        self.scratch = self._folder / path.name

    def begin(self) -> None:
        """Make the folder anew. Raises Problem("folder_not_writable" | "disk_full")."""
        with writing(self._folder.parent):
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            self.clear()
            self._folder.mkdir()

    def clear(self) -> None:
        """Take away what is left of a try. Raises OSError."""
        if is_link(self._folder):  # whose folder it leads to, is not known
            self._folder.unlink()
        elif self._folder.exists():
            for number, place in enumerate(self._files):
                for each in (self._written(place), self._kept(number)):
                    each.unlink(missing_ok=True)
            self._folder.rmdir()

    def clear_quietly(self) -> None:
        """The same, as far as it can be done."""
        with suppress(OSError):
            self.clear()

    def land(self) -> None:
        """Let what was written take its place.

        Raises Problem("folder_not_writable" | "disk_full"); then all that was there is there.
        """
        with writing(self._folder.parent):
            self._land()

    def _land(self) -> None:
        landed: list[Path] = []
        try:
            for number, place in enumerate(self._files):
                if place.is_dir():  # made while the files were written
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
                if place.exists():
                    replace(place, self._kept(number))
                landed.append(place)
                replace(self._written(place), place)
        except OSError:
            for number, place in enumerate(landed):
                with suppress(OSError):
                    place.unlink(missing_ok=True)
                with suppress(OSError):
                    replace(self._kept(number), place)
            raise

    def _written(self, place: Path) -> Path:
        return self.scratch.with_name(place.name)

    def _kept(self, number: int) -> Path:
        """Where what was there is kept until all have landed; no longer than what is written."""
        return self._folder / f"{number}.old"
