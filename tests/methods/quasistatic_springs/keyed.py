"""Takes of the strip of `jiggling`, with shape keys that change what its bones carry.

Independent of the library: keys are added to the shape at rest, bones by sums, springs by an integrator.
"""

from __future__ import annotations

from dataclasses import replace

import jiggling
import numpy as np

from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.skinning.shape_keys import ShapeKeys

LAYOUT = ChannelLayout((*jiggling.LAYOUT.channels, Channel("Shape Keys", "shape_keys", 2, parts=("a", "b"))))
MOVED = np.array([0, 3, 5, 9, 2, 3, 11])
KEYS = ShapeKeys(
    ("a", "b"),
    np.array([4, 3], np.int32),
    MOVED.astype(np.int32),
    np.random.default_rng(3).normal(scale=0.1, size=(7, 3)).astype(np.float32),
)


def keyed_rests(mesh, values):
    """(frames, V, 3): the shape at rest, changed by keys."""
    rests = np.tile(mesh.rest_positions.astype(float), (len(values), 1, 1))
    for part, value in ((slice(0, 4), values[:, :1, None]), (slice(4, 7), values[:, 1:, None])):
        rests[:, MOVED[part]] += value * KEYS.offsets[part]
    return rests


def shapes(mesh, matrices, values):
    """(frames, V, 3), world space: the keyed shape where bones take it."""
    rests = keyed_rests(mesh, values)
    weights = np.column_stack([1.0 - mesh.skin.weights.sum(1, dtype=float), mesh.skin.weights])
    square = np.concatenate([rests, np.ones((*rests.shape[:2], 1))], -1)
    return np.einsum("vb,nbij,nvj->nvi", weights, matrices[:, 1:], square)[..., :3]


def strip():
    """That strip, with keys."""
    plain = jiggling.strip()
    return replace(plain, skin=replace(plain.skin, keys=KEYS))


def make_dataset(path, frames):
    """A take for training and one for validation; in both, keys and bones move all the time."""
    mesh = strip()
    info = DatasetInfo(
        "Strip", mesh.topology(), mesh.vertex_count, jiggling.FPS, channels=LAYOUT, reference_frame="Rig/tip"
    )
    dataset = Dataset.create(path, info, mesh)
    for number, role in enumerate(("training", "validation")):
        matrices, t = jiggling.moves(frames, number), np.arange(frames) / jiggling.FPS
        values = np.stack([np.sin(3.0 * t + number), 1.5 * np.sin(2.0 * t) ** 2], 1)
        targets = shapes(mesh, matrices, values)
        swung = jiggling.swung(targets, jiggling.central_slopes(targets), *jiggling.springs(mesh))
        x, y = jiggling.seen(matrices, swung), np.hstack([jiggling.interaction(matrices), values])
        with dataset.writer(f"take_{number}", TakeInfo(frames, role=role, seed=number)) as writer:
            for positions, row, matrix in zip(x, y, matrices, strict=True):
                writer.append(positions, row, np.linalg.inv(matrix[0]))
    return dataset
