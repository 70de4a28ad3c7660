"""Processes that were asked to stop and do not look: so busy with something that they never come to it.

A scene of somebody else's may keep one busy for ever, while it takes more and more memory.
"""

from __future__ import annotations

import os
import threading
import time

from .events import StopRequest

PATIENCE = 15.0  # seconds: longer than a frame of most simulations takes, after which a worker looks
LOOK_EVERY = 1.0  # seconds


def end_when_overdue(stop: StopRequest, patience: float = PATIENCE) -> None:
    """End this process where it still runs so many seconds after it was asked to stop, whatever it does.

    Only for one that may be killed at any moment. What is asked includes that whoever it follows is gone, and
    so nobody else could end it. Not while code runs that lets no other thread of Python's run.
    """
    threading.Thread(target=_watch, args=(stop, patience), daemon=True).start()


def _watch(stop: StopRequest, patience: float) -> None:
    while not stop.asked():
        time.sleep(LOOK_EVERY)
    time.sleep(patience)
    os._exit(1)
