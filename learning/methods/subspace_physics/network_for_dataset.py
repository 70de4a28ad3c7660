"""The network that a training has, of a dataset in its bases."""

from __future__ import annotations

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_body import physical_body
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.training.subspace_data import SubspaceData
from neural_physics.datasets.takes import Dataset

MOST_BALLS = 64  # that are followed through all states of a batch: with more it takes gigabytes


def is_physical(preset: SubspacePreset, dataset: Dataset) -> bool:
    """Whether it is known what a physical initial model has to know: where balls push, not too many."""
    balls = len(dataset.info.colliders)
    return preset.physics and preset.initial_model and 0 < balls <= MOST_BALLS


def network_for(data: SubspaceData, dataset: Dataset, preset: SubspacePreset, seed: int) -> SubspaceNetwork:
    """The same network for the same dataset, bases, preset and seed, in whichever process."""
    body = physical_body(data, dataset.mesh, dataset.info) if is_physical(preset, dataset) else None
    return SubspaceNetwork(data, preset, seed, body)
