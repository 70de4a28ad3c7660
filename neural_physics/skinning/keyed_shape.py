"""What shape keys add to a mesh that bones carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Floats, Indices
from .of_skin import skinning_of
from .skin import Skin


class KeyedShape:
    """What shape keys add to where bones carry vertices: J_v sum_k w_k o_kv.

    o_kv is the offset of key k at vertex v, w_k its value, and J_v how skinning carries a step at rest,
    which is linear in it, by matrices and by dual quaternions alike. So nothing depends on the shape at rest,
    and what else moves a vertex stays as it is.
    """

    def __init__(self, skin: Skin) -> None:
        """A skin without keys adds nothing."""
        self._keys = list[tuple[Indices, Floats]]()
        if skin.keys is None:
            return
        self._moved = np.unique(skin.keys.vertices).astype(np.intp)
        self._keys = [(np.searchsorted(self._moved, some), offsets) for some, offsets in skin.keys.each()]
        self._steps = np.zeros((len(self._moved), 3), np.float32)
        self._skinning = skinning_of(_restricted(skin, self._moved), self._steps)

    def add_to(self, x: Floats, moves: Floats, values: Floats) -> Floats:
        """x (V, 3), metres, world space, changed in place. values (n,): of the keys, see `Skin.keys`.

        moves (K + 1, 3, 4): the object's, the bones'.
        """
        if not self._keys or not np.any(values):
            return x
        self._steps[:] = 0.0
        for (rows, offsets), value in zip(self._keys, values, strict=True):
            if value:
                self._steps[rows] += value * offsets
        turns = moves.copy()
        turns[:, :, 3] = 0.0
        self._skinning.begin_at(self._steps)
        x[self._moved] += self._skinning(turns)
        return x


def _restricted(skin: Skin, vertices: Indices) -> Skin:
    """The skin of some vertices, which rise."""
    order = skin.order
    if order is not None:
        counts = np.count_nonzero(skin.weights, axis=1)
        own = counts[vertices]
        firsts = (np.cumsum(counts) - counts)[vertices]
        order = order[np.repeat(firsts - (np.cumsum(own) - own), own) + np.arange(own.sum())]
    return replace(skin, weights=skin.weights[vertices], order=order, keys=None)
