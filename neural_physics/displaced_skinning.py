"""Skinning of a rest shape that each bone displaces in its own axes: x^net of Jin 2022, section 3.2.

    x_v = skinning(rest)_v + sum_b w_vb R_b d_vb

with R_b the matrix of bone b's move, without its shift, and d_vb what the bone adds to the vertex at rest.
By matrices that is the skinning of rest + d. One d for all bones of a vertex would have to be found by
inverting the blend of their matrices, which is singular where a bone is folded back; with one for each bone
any x is reached by d_vb = R_b^-1 (x - skinning(rest)), and what a bone learns stays the same wherever the
others take the vertex. Preserve Volume needs no formula of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .skinning import DualQuaternionSkinning, Floats, Shares, Skin, carried_points, columns_of

SINGULAR = 1e-3  # of a matrix's largest stretch: what it squeezes further is not drawn out again


class DisplacedSkinning:
    """Displacements are coefficients times a basis, for each bone its own."""

    def __init__(self, skin: Skin, rest_positions: Floats, mean: Floats, basis: Floats) -> None:
        """mean (P, 3), basis (P, 3, u): of the displacements, metres at rest, times the share's weight.

        P: the shares of `Shares`, in its order.
        """
        shares = self._shares = Shares(skin)
        self._base = DualQuaternionSkinning(skin, rest_positions) if skin.preserve_volume else None
        points = carried_points(shares, rest_positions)
        if self._base is not None:
            points = [np.zeros_like(of_bone[:3]) for of_bone in points]
        self._points, self._maps = points, list[Floats]()
        for of_bone, (_, part) in zip(points, shares.parts, strict=True):
            constant = mean[part].T + of_bone[:3]
            rows = [*np.moveaxis(basis[part], (0, 1, 2), (2, 1, 0)), constant]
            self._maps.append(np.stack(rows).reshape(len(rows), -1).astype(np.float32))
        self._flat = [of_bone[:3].reshape(-1) for of_bone in points]  # views: the last row stays

    def __call__(self, moves: Floats, coefficients: Floats) -> Floats:
        """(V, 3) float32, metres, world space, a new array.

        moves (K + 1, 3, 4): the object's, the bones'. coefficients (R, u + 1) float32 of the R bones that
        carry anything, the last of each being 1.
        """
        for z, rows, out in zip(coefficients, self._maps, self._flat, strict=True):
            np.dot(z, rows, out=out)
        columns = columns_of(moves)
        if self._base is None:
            return self._shares.total(self._points, columns)
        placed = self._base(moves)
        placed += self._shares.total(self._points, np.ascontiguousarray(columns[:, :3]))
        return placed


def undisplaced(shares: Shares, moves: NDArray[Any], offsets: NDArray[Any]) -> Sequence[NDArray[np.float64]]:
    """(N, n, 3) of each part: d_vb that add offsets (N, V, 3), metres in the world, to skinning.

    moves (N, K + 1, 3, 4). Where a bone squeezes all flat, nothing is drawn out.
    """
    found = []
    for bone, part in shares.parts:
        turned_back = np.linalg.pinv(moves[:, bone, :, :3].astype(np.float64), rcond=SINGULAR)
        found.append(offsets[:, shares.vertices[part]] @ turned_back.transpose(0, 2, 1))
    return found
