"""Capsules that cloth collided with in its takes, as channels of y, so that it does in Evaluate, too."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice

import numpy as np

from learning.evaluation.colliders import NOT_RECORDED, RecordedColliders
from ml_backend.simulation.shapes.round_shapes import RoundShape, round_shape
from neural_physics.arrays import Floats
from neural_physics.capsules.placing import CarriedCapsules
from neural_physics.datasets.simulation_request import Tracks
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.errors import Problem
from neural_physics.interaction.channels import SIZES, Channel
from neural_physics.methods.registry import specification_of
from neural_physics.models.model_file import ModelInfo

NOWHERE = np.array([1e6] * 6 + [0.0] * 2, np.float32)  # of a capsule in takes that have none of its name


def recorded_capsules(model: ModelInfo, dataset: Dataset, takes: list[Take]) -> RecordedColliders:
    """Balls and capsules that the bundled solver recorded, but for the balls that the model knows.

    Nothing of it for methods that do not simulate at run time. Raises Problem("dataset_damaged").
    """
    method = specification_of(model.method)
    if method is None or not method.simulates:
        return RecordedColliders((), takes, [])
    sources = {channel.name: channel.source for channel in dataset.info.channels.channels}
    known = {sources[name] for name in model.settings.get("colliders", {})}
    notes: list[str] = []
    rows_of: dict[str, dict[str, Floats]] = {}
    for take in takes:
        surroundings = dataset.surroundings(take.name)
        rows_of[take.name] = {}
        if surroundings is None:
            notes.append(NOT_RECORDED)
            continue
        request, tracks = surroundings
        for place, collider in enumerate(request.colliders):
            if collider.name in known:
                continue
            try:
                shape = round_shape(collider)
            except Problem:
                notes.append(
                    f"{collider.name} is neither a ball nor a capsule: the cloth does not collide with it."
                )
                continue
            rows_of[take.name][collider.name] = _rows(shape, tracks, place, len(take.interaction))
    names = sorted({name for rows in rows_of.values() for name in rows})
    free = (name for name in map("Capsule {}".format, count(1)) if name not in sources)
    channels = [
        Channel(channel, "capsule", SIZES["capsule"], name)
        for channel, name in zip(islice(free, len(names)), names, strict=True)
    ]
    widened = [_widened(take, [rows_of[take.name].get(name) for name in names]) for take in takes]
    return RecordedColliders(tuple(channels), widened, list(dict.fromkeys(notes)))


def _rows(shape: RoundShape, tracks: Tracks, place: int, frames: int) -> Floats:
    """(T, 8): a collider as a channel of kind "capsule", in the axes of the take's positions."""
    carried = CarriedCapsules(
        shape.start[None], shape.end[None], np.array([[shape.radius, shape.radius]], np.float64)
    )
    matrices = tracks.frame_from_world[:frames] @ tracks.colliders[:frames, place]
    return np.concatenate([carried.rows(matrix[None]) for matrix in matrices]).astype(np.float32)


def _widened(take: Take, rows: list[Floats | None]) -> Take:
    if not rows:
        return take
    nowhere = np.tile(NOWHERE, (len(take.interaction), 1))
    more = [nowhere if of_one is None else of_one for of_one in rows]
    return replace(take, interaction=np.concatenate([take.interaction, *more], axis=1))
