"""What Fig. 3 of Jin et al. 2022 shows of an action, for all vertices and for one on the belly.

Norms are divided by the root of the number of vertices, so that they are the root mean square of a vertex.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.quasistatic_springs.motions import Floats
from benchmarks.quasistatic_springs.scenes import CURVES, Character
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.poses import Pose

PELVIS = ("hips", "pelvis")  # what the examples call the bone at their root

Curve = NDArray[np.float64]


def keep_curves(
    character: Character,
    use: str,
    dataset: Dataset,
    poses: list[Pose],
    *,
    motions: Mapping[str, Floats],
    belly: NDArray[np.bool_],
) -> None:
    """Write those of one action to CURVES/EXAMPLE_USE.npz, all (N,), metres.

    motions (N, V, 3), world space: the simulation's first, then what skinning, the network and springs make.
    belly (V,): its vertices, of which the one that is farthest from the network is taken.
    """
    true, skinned, held, swung = motions.values()
    one = np.flatnonzero(belly)[np.square(true - held)[:, belly].sum((0, 2)).argmax()]
    seen = from_pelvis(dataset, poses, true)
    pairs = {
        "positions": seen,
        "from_skinning": true - skinned,
        "from_network": true - held,
        "springs": swung - held,
    }
    curves = {name: norms(offsets) for name, offsets in pairs.items()}
    curves |= {f"{name}_belly": norms(offsets[:, [one]]) for name, offsets in pairs.items()}
    CURVES.mkdir(parents=True, exist_ok=True)
    np.savez(CURVES / f"{character.example}_{use}.npz", fps=dataset.info.fps, vertex=one, **curves)


def norms(offsets: Floats) -> Curve:
    """(N,) the l2 norm of (N, V, 3) over the root of V."""
    return np.asarray(np.sqrt(np.square(offsets, dtype=np.float64).sum(-1).mean(1)))


def from_pelvis(dataset: Dataset, poses: list[Pose], x: Floats) -> Floats:
    """(N, V, 3): positions in the axes that the pelvis's bone carries, from the middle of what follows it."""
    skin = dataset.mesh.skin
    assert skin is not None  # of datasets for springs
    bone = next(k for k, name in enumerate(skin.bones) if name in PELVIS)
    weights = skin.weights[:, bone, None]
    origin = (weights * dataset.mesh.rest_positions).sum(0) / weights.sum()
    moves = np.stack([pose.moves[bone + 1] for pose in poses]).astype(np.float64)
    turns, shifts = moves[:, :, :3], moves[:, :, 3]
    back = np.einsum("nij,nvj->nvi", np.linalg.inv(turns), x - shifts[:, None])
    return np.asarray(back - origin, np.float32)
