"""How jobs are spoken of: the same in panels, logs and terminals."""

from __future__ import annotations

from ..wording import duration
from .life_cycle import JobState


def progress(state: JobState) -> str:
    """A running job in one line: `Baking, 3 min left`."""
    if state.phase == "stopping":
        return "Stopping at the next checkpoint"
    words = state.stage
    return words if state.seconds_left is None else f"{words}, {duration(state.seconds_left)} left"


def job_name(kind: str) -> str:
    """What a kind of job is called in a sentence: `bake`, `training`."""
    return {"train": "training", "evaluate": "evaluation"}.get(kind, kind.replace("_", " "))
