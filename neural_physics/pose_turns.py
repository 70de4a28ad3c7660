"""How bones are turned against each other: what the network of held poses sees (Jin 2022, section 3.2).

A turn is told by the first two columns of its matrix (Zhou et al. 2019, "On the Continuity of Rotation
Representations"): unlike angles and quaternions these have no jumps. What a bone does at rest is no turn,
however the rig is built, as moves are from the mesh at rest; so nothing needs to be known of parents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

FLAT = 1e-12  # metres per metre: what a bone has squeezed to less than that has no direction


def turns_of(moves: Floats) -> Floats:
    """(..., K + 1, 3, 3) float32: right-handed unit axes of moves (..., K + 1, 3, 4), without their scale.

    By Gram and Schmidt, from the x axis on: the same for bones that only turn, whatever scale, shear or
    mirror of the object they share.
    """
    x = _unit(moves[..., :, 0])
    y = moves[..., :, 1]
    y = _unit(y - (x * y).sum(-1, keepdims=True) * x)
    z = np.stack(
        [
            x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1],
            x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
            x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
        ],
        -1,
    )
    return np.stack([x, y, z], -1)


def seen_turns(turns: Floats, owners: Indices, seen: Indices) -> Floats:
    """(..., R, 6 m + 3) float32: the turns of m others as each of R bones sees them, and the world's up.

    turns (..., K + 1, 3, 3) as of `turns_of`; owners (R,), seen (R, m): which of them.
    """
    count, others = seen.shape
    table = np.empty((*turns.shape[:-3], count, 3, 2 * others + 1), np.float32)
    columns = turns[..., seen, :, :2]  # (..., R, m, 3, 2)
    table[..., :-1] = np.moveaxis(columns, -3, -2).reshape(*table.shape[:-1], 2 * others)
    table[..., -1] = np.array([0.0, 0.0, 1.0])
    found: Floats = np.swapaxes(turns[..., owners, :, :], -1, -2) @ table
    return found.reshape(*found.shape[:-2], 3 * (2 * others + 1))


def _unit(v: Floats) -> Floats:
    length = np.sqrt((v * v).sum(-1, keepdims=True))
    unit: Floats = (v / np.maximum(length, FLAT)).astype(np.float32, copy=False)
    return unit
