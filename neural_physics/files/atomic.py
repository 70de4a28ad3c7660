"""Atomic file writes, and what the system says when it refuses them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Problem
from .flushing import flush
from .refusals import reason_of
from .replacing import replace


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals into Problem("disk_full" | "folder_not_writable").

    Folders that are nested too deeply to be copied or deleted are refused in the same way.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Problem("disk_full", path=path) from error
        raise Problem("folder_not_writable", path=path, reason=reason_of(error, path)) from error
    except RecursionError as error:
        raise Problem("folder_not_writable", path=path, reason="folders in it are too many deep") from error


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
        flush(file.fileno())
    replace(scratch, path)
