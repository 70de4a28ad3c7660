"""Atomic file writes, and what the system says when it refuses them."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Problem

REPLACE_WITHIN = 1.0  # seconds in which a file that is held open must be let go


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals into Problem("disk_full" | "folder_not_writable")."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Problem("disk_full", path=path) from error
        raise Problem("folder_not_writable", path=path, reason=error.strerror or error) from error


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """All or nothing, even if the power fails: a reader sees the old file or the new one.

    private: nobody else may read it. Raises OSError; then the old file is as it was.
    """
    scratch = path.with_name(path.name + ".new")
    try:
        scratch.unlink(missing_ok=True)
        with scratch.open("xb") as file:  # never through a link that was put there
            if private:
                scratch.chmod(0o600)
            file.write(data)
        replace_atomically(scratch, path)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise


def replace_atomically(scratch: Path, path: Path) -> None:
    """Let a file that is finished take the place of another, once it is on the disk itself."""
    with scratch.open("rb+") as file:
        os.fsync(file.fileno())
    patience = time.monotonic() + REPLACE_WITHIN
    while True:
        try:
            scratch.replace(path)
            return
        except PermissionError:
            # Windows refuses while a panel, an indexer or a virus scanner has the old file open.
            if time.monotonic() > patience:
                raise
            time.sleep(0.02)
