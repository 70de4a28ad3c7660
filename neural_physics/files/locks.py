"""Who has a file open to write it, and work on a folder that two processes must not do at the same time.

Whoever is killed lets go, whatever the system. Where a file system has no locks, nobody waits.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from .links import open_own

LOOKED_WITHIN = 0.5  # seconds in which those who only look whether a file is held let it go again
TRY_EVERY = 0.01  # seconds
SHARING_VIOLATION = 32  # what Windows says where another program has a file open

if sys.platform == "win32":
    import msvcrt

    def is_held(path: Path) -> bool:
        """Whether a process has this file open, or one that it has started and given it to."""
        try:
            path.rename(path)  # refused while anybody has it open
        except OSError as error:
            return getattr(error, "winerror", None) == SHARING_VIOLATION
        return False

    @contextmanager
    def holding(path: Path) -> Iterator[BinaryIO | None]:
        """Open a file to add to it, for this process and for those that are given it; None if it is held.

        Only one process at a time is in here, and gives the file to another before it leaves. Raises OSError.
        """
        with one_at_a_time(path.parent):
            if is_held(path):
                yield None
                return
            with open(path, "ab", opener=open_own) as file:
                yield file

    @contextmanager
    def one_at_a_time(folder: Path) -> Iterator[None]:
        """Wait until no other process of this computer is in here with this folder."""
        # Folders cannot be locked: a file that stands for it is, and nothing else is ever in that.
        name = sha256(os.path.normcase(folder.resolve()).encode()).hexdigest()[:32]
        opened = os.open(Path(tempfile.gettempdir()) / f"neural_physics_{name}.lock", os.O_RDWR | os.O_CREAT)
        try:
            while True:
                try:
                    msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
                    break
                except OSError as error:
                    if error.errno not in (errno.EACCES, errno.EDEADLK):
                        break  # there are no locks
                    time.sleep(TRY_EVERY)
            yield
        finally:
            os.close(opened)

else:
    import fcntl

    def is_held(path: Path) -> bool:
        """Whether a process has this file open, or one that it has started and given it to."""
        try:
            with path.open("rb") as file:
                # Shared, since NFS and CIFS give no other lock on what is open for reading.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    @contextmanager
    def holding(path: Path) -> Iterator[BinaryIO | None]:
        """Open a file to add to it, for this process and for those that are given it; None if it is held.

        It is held for as long as one of them has it open. Raises OSError.
        """
        with open(path, "ab", opener=open_own) as file:
            yield file if _locked(file) else None

    def _locked(file: BinaryIO) -> bool:
        patience = time.monotonic() + LOOKED_WITHIN
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() > patience:
                    return False
                time.sleep(TRY_EVERY)
            except OSError:
                return True

    @contextmanager
    def one_at_a_time(folder: Path) -> Iterator[None]:
        """Wait until no other process is in here with this folder."""
        opened = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):
                fcntl.flock(opened, fcntl.LOCK_EX)
            yield
        finally:
            os.close(opened)
