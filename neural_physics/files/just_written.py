"""A file that another program has just written for us, known to be that where others share the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from .reading import NotReadable, open_plain


@dataclass(frozen=True)
class Writing:
    """What a file that this user makes in some folder, from now on, is like. umask: of all other files."""

    user: int
    time_ns: int
    is_private: bool
    umask: int

    @contextmanager
    def opened(self, path: Path) -> Iterator[BinaryIO]:
        """A file that was written meanwhile; others may read it from then on, as any other.

        Raises OSError, and NotReadable for one that may be of somebody else, or of before.
        """
        with open_plain(path) as file:
            found = os.fstat(file.fileno())
            private = not self.is_private or not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            fresh = found.st_mtime_ns >= self.time_ns and found.st_nlink == 1
            if found.st_uid != self.user or not private or not fresh:
                raise NotReadable(f"{path} was exchanged")
            yield file
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o666 & ~self.umask)


@contextmanager
def written_for_us(folder: Path) -> Iterator[Writing]:
    """Meanwhile what is made is for this user alone, where the system has that: nobody else changes it.

    Raises OSError.
    """
    umask = os.umask(0o077)
    try:
        probe = folder / f".{uuid4().hex}"
        with probe.open("xb") as file:
            like = os.fstat(file.fileno())
        probe.unlink()
        private = not like.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        yield Writing(like.st_uid, like.st_mtime_ns, private, umask)
    finally:
        os.umask(umask)
