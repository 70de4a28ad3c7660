"""How far a bake is on all computers that work on it: from the dataset's folder alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..datasets.take_folders import holders_folder
from ..datasets.takes import Dataset
from ..files.links import look_at
from ..jobs.leases import Observer, holder_of
from ..plain_text import one_line
from ..wording import plural
from .failures import Failure, failures
from .handing_over import frames_there, is_complete
from .plan import BakePlan, PlannedTake
from .workers import TRIES

Phase = Literal["complete", "under way", "waiting", "set aside"]


@dataclass(frozen=True)
class TakeState:
    """One take of a bake. frames: how many of it are there. host: of the computer that has it, or had."""

    take: PlannedTake
    phase: Phase
    frames: int
    host: str
    failures: tuple[Failure, ...]

    @property
    def sentence(self) -> str:
        """A line for the terminal."""
        where = f" on {self.host}" if self.host and self.phase == "under way" else ""
        told = ""
        if self.failures and self.phase != "complete":
            last = self.failures[-1]
            told = f": {last.reason} (on {last.host}; log: {one_line(last.log)})"
        there = f"{self.frames:,} of {plural(self.take.frames, 'frame')}"
        return f"{self.take.name}: {self.phase}{where}, {there}{told}"


def states(plan: BakePlan) -> list[TakeState]:
    """Of all takes of a bake, in its order. Raises what `Dataset.open` does.

    A take is under way that somebody holds: whether that computer still works is seen by who watches longer.
    """
    dataset, observer = Dataset.open(plan.dataset), Observer()
    return [state_of(dataset, take, observer) for take in plan.takes]


def state_of(dataset: Dataset, take: PlannedTake, observer: Observer) -> TakeState:
    """Of one take. observer: who has seen how long holders were silent.

    Raises Problem("dataset_damaged" | "place_is_link").
    """
    folder = holders_folder(dataset.path, take.name)
    look_at(folder)  # before it is listed
    failed, holder = tuple(failures(folder)), holder_of(folder)
    phase: Phase = "waiting"
    if is_complete(dataset.path, take.name):
        phase = "complete"
    elif len(failed) >= TRIES:
        phase = "set aside"
    elif not observer.is_free(folder, holder):
        phase = "under way"
    host = "" if holder is None else one_line(holder.said.get("host", ""))
    return TakeState(take, phase, frames_there(dataset, take.name), host, failed)
