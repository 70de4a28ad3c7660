"""How bones are turned against each other: what the network of held poses sees (Jin 2022, section 3.2).

A rotation is described by the first two columns of its matrix (Zhou et al. 2019, "On the Continuity of
Rotation Representations"): unlike angles and quaternions these have no jumps. What a bone does at rest is no
turn, however the rig is built, as moves are from the mesh at rest; so nothing needs to be known of parents.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Indices

FLAT = 1e-12  # metres per metre: what a bone has squeezed to less than that has no direction
AFTER, BEFORE = np.array([1, 2, 0]), np.array([2, 0, 1])  # of x, y and z, in a cross product


def turns_of(moves: Floats) -> Floats:
    """(..., K + 1, 3, 3) float32: right-handed unit axes of moves (..., K + 1, 3, 4), without their scale.

    By Gram and Schmidt, from the x axis on: the same for bones that only turn, whatever scale, shear or
    mirror of the object they share.
    """
    x = _unit(moves[..., :, 0])
    y = moves[..., :, 1]
    y = _unit(y - np.einsum("...i,...i->...", x, y)[..., None] * x)
    turns = np.empty((*x.shape, 3), np.float32)
    turns[..., 0], turns[..., 1] = x, y
    np.subtract(x[..., AFTER] * y[..., BEFORE], x[..., BEFORE] * y[..., AFTER], out=turns[..., 2])
    return turns


class SeenTurns:
    """The turns of m others as each of R bones sees them, and the world's up."""

    def __init__(self, owners: Indices, seen: Indices) -> None:
        """owners (R,), seen (R, m): which bones."""
        self._owners = owners
        row, column = np.arange(3)[:, None, None], np.arange(2)
        columns = (9 * seen[:, None, :, None] + 3 * row + column).reshape(len(seen), 3, -1)
        # Counted from the end, where up's 0, 0, 1 stand behind all matrices.
        up = np.broadcast_to(np.array([[-2], [-2], [-1]]), (len(seen), 3, 1))
        self._places = np.concatenate([columns, up], 2)

    def __call__(self, turns: Floats) -> Floats:
        """(..., R, 6 m + 3) float32; turns (..., K + 1, 3, 3) as of `turns_of`."""
        *before, count, _, _ = turns.shape
        numbers = np.empty((*before, 9 * count + 2), np.float32)
        numbers[..., :-2] = turns.reshape(*before, -1)
        numbers[..., -2:] = 0.0, 1.0
        found: Floats = np.swapaxes(turns[..., self._owners, :, :], -1, -2) @ numbers.take(self._places, -1)
        return found.reshape(*before, len(self._places), -1)


def _unit(v: Floats) -> Floats:
    length = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]
    unit: Floats = (v / np.maximum(length, FLAT)).astype(np.float32, copy=False)
    return unit
