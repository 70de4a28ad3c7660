"""How files that have been written take the places they are for: all of them, or none."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from ...errors import Problem
from ...files.atomic import writing
from ...files.held_folders import HeldFolder, held
from ...files.links import check_unmoved, resolved


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
        # A folder of their own beside their places, called as nothing of the artist's.
        self._beside = f"export_{uuid4().hex[:12]}.new"
        self._folder = folder / "written"
        self.scratch = self._folder / path.name

    def begin(self) -> None:
        """See whether they can land there. Raises Problem("folder_not_writable" | "disk_full")."""
        with writing(self._named):
            self._folder.mkdir()
            self._parent.mkdir(parents=True, exist_ok=True)
            with held(self._parent.parent, self._parent) as parent:
                self._clear(parent)
                with parent.made(self._beside):
                    pass
                self._clear(parent)

    def land(self) -> None:
        """Let what was written take its place.

        Raises Problem("place_is_link" | "folder_not_writable" | "disk_full"); then all is as it was.
        """
        with writing(self._named), held(self._parent.parent, check_unmoved(self._parent)) as parent:
            self._clear(parent)
            try:
                with parent.made(self._beside) as beside:
                    for name in self._names:
                        beside.receive(self._folder / name)
                    self._exchange(parent, beside)
            finally:
                with suppress(OSError, Problem):
                    self._clear(parent)

    def _exchange(self, parent: HeldFolder, beside: HeldFolder) -> None:
        landed: list[str] = []
        try:
            for number, name in enumerate(self._names):
                there = parent.mode(name)
                if stat.S_ISDIR(there):  # made while the files were written
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
                if there:
                    parent.replace(name, beside, _kept(number))
                landed.append(name)
                beside.replace(name, parent, name)
        except OSError:
            for number, name in enumerate(landed):
                with suppress(OSError):
                    parent.unlink(name)
                with suppress(OSError):
                    beside.replace(_kept(number), parent, name)
            raise

    def _clear(self, parent: HeldFolder) -> None:
        """Take away what is left of a try. Raises OSError, where there is more, and nothing is taken away."""
        there = parent.mode(self._beside)
        if there and not stat.S_ISDIR(there):  # a link, perhaps: whose folder it leads to, is not known
            parent.unlink(self._beside)
        elif there:
            ours = [each for number, name in enumerate(self._names) for each in (name, _kept(number))]
            with parent.inner(self._beside) as folder:
                if not set(folder.names()) <= set(ours):
                    raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), self._beside)
                for name in ours:
                    folder.unlink(name)
            parent.rmdir(self._beside)


def _kept(number: int) -> str:
    """Where what was there is kept until all have landed."""
    return f"{number}.old"
