"""What shape keys add to a mesh that bones carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Floats, Indices
from .dual_quaternion import DualQuaternionSkinning
from .linear import LinearSkinning
from .of_skin import skinning_of
from .skin import Skin


class KeyedShape:
    """What shape keys add to where bones carry vertices: sum_k w_k J_v o_kv.

    o_kv is the offset of key k at vertex v, w_k its value, and J_v how skinning carries a step at rest,
    which is linear in it, by matrices and by dual quaternions alike. So nothing depends on the shape at rest,
    and what else moves a vertex stays as it is.
    """

    def __init__(self, skin: Skin) -> None:
        """A skin without keys adds nothing."""
        if skin.keys is None:
            self._keys = list[tuple[Indices, LinearSkinning | DualQuaternionSkinning]]()
            return
        counts = np.count_nonzero(skin.weights, axis=1)
        self._keys = [
            (vertices, skinning_of(_restricted(skin, vertices, counts), offsets))
            for vertices, offsets in skin.keys.each()
        ]

    def add_to(self, x: Floats, moves: Floats, values: Floats) -> Floats:
        """x (V, 3), metres, world space, changed in place. values (n,): of the keys, see `Skin.keys`.

        moves (K + 1, 3, 4): the object's, the bones'.
        """
        turns = moves
        for (vertices, skinning), value in zip(self._keys, values, strict=True):
            if value:
                if turns is moves:
                    turns = moves.copy()
                    turns[:, :, 3] = 0.0
                x[vertices] += value * skinning(turns)
        return x


def _restricted(skin: Skin, vertices: Indices, counts: Indices) -> Skin:
    """The skin of some vertices, which rise. counts (V,): how many bones carry each of all."""
    order = skin.order
    if order is not None:
        own = counts[vertices]
        firsts = (np.cumsum(counts) - counts)[vertices]
        order = order[np.repeat(firsts - (np.cumsum(own) - own), own) + np.arange(own.sum())]
    return replace(skin, weights=skin.weights[vertices], order=order, keys=None)
