"""A bake watched from the shared folder alone: who is at work, how far all is, and how long it will take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..datasets.take_folders import side_folder
from ..datasets.takes import MOST_TAKES, Dataset
from ..errors import Problem
from ..files.links import look_at
from ..files.looking import NOT_READABLE
from ..jobs.leases import Observer
from .gathering import TakeState, state_of
from .plan import BakePlan, PlannedTake, plan_file

REMEMBERED = 300.0  # seconds of which the speed is the mean
FEWEST, SHORTEST = 10, 4.0  # frames and seconds from which a speed is told
LONG_ENOUGH = 120.0  # seconds from which it is told of fewer frames
Clock = Callable[[], float]


@dataclass(frozen=True)
class Seen:
    """What was seen of a bake. seconds_left: None while nobody works, or nothing was seen to move."""

    takes: tuple[TakeState, ...]
    seconds_left: float | None = None

    @property
    def frames(self) -> int:
        """How many frames are there."""
        return sum(state.frames for state in self.takes)

    @property
    def planned(self) -> int:
        """How many frames there shall be."""
        return sum(state.take.frames for state in self.takes)

    @property
    def complete(self) -> int:
        """How many takes are."""
        return sum(state.phase == "complete" for state in self.takes)

    @property
    def workers(self) -> dict[str, list[str]]:
        """The takes that are under way, by the name of the computer that is at them."""
        found: dict[str, list[str]] = {}
        for state in self.takes:
            if state.phase == "under way":
                found.setdefault(state.host or "another computer", []).append(state.take.name)
        return found

    @property
    def failed(self) -> list[TakeState]:
        """The takes that have failed and are not complete, those first that were set aside."""
        failed = [state for state in self.takes if state.failures and state.phase != "complete"]
        return sorted(failed, key=lambda state: state.phase != "set aside")


class Watch:
    """Looks at the bake in a dataset's folder, again and again; it writes nothing."""

    def __init__(self, dataset: Path, clock: Clock = time.monotonic) -> None:
        self._path, self._clock = dataset, clock
        self._observer = Observer(clock)
        self._plan: tuple[tuple[int, int], BakePlan, Dataset] | None = None
        self._complete: dict[str, TakeState] = {}
        self._history: deque[tuple[float, int]] = deque()

    def look(self) -> Seen | None:
        """Look once; None where nothing was prepared, or it is damaged.

        Raises Problem("place_not_readable"), as where a file server does not answer.
        """
        try:
            prepared = self._prepared()
            if prepared is None:
                return None
            plan, dataset = prepared
            seen = Seen(tuple(self._state(take, dataset) for take in plan.takes[:MOST_TAKES]))
        except Problem as problem:  # the panel says what is wrong with a dataset
            if problem.code == NOT_READABLE:
                raise
            return None
        return Seen(seen.takes, self._seconds_left(seen))

    def _prepared(self) -> tuple[BakePlan, Dataset] | None:
        """The plan, read anew where it has changed."""
        look_at(side_folder(self._path))
        about = look_at(plan_file(self._path))
        if about is None:
            self._forget()
            return None
        stamp = about.st_mtime_ns, about.st_size
        if self._plan is None or self._plan[0] != stamp:
            self._forget()
            self._plan = stamp, BakePlan.of_dataset(self._path), Dataset.open(self._path)
        return self._plan[1:]

    def _forget(self) -> None:
        self._plan = None
        self._complete.clear()
        self._history.clear()

    def _state(self, take: PlannedTake, dataset: Dataset) -> TakeState:
        if take.name not in self._complete:
            state = state_of(dataset, take, self._observer)
            if state.phase != "complete":
                return state
            self._complete[take.name] = state  # nobody writes there any more
        return self._complete[take.name]

    def _seconds_left(self, seen: Seen) -> float | None:
        """By the frames that came while it was watched, on however many computers."""
        now = self._clock()
        self._history.append((now, seen.frames))
        while now - self._history[0][0] > REMEMBERED or self._begins_idly():
            self._history.popleft()
        since, before = self._history[0]
        made, passed = seen.frames - before, now - since
        if not seen.workers or passed < SHORTEST or made <= 0 or (made < FEWEST and passed < LONG_ENOUGH):
            return None
        missing = sum(
            s.take.frames - s.frames for s in seen.takes if s.phase not in ("complete", "set aside")
        )
        return max(0, missing) * passed / made

    def _begins_idly(self) -> bool:
        """Whether nothing was made between the first two looks, as where nobody had begun."""
        return len(self._history) > 2 and self._history[0][1] == self._history[1][1]
