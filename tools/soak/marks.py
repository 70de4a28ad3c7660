"""What a soak marks its processes with, and how it finds them again, whoever started them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "NEURAL_PHYSICS_SOAK"  # the variable that all processes of one round inherit
STARTING = 0.1  # seconds in which a process that is just being started shows its environment
BEGINS = "the command begins"  # what a process prints when it has been loaded


def marked(mark: str) -> list[int]:
    """The processes that run with this mark in their environment."""
    sought = f"{MARK}={mark}".encode()
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):  # it has just ended, or is another user's
            if sought in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return sorted(found)


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal; whether the process was still there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def kill_all(mark: str) -> int:
    """`kill -9` everything with this mark, and what it may have started meanwhile; how many there were."""
    killed: set[int] = set()
    while pids := marked(mark):
        killed.update(pid for pid in pids if send(pid, signal.SIGKILL))
        time.sleep(0.002)
    return len(killed)


def wait_for_none(mark: str, seconds: float) -> list[int]:
    """Wait until nothing with this mark runs any more; what still does after these seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not marked(mark):
            time.sleep(STARTING)
            if not marked(mark):
                return []
        time.sleep(0.02)
    return marked(mark)


def described(pid: int) -> str:
    """What a process is, for a report."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return f"{pid}: {' '.join(word.decode(errors='replace') for word in words if word)[-300:]}"
    return str(pid)
