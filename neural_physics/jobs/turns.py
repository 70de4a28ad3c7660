"""What one process does at a time, of all that share a folder, while the others wait for their turn."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .events import StopRequest
from .leases import Lease, Observer


def claim_turn(folder: Path, observer: Observer) -> Lease | None:
    """Have the turn if nobody else has it; it is to be released. Raises what `Observer.claim` does."""
    lease = observer.claim(folder, platform.node())
    if lease is not None:
        lease.forget_former()
    return lease


@contextmanager
def turn(folder: Path, observer: Observer, stop: StopRequest, *, look_every: float) -> Iterator[Lease]:
    """Wait until nobody has it, and have it as long as the block lasts. look_every: seconds.

    Raises Problem("stopped") and what `Observer.claim` does.
    """
    while (lease := claim_turn(folder, observer)) is None:
        stop.check()
        time.sleep(look_every)
    try:
        yield lease
    finally:
        lease.release()
