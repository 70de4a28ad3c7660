"""One run of an activity's command, and what it has printed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tools.soak.activities import Activity
from tools.soak.blends import ROOT
from tools.soak.marks import BEGINS
from tools.soak.places import Place


class CommandRun:
    """A command that has been started in a place; it leads a group of its own, its job another.

    was_ended: whether it was sent itself what ends a process.
    """

    def __init__(self, activity: Activity, place: Place, mark: str, before: Sequence[str] = ()) -> None:
        """before: words before the command, for what it may do."""
        self.place, self.mark = place, mark
        self._printed = place.root / "printed.txt"
        with self._printed.open("wb") as printed:
            self._process = subprocess.Popen(
                [*before, *activity.command(place.work)],
                cwd=ROOT,
                env={**place.environment(mark), **activity.environment},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.began = time.monotonic()
        self.was_ended = False

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self.began

    def has_begun(self) -> bool:
        """Whether it is loaded and does what it is for."""
        return BEGINS in self.printed()

    def printed(self) -> str:
        """What it has said so far."""
        return Path(self._printed).read_text(encoding="utf-8", errors="replace")

    def wait(self, seconds: float) -> int | None:
        """Wait for its end; its exit status, None where it still runs after these seconds."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
