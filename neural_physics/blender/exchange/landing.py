"""How files that have been written take the places they are for: all of them, or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...files.replacing import replace


class Landing:
    """`scratch` is to be written, and then takes the place of the last of some files; the others with it.

    One file is written beside its place; several in a folder of their own there.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files, path = files, files[-1]
        self._folder: Path | None = None
        if len(files) > 1:
            self._folder = path.with_suffix(".new")
            self.scratch = self._folder / path.name
        else:
            self.scratch = path.with_name(f"{path.stem}.new{path.suffix}")

    def clear(self) -> None:
        """Take away what is left of a try. Raises OSError."""
        if self._folder is None or self._folder.is_symlink():  # whose folder it leads to, is not known
            (self._folder or self.scratch).unlink(missing_ok=True)
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
        if self._folder is None:
            replace(self.scratch, self._files[0])
            return
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
