"""How many files this process may have open: each take that is mapped holds two or three."""

from __future__ import annotations

import sys
from contextlib import suppress

MOST_FILES = 10240  # more than macOS allows cannot be asked for

if sys.platform == "win32":

    def open_many_files() -> None:
        """Nothing to do: files that are opened as these are have no such limit there."""

else:
    import resource

    def open_many_files() -> None:
        """Let this process have as many open as it may."""
        limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
        if limit != resource.RLIM_INFINITY and limit < wanted:
            with suppress(ValueError, OSError):  # where the system allows fewer than it says
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
