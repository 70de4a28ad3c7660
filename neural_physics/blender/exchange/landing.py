"""How files that have been written take the places they are for: all of them, or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...errors import Problem
from ...files.links import is_link
from ...files.replacing import replace


class Landing:
    """`scratch` is to be written, and then takes the place of the last of some files; the others with it.

    They are written in a folder of their own beside their places.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        """Raises Problem("file_not_ours") where there are others, but not the last, which alone is named."""
        self._files, path = files, files[-1]
        strange = next((each for each in files[:-1] if os.path.lexists(each)), None)
        if strange is not None and not os.path.lexists(path):
            raise Problem("file_not_ours", path=strange)
        self._folder = path.with_suffix(".new")
        self.scratch = self._folder / path.name

    def begin(self) -> None:
        """Make the folder anew. Raises OSError."""
        self.clear()
        self._folder.mkdir()

    def clear(self) -> None:
        """Take away what is left of a try. Raises OSError."""
        if is_link(self._folder):  # whose folder it leads to, is not known
            self._folder.unlink()
        elif self._folder.exists():
            for place in self._files:
                for each in (self._written(place), self._kept(place)):
                    each.unlink(missing_ok=True)
            self._folder.rmdir()

    def clear_quietly(self) -> None:
        """The same, as far as it can be done."""
        with suppress(OSError):
            self.clear()

    def land(self) -> None:
        """Let what was written take its place. Raises OSError; then all that was there is there."""
        reached: list[Path] = []
        try:
            for place in self._files:
                if place.is_dir():  # made while the files were written
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
                reached.append(place)
                if place.exists():
                    replace(place, self._kept(place))
                replace(self._written(place), place)
        except OSError:
            for place in reached:
                with suppress(OSError):
                    place.unlink(missing_ok=True)
                with suppress(OSError):
                    replace(self._kept(place), place)
            raise

    def _written(self, place: Path) -> Path:
        return self.scratch.with_name(place.name)

    def _kept(self, place: Path) -> Path:
        """Where what was there is kept until all have landed."""
        return self.scratch.with_name(f"{place.name}.before")
