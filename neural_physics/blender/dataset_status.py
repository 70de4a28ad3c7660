"""What is in an object's dataset, for panels that are drawn often: looked up at most once a second."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ..errors import Problem
from ..takes import Dataset, Take

LOOK_AGAIN = 1.0  # seconds
_seen: dict[Path, tuple[float, DatasetStatus]] = {}


@dataclass(frozen=True)
class DatasetStatus:
    """takes, frames: what is there. complete: takes with all their frames. excluded: frames that are not
    learned from, and why. size: bytes of positions. trouble: why it cannot be read, None if it can."""

    takes: int = 0
    complete: int = 0
    frames: int = 0
    excluded: int = 0
    reasons: tuple[str, ...] = ()
    size: int = 0
    trouble: Problem | None = None


def dataset_status(path: Path) -> DatasetStatus:
    """What is in a dataset folder."""
    when, status = _seen.get(path, (float("-inf"), DatasetStatus()))
    if time.monotonic() - when > LOOK_AGAIN:
        status = _look(path)
        _seen[path] = (time.monotonic(), status)
    return status


def forget() -> None:
    """Look again the next time, because something has just changed."""
    _seen.clear()


def _look(path: Path) -> DatasetStatus:
    try:
        takes = Dataset.open(path).takes()
    except Problem as problem:
        return DatasetStatus(trouble=problem)
    excluded = [exclusion for take in takes for exclusion in take.info.excluded]
    return DatasetStatus(
        takes=len(takes),
        complete=sum(take.info.complete for take in takes),
        frames=sum(len(take.positions) for take in takes),
        excluded=sum(len(take.positions) - _usable(take) for take in takes),
        reasons=tuple(dict.fromkeys(e.reason for e in excluded)),
        size=sum(take.positions.nbytes for take in takes),
    )


def _usable(take: Take) -> int:
    return sum(stop - start for start, stop in take.segments())
