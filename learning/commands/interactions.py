"""How much a dataset's object may react to, for what learns from it or measures it."""

from __future__ import annotations

from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

MOST_VALUES = 10_000  # of y; the bones of a human of Rigify take 8,040


def check_interactions(dataset: Dataset) -> None:
    """Raises Problem("training_reacts_to_too_much"): memory goes with the square."""
    found = dataset.info.channels.size
    if found > MOST_VALUES:
        numbers = {"found": f"{found:,}", "allowed": f"{MOST_VALUES:,}"}
        raise Problem("training_reacts_to_too_much", path=dataset.path, object=dataset.info.object, **numbers)
