"""Skinning of a rest shape that each bone displaces in its own axes: x^net of Jin 2022, section 3.2.

    x_v = skinning(rest)_v + sum_b o_vb R_b d_vb

with R_b the matrix of bone b's move, without its shift, d_vb what the bone adds to the vertex at rest, and
o_vb its share there: not negative, 1 together for each vertex, 0 for bones that do not carry it.
Where they are the skin's own weights that is, by matrices, the skinning of rest + d; fewer bones at a vertex
cost less, and leave each with less to learn. One d for all bones of a vertex would have to be found by
inverting the blend of their matrices, which is singular where a bone is folded back; with one for each bone
any x is reached by d_vb = R_b^-1 (x - skinning(rest)), and what a bone learns stays the same wherever the
others take the vertex. Preserve Volume needs no formula of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Floats, Indices
from ...skinning.dual_quaternion import DualQuaternionSkinning
from ...skinning.linear import VertexSums, carried_points, multiply
from ...skinning.skin import Shares, Skin

SINGULAR = 1e-3  # of a matrix's largest stretch: what it squeezes further is not stretched again


class DisplacedSkinning:
    """Displacements are coefficients times a basis, for each bone its own.

    Turning a displacement by its bone costs no pass of its own: a bone's matrix, and each of its coefficients
    times its turn, stand beside each other, so that one product makes moved vertices of the basis.
    """

    def __init__(
        self,
        skin: Skin,
        rest_positions: Floats,
        displaced: Indices,
        mean: Floats,
        *,
        bases: Sequence[Floats],
        modes: int,
    ) -> None:
        """displaced (P,): which of the skin's shares bones displace, rising; mean (P, 3), metres at rest.

        bases: (u_b, n_b, 3) metres at rest for each of the R bones that displace any, of its n_b shares; both
        are times the bone's share there. modes: u, none of the u_b is more.
        """
        shares = Shares.of(skin)
        some = shares.some(displaced)
        points = carried_points(shares, rest_positions)
        others = np.setdiff1d(np.arange(len(shares.bones)), displaced)
        self._base = DualQuaternionSkinning(skin, rest_positions) if skin.preserve_volume else None
        if self._base is not None:
            points[:], others = 0.0, others[:0]
        points[:3, displaced] += mean.T
        plain = shares.some(others)
        vertices = np.concatenate([some.vertices, plain.vertices])
        self._sums = VertexSums(vertices, len(rest_positions))
        self._owners = np.array([bone for bone, _ in some.parts], np.intp)
        self._moves = np.empty((len(skin.bones) + 1, 3, 4), np.float32)
        self._matrices = np.empty((len(self._owners), 3, 4 + 3 * modes), np.float32)
        self._turned = self._matrices[:, :, 4:].reshape(len(self._owners), 3, modes, 3)
        moved, self._products = self._sums.planes, list[tuple[Floats, Floats, Floats]]()
        for matrix, (_, part), basis in zip(self._matrices, some.parts, bases, strict=True):
            flat = basis.transpose(0, 2, 1).reshape(3 * len(basis), part.stop - part.start)
            rows = np.concatenate([points[:, displaced[part]], flat])
            self._products.append((matrix[:, : len(rows)], rows, moved[:, part]))
        for bone, part in plain.parts:
            rows = np.ascontiguousarray(points[:, others[part]])
            self._products.append((self._moves[bone], rows, moved[:, len(displaced) :][:, part]))

    def __call__(self, moves: Floats, coefficients: Floats) -> Floats:
        """(V, 3) float32, metres, world space, a new array.

        moves (K + 1, 3, 4): the object's, the bones'. coefficients (R, u) float32.
        """
        self._moves[:] = moves
        owned = self._moves[self._owners]
        self._matrices[:, :, :4] = owned
        np.einsum("ru,rij->riuj", coefficients, owned[:, :, :3], out=self._turned)
        for matrix, rows, placed in self._products:
            multiply(matrix, rows, placed)
        total = self._sums()
        if self._base is not None:
            total += self._base(moves)
        return total


def undisplaced(shares: Shares, moves: NDArray[Any], offsets: NDArray[Any]) -> Sequence[Doubles]:
    """(N, n, 3) of each part: d_vb that add offsets (N, V, 3), metres in the world, to skinning.

    moves (N, K + 1, 3, 4). Where a bone squeezes everything flat, nothing is stretched.
    """
    found = []
    for bone, part in shares.parts:
        turned_back = np.linalg.pinv(moves[:, bone, :, :3].astype(np.float64), rcond=SINGULAR)
        found.append(offsets[:, shares.vertices[part]] @ turned_back.transpose(0, 2, 1))
    return found
