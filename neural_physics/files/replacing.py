"""Files and folders that take another's place, or get another one, while somebody may be reading them.

Windows refuses that for as long as anybody has them open: a panel, an indexer, a virus scanner. So do the
shares of Windows servers, whatever the system that uses them. Elsewhere nobody waits.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from pathlib import Path

LET_GO_WITHIN = 1.0  # seconds in which a file that is held open must be let go
TRY_EVERY = 0.02  # seconds
# Access denied, sharing violation, lock violation, folder not empty (of what is deleted once it is closed).
HELD_ON_WINDOWS = (5, 32, 33, 145)
HELD_ON_SHARES = (errno.EBUSY, errno.ETXTBSY)


def replace(scratch: Path, path: Path) -> None:
    """Let a file take the place of another, which may be there. Raises OSError."""
    when_let_go(lambda: scratch.replace(path))


def rename(path: Path, target: Path) -> None:
    """Give a file or a folder a name that nothing has. Raises OSError."""
    when_let_go(lambda: path.rename(target))


def when_let_go(act: Callable[[], object]) -> None:
    """Do something once nobody has open any more what it is done to. Raises OSError."""
    patience = time.monotonic() + LET_GO_WITHIN
    while True:
        try:
            act()
            return
        except OSError as error:
            if not _is_held(error) or time.monotonic() > patience:
                raise
            time.sleep(TRY_EVERY)


def _is_held(error: OSError) -> bool:
    return getattr(error, "winerror", None) in HELD_ON_WINDOWS or error.errno in HELD_ON_SHARES
