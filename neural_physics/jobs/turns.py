"""What one process does at a time, of all that share a folder, while the others wait for their turn."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .events import StopRequest
from .leases import Lease, Observer


@contextmanager
def turn(folder: Path, observer: Observer, stop: StopRequest, *, look_every: float) -> Iterator[Lease]:
    """Wait until nobody has it, and have it as long as the block lasts. look_every: seconds.

    Raises Problem("stopped") and what `Observer.claim` does.
    """
    while (lease := observer.claim(folder, platform.node())) is None:
        stop.check()
        time.sleep(look_every)
    try:
        lease.forget_former()
        yield lease
    finally:
        lease.release()
