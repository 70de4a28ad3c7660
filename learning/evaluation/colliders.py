"""What cloth collides with in the rollouts of an evaluation, beyond what its model knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neural_physics.datasets.takes import Dataset, Take
from neural_physics.interaction.channels import Channel
from neural_physics.methods.registry import specification_of
from neural_physics.models.model_file import ModelInfo

NOT_RECORDED = (
    "The takes do not record what the cloth collided with: in the rollouts it collided only "
    "with balls that the object reacts to."
)


@dataclass(frozen=True)
class RecordedColliders:
    """What the cloth of a dataset collided with, beyond the balls that the model knows.

    channels: of kind "capsule", which takes have after the dataset's own. notes: sentences about what is left
    out.
    """

    channels: tuple[Channel, ...]
    takes: list[Take]
    notes: list[str]


# Finds what the takes to evaluate on have recorded. Raises Problem("dataset_damaged").
FindColliders = Callable[[ModelInfo, Dataset, list[Take]], RecordedColliders]


def no_colliders(model: ModelInfo, dataset: Dataset, takes: list[Take]) -> RecordedColliders:
    """None; said so where a method simulates cloth while it plays."""
    method = specification_of(model.method)
    simulates = method is not None and method.simulates
    return RecordedColliders((), takes, [NOT_RECORDED] if simulates else [])
