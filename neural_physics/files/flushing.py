"""Waiting until what was written is on the disk itself, so that it is there after a power failure."""

from __future__ import annotations

import os
import sys

if sys.platform == "darwin":
    import fcntl

    def flush(file: int) -> None:
        """Wait for what was written to an open file, one opened for writing. Raises OSError."""
        try:
            # Its fsync hands it to the disk, which may still keep it in a memory of its own.
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        except OSError:  # a file system that knows none, such as a share
            os.fsync(file)

else:

    def flush(file: int) -> None:
        """Wait for what was written to an open file, one opened for writing. Raises OSError."""
        os.fsync(file)
