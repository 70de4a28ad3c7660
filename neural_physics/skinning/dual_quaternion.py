"""Skinning by dual quaternions (Kavan et al. 2007), as Blender's Preserve Volume does it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Indices, Mask
from .moves import off_rigid, turns_of
from .skin import Skin, with_object

Number = TypeVar("Number", np.intp, np.float32)
Float = TypeVar("Float", np.float32, np.float64)

BLOCK = 2048  # vertices whose numbers stay in the processor's cache: all at once take a tenth longer
NOTHING = 1e-20  # the square of the length of a sum of turns that cancel each other
UNSCALED = 1e-5  # what is nearer to a turn is one, for Blender too


class DualQuaternionSkinning:
    """Blender's Preserve Volume: bones' turns and shifts blended as unit dual quaternions.

    A vertex's turns are added up in the order of the bones, each on the side of the sum so far, so that they
    take the short way round. Of a bone that scales, too, the turn is blended that takes its Y axis where the
    bone does, and the shift that takes the vertex from there to where the bone has it: another one for each
    vertex. Where the axes at rest are not known it is the nearest turn, which is the same one if the bone is
    scaled along its axes.
    """

    def __init__(self, skin: Skin, rest_positions: Floats) -> None:
        # Those that follow most bones first, so that ever fewer are left for each further bone.
        order = np.argsort(-np.count_nonzero(skin.weights, axis=1), kind="stable")
        self._unsorted = np.argsort(order)
        weights = skin.weights[order]
        vertices, bones = np.nonzero(skin.weights)
        if skin.order is not None:
            bones = skin.order.astype(np.intp)
        vertices = self._unsorted[vertices]
        self._axes = None if skin.axes is None else skin.axes.astype(np.float64)
        self._order = order
        self.begin_at(rest_positions)
        ranks = zip(
            _ranked(vertices, bones, len(weights), missing=0),
            _ranked(vertices, weights[vertices, bones], len(weights), missing=0.0),
            strict=True,
        )
        # A bone that is missing has no weight.
        self._parts = [(b[: np.count_nonzero(w)], w[: np.count_nonzero(w)]) for b, w in ranks]
        own = with_object(weights)[:, 0]
        self._own = own if own.any() else None
        self._moved = np.empty((len(weights), 3), np.float32)
        self._sum, self._one = np.empty((2, len(weights), 8), np.float32)

    def begin_at(self, rest_positions: Floats) -> None:
        """See `LinearSkinning`."""
        self._rest = np.ascontiguousarray(rest_positions[self._order].T)

    def __call__(self, moves: Floats) -> Floats:
        """See `LinearSkinning`."""
        turns = turns_of(moves)
        turn, shift = moves[0, :, :3].astype(np.float32), moves[0, :, 3:].astype(np.float32)
        scales = off_rigid(turns) > UNSCALED
        scaling = self._scaling(moves, turns, scales, (turn @ self._rest + shift).T) if scales.any() else None
        table = dual_quaternions(turns).astype(np.float32)
        total, one = self._sum, self._one
        total[:] = 0.0
        for bones, weights in self._parts:
            some, sums = one[: len(bones)], total[: len(bones)]
            np.take(table, bones, axis=0, out=some, mode="clip")
            if scaling is not None:
                scaling(some, bones)
            side = np.einsum("vi,vi->v", some[:, :4], sums[:, :4])
            some *= np.copysign(weights, side)[:, None]
            sums += some
        for first in range(0, len(total), BLOCK):
            block = slice(first, first + BLOCK)
            still = turn @ self._rest[:, block] + shift
            moved = _moved_by(np.ascontiguousarray(total[block].T), still)
            if self._own is not None:
                moved += self._own[block] * (still - moved)
            self._moved[block] = moved.T
        return np.take(self._moved, self._unsorted, axis=0)

    def _scaling(self, moves: Floats, turns: Doubles, scales: Mask, placed: Floats) -> _Scaling:
        """What some bones do beyond turning, which alone is left in `turns`. placed: see `_Scaling`."""
        stretch = np.zeros((len(turns), 3, 3), np.float32)
        stretch[scales] = turns[scales, :3, :3]
        turns[scales, :3, :3] = self._unscaled(moves, turns, scales)
        stretch[scales] -= turns[scales, :3, :3]
        return _Scaling(stretch, scales, placed)

    def _unscaled(self, moves: Floats, turns: Doubles, scales: Mask) -> Doubles:
        """(n, 3, 3): what some bones turn by."""
        if self._axes is None:
            left, _, right = np.linalg.svd(turns[scales, :3, :3])
            return np.asarray(left @ right)
        axes = moves[0, :, :3].astype(np.float64) @ self._axes[scales]
        return upright(turns[scales, :3, :3] @ axes) @ upright(axes).transpose(0, 2, 1)


def upright(axes: Doubles) -> Doubles:
    """Rotations (n, 3, 3) that keep the direction of Y, and of X as far as that goes: axes are columns."""
    y = _unit(axes[:, :, 1])
    z = _unit(np.cross(axes[:, :, 0], y))
    return np.stack([np.cross(y, z), y, z], axis=2)


def _unit(vectors: Doubles) -> Doubles:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)


class _Scaling:
    """Lets dual quaternions take vertices where bones that scale, too, take them."""

    def __init__(self, stretch: Floats, scales: Mask, placed: Floats) -> None:
        """stretch (K, 3, 3): what each bone does beyond its turn; scales (K,): whether that is anything.

        placed (V, 3): where the object has the vertices, m.
        """
        self._stretch, self._scales, self._placed = stretch, scales, placed

    def __call__(self, dual: Floats, bones: Indices) -> None:
        """Shift dual quaternions (n, 8) of bones (n,), one for each of the first n vertices."""
        rows = np.flatnonzero(self._scales[bones])
        shift = np.einsum("nij,nj->ni", self._stretch[bones[rows]], self._placed[rows])
        dual[rows, 4:] += _dual_parts(dual[rows, :4], shift)


def dual_quaternions(turns: Doubles) -> Doubles:
    """(K, 8): real parts w, x, y, z, of unit length, then dual parts, of rigid moves (K, 4, 4)."""
    m, shift = turns[:, :3, :3], turns[:, :3, 3]
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    # Four multiples of the same quaternion, each by another of its numbers; the largest has the most digits.
    yz, zx, xy = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    y_z, z_x, x_y = m[:, 2, 1] + m[:, 1, 2], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 0] + m[:, 0, 1]
    candidates = np.array(
        [
            [1.0 + xx + yy + zz, yz, zx, xy],
            [yz, 1.0 + xx - yy - zz, x_y, z_x],
            [zx, x_y, 1.0 - xx + yy - zz, y_z],
            [xy, z_x, y_z, 1.0 - xx - yy + zz],
        ]
    )
    best = candidates[np.arange(4), np.arange(4)].argmax(0)
    real = candidates[best, :, np.arange(len(turns))]
    real /= np.maximum(np.linalg.norm(real, axis=1, keepdims=True), 1e-30)
    return np.concatenate([real, _dual_parts(real, shift)], axis=1)


def _dual_parts(real: NDArray[Float], shift: NDArray[Float]) -> NDArray[Float]:
    """(n, 4) of dual quaternions that turn by real (n, 4) and then shift (n, 3)."""
    w, v = real[:, :1], real[:, 1:]
    along, across = -(shift * v).sum(1, keepdims=True), w * shift + np.cross(shift, v)
    dual: NDArray[Float] = np.concatenate([along, across], axis=1)
    dual *= 0.5
    return dual


def _moved_by(total: Floats, x: Floats) -> Floats:
    """(3, V): points (3, V) moved by sums of dual quaternions (8, V)."""
    squared = np.einsum("iv,iv->v", total[:4], total[:4])
    inverse = np.divide(2.0, squared, out=np.zeros_like(squared), where=squared > NOTHING)
    w, v, dual_w, dual_v = total[0], total[1:4], total[4], total[5:]
    inner = _cross(v, x)
    inner += w * x
    inner += dual_v
    turned = _cross(v, inner)
    turned += w * dual_v
    turned -= dual_w * v
    turned *= inverse
    turned += x
    return turned


def _cross(a: Floats, b: Floats) -> Floats:
    """(3, V); `np.cross` takes several times as long."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _ranked(vertices: Indices, values: NDArray[Number], count: int, missing: float) -> list[NDArray[Number]]:
    """The first value of each vertex, then the second of each, and so on: as many (V,) as any has."""
    order = np.argsort(vertices, kind="stable")
    counts = np.bincount(vertices, minlength=count)
    ranks = np.arange(len(vertices)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((int(counts.max(initial=1)), count), missing, values.dtype)
    table[ranks, vertices[order]] = values[order]
    return list(table)
