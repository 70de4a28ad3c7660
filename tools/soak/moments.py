"""When a fault strikes: while a command starts, while it works, or while it writes."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.soak.commands import CommandRun

Stage = Literal["starting", "working", "writing"]
STAGES: dict[Stage, int] = {"starting": 1, "working": 5, "writing": 4}  # how often each is drawn
SOONER = 0.7  # a command that goes on has less to do
MOST_CHANGES = 40  # of the folder, after which a fault strikes at the latest
LOOK_EVERY = 0.001  # seconds


@dataclass(frozen=True)
class Times:
    """Of an uninterrupted run, seconds: until the command is loaded, and until it has ended."""

    begins: float
    ends: float


@dataclass(frozen=True)
class Moment:
    """share: how far into the stage, 0 to 1; the stage is taken as long as that of an uninterrupted run.

    A share of "writing" counts what has changed in the folder since the command has begun.
    """

    stage: Stage
    share: float

    @classmethod
    def draw(cls, chance: random.Random) -> Moment:
        """Any moment; most of them are while it works or writes."""
        stage = chance.choices(list(STAGES), list(STAGES.values()))[0]
        return cls(stage, chance.random())

    def wait(self, run: CommandRun, times: Times) -> bool:
        """Wait for it; False where the command has ended before."""
        if self.stage == "starting":
            return _wait(run, self.share * times.begins)
        while not run.has_begun():
            if not _wait(run, 0.01):
                return False
        if self.stage == "working":
            return _wait(run, SOONER * self.share * (times.ends - times.begins))
        changes = 1 + int(self.share * MOST_CHANGES)
        before = dict(_sizes(run.place.work))
        while run.status is None:
            time.sleep(LOOK_EVERY)
            now = dict(_sizes(run.place.work))
            changes -= now != before
            before = now
            if changes <= 0:
                return True
        return False


def _wait(run: CommandRun, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while run.status is None:
        left = deadline - time.monotonic()
        if left <= 0.0:
            return True
        time.sleep(min(0.01, left))
    return False


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    """All files and their sizes; those that are moved meanwhile may be missing."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _sizes(Path(entry.path))
                else:
                    yield entry.path, entry.stat(follow_symlinks=False).st_size
    except OSError:
        return
