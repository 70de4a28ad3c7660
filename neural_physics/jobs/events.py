"""Job event protocol (JSON lines on standard output).

Events: {"event": "progress", "stage", "done", "total", "seconds_left", ...},
{"event": "log", "text"}, {"event": "error", "code", "message"}, {"event": "result", ...}.
A job is asked to stop by the appearance of its stop file, by SIGINT or by SIGTERM; it then stops at
its next checkpoint with the error code "stopped".
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import Problem
from .processes import POLITE, Watched

Event = dict[str, Any]
Emit = Callable[[Event], None]
PROGRESS_EVERY = 0.25  # seconds


def print_event(event: Event) -> None:
    """One event as one line on standard output."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def error_event(error: BaseException, log: object = "") -> Event:
    """The event for an exception: a Problem's own sentence, or "unexpected"."""
    if not isinstance(error, Problem):
        error = Problem("unexpected", reason=f"{type(error).__name__}: {error}", path=log)
    return {"event": "error", "code": error.code, "message": error.message}


def parse_event(line: str) -> Event | None:
    """The event on a line, or None for anything else that was printed (Blender is talkative)."""
    try:
        event = json.loads(line)
        json.dumps(event, ensure_ascii=False).encode()  # refuses half characters, which nothing could show
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "event" in event else None


class StopRequest:
    """Whether the job has been asked to stop."""

    def __init__(self, stop_file: Path | None = None) -> None:
        self._stop_file = stop_file
        self._signalled = False
        self._followed: Watched | None = None
        self._parent: int | None = None

    def listen(self) -> None:
        """Take Ctrl-C and a polite kill as a request to stop."""
        for number in POLITE:
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self._signalled = True

    def follow(self, process: int = 0) -> None:
        """Also stop when whoever started this process is gone, or another process, 0 for none.

        The parent may have died before this one could ask who that is.
        """
        self._parent = os.getppid()
        self._followed = Watched(process) if process else None

    def asked(self) -> bool:
        """Whether to stop: by a signal, the stop file, or because whoever is followed is gone."""
        if self._signalled or (self._stop_file is not None and self._stop_file.exists()):
            return True
        if self._followed is not None and self._followed.is_gone():
            return True
        return self._parent is not None and os.getppid() != self._parent

    def check(self) -> None:
        """Raise Problem("stopped") if asked; call it where all that is done has been saved."""
        if self.asked():
            raise Problem("stopped")


class Progress:
    """Reports one stage's progress with the time left, at most four times a second."""

    def __init__(self, emit: Emit, stage: str, total: float, done: float = 0.0) -> None:
        self._emit, self.stage, self.total = emit, stage, total
        self._first, self._started, self._reported = done, time.monotonic(), float("-inf")
        self.at(done)

    def at(self, done: float, **more: Any) -> None:  # noqa: ANN401 (any JSON values)
        """`done` of `total` units are finished; `more` goes along, such as loss=0.1."""
        now = time.monotonic()
        if now - self._reported < PROGRESS_EVERY and done < self.total:
            return
        self._reported = now
        made = done - self._first
        left = (now - self._started) / made * (self.total - done) if made > 0 else None
        self._emit(
            {
                "event": "progress",
                "stage": self.stage,
                "done": done,
                "total": self.total,
                "seconds_left": left,
                **more,
            }
        )
