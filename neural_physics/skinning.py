"""Vertices that follow bones, as Blender's Armature modifier has them: targets of springs (Jin 2022, 3).

Everything is in world space: a move takes the mesh's rest positions, in its object's axes, to the world, and
the first move of all is the object's own, which vertices follow as far as no bone weighs on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays import Doubles, Floats, Indices

Number = TypeVar("Number", np.intp, np.float32)

NEGLIGIBLE = 1e-6  # of a vertex's weight
BLOCK = 2048  # vertices whose numbers stay in the processor's cache: all at once take a tenth longer
LARGEST_STRETCH = 1e10  # of what a bone does, as seen from an object that is scaled to nearly nothing
NOTHING = 1e-20  # the square of the length of a sum of turns that cancel each other
RIGID = 1e-3  # a turn's axes are at most so far from unit length and from right angles


@dataclass(frozen=True)
class Skin:
    """Which bones a mesh follows, and how far.

    bones: their names. weights (V, K) float32: of the bones on each vertex, not negative and at most 1
    together; what a vertex lacks to 1 it follows its object by. preserve_volume: turns are blended as dual
    quaternions (Kavan et al. 2007), not as matrices.
    """

    bones: tuple[str, ...]
    weights: Floats
    preserve_volume: bool = False


def check_skin(skin: Skin, vertices: int) -> None:
    """Raise ValueError for a skin that is none, or that of a mesh with other vertices."""
    weights = skin.weights
    count = len(skin.bones)
    if weights.shape != (vertices, count) or not weights.size or len(set(skin.bones)) < count:
        raise ValueError("skin weights must be (V, K), of K bones with different names")
    # The comparisons are false for what is not a number, too.
    if not ((weights >= 0.0).all() and (weights.sum(1, dtype=np.float64) <= 1.0 + 1e-4).all()):
        raise ValueError("skin weights must not be negative, and at most 1 for each vertex")


def skinning_of(skin: Skin, rest_positions: Floats) -> LinearSkinning | DualQuaternionSkinning:
    """What a skin makes of rest positions (V, 3), metres, in the object's axes."""
    kind = DualQuaternionSkinning if skin.preserve_volume else LinearSkinning
    return kind(skin, rest_positions)


@dataclass(frozen=True)
class Shares:
    """Which bone carries which vertex by how much: bones, vertices (S,), weights (S,) float32.

    Bone by bone, the object being the first, then vertex by vertex.
    """

    bones: Indices
    vertices: Indices
    weights: Floats

    @classmethod
    def of(cls, skin: Skin) -> Shares:
        """All that are not 0."""
        weights = _with_object(skin.weights)
        bones, vertices = np.nonzero(weights.T)
        return cls(bones, vertices, weights[vertices, bones])

    def some(self, places: Indices) -> Shares:
        """The shares at places (n,), which rise."""
        return Shares(self.bones[places], self.vertices[places], self.weights[places])

    @cached_property
    def parts(self) -> list[tuple[int, slice]]:
        """The bones that carry anything, and where the shares of each are."""
        used, firsts = np.unique(self.bones, return_index=True)
        ends = np.append(firsts, len(self.bones))[1:]
        return [(int(b), slice(*part)) for b, *part in zip(used, firsts, ends, strict=True)]


class VertexSums:
    """Adds up what each vertex has of `planes` (3, S) float32, metres, which are to be written."""

    def __init__(self, vertices: Indices, count: int) -> None:
        """vertices (S,): whose each column is; count: V."""
        self._vertices, self._count = vertices, count
        self.planes = np.zeros((3, len(vertices)), np.float32)

    def __call__(self) -> Floats:
        """(V, 3) float32, a new array."""
        total = np.empty((self._count, 3), np.float32)
        for axis, plane in enumerate(self.planes):
            total[:, axis] = np.bincount(self._vertices, plane, self._count)
        return total


class LinearSkinning:
    """x_v = sum_b w_vb M_b [x_rest, 1]: products per bone, then a sum over the bones of each vertex.

    For 13,575 vertices, 60 bones and one to four of them per vertex a quarter of the time that weights times
    all matrices take.
    """

    def __init__(self, skin: Skin, rest_positions: Floats) -> None:
        shares = Shares.of(skin)
        points = carried_points(shares, rest_positions)
        self._sums = VertexSums(shares.vertices, len(rest_positions))
        self._parts = [
            (bone, np.ascontiguousarray(points[:, part]), self._sums.planes[:, part])
            for bone, part in shares.parts
        ]

    def __call__(self, moves: Floats) -> Floats:
        """(V, 3) float32, metres, world space, a new array; moves (K + 1, 3, 4): the object's, the bones'."""
        matrices = np.ascontiguousarray(moves, np.float32)
        for bone, points, moved in self._parts:
            multiply(matrices[bone], points, moved)
        return self._sums()


def multiply(matrix: Floats, points: Floats, moved: Floats) -> None:
    """moved (3, n) = matrix (3, k) times points (k, n), by rows: less than half the time of one product."""
    for row, out in zip(matrix, moved, strict=True):
        np.dot(row, points, out=out)


def carried_points(shares: Shares, rest_positions: Floats) -> Floats:
    """(4, S) float32: x, y, z and 1 of each share's vertex at rest, metres, times the share's weight."""
    points = np.ones((4, len(shares.vertices)), np.float32)
    points[:3] = rest_positions[shares.vertices].T
    points *= shares.weights
    return points


class DualQuaternionSkinning:
    """Blender's Preserve Volume: bones' turns and shifts blended as unit dual quaternions.

    Exact for bones that only turn and shift; see `scaled_bones`. A vertex's turns are added up in the order
    of the bones, each on the side of the sum so far, so that they take the short way round.
    """

    def __init__(self, skin: Skin, rest_positions: Floats) -> None:
        # Those that follow most bones first, so that ever fewer are left for each further bone.
        order = np.argsort(-np.count_nonzero(skin.weights, axis=1), kind="stable")
        self._unsorted = np.argsort(order)
        weights = skin.weights[order]
        vertices, bones = np.nonzero(weights)
        self._rest = np.ascontiguousarray(rest_positions[order].T)
        ranks = zip(
            _ranked(vertices, bones, len(weights), missing=0),
            _ranked(vertices, weights[vertices, bones], len(weights), missing=0.0),
            strict=True,
        )
        # A bone that is missing has no weight.
        self._parts = [(b[: np.count_nonzero(w)], w[: np.count_nonzero(w)]) for b, w in ranks]
        own = _with_object(weights)[:, 0]
        self._own = own if own.any() else None
        self._moved = np.empty((len(weights), 3), np.float32)
        self._sum, self._one = np.empty((2, len(weights), 8), np.float32)

    def __call__(self, moves: Floats) -> Floats:
        """See `LinearSkinning`."""
        table = dual_quaternions(_turns(moves)).astype(np.float32)
        total, one = self._sum, self._one
        total[:] = 0.0
        for bones, weights in self._parts:
            some, sums = one[: len(bones)], total[: len(bones)]
            np.take(table, bones, axis=0, out=some, mode="clip")
            side = np.einsum("vi,vi->v", some[:, :4], sums[:, :4])
            some *= np.copysign(weights, side)[:, None]
            sums += some
        turn, shift = moves[0, :, :3].astype(np.float32), moves[0, :, 3:].astype(np.float32)
        for first in range(0, len(total), BLOCK):
            block = slice(first, first + BLOCK)
            still = turn @ self._rest[:, block] + shift
            moved = _moved_by(np.ascontiguousarray(total[block].T), still)
            if self._own is not None:
                moved += self._own[block] * (still - moved)
            self._moved[block] = moved.T
        return np.take(self._moved, self._unsorted, axis=0)


def scaled_bones(moves: Floats) -> Indices:
    """Which bones do not only turn and shift, as seen from their object; moves (K + 1, 3, 4)."""
    turns = _turns(moves)[:, :3, :3]
    off = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max((1, 2))
    return np.flatnonzero(~((off <= 2.0 * RIGID) & (np.linalg.det(turns) > 0.0)))


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
    w, v = real[:, :1], real[:, 1:]
    dual = np.concatenate(
        [-0.5 * (shift * v).sum(1, keepdims=True), 0.5 * (w * shift + np.cross(shift, v))], axis=1
    )
    return np.concatenate([real, dual], axis=1)


def _turns(moves: Floats) -> Doubles:
    """(K, 4, 4): what the bones do to a mesh that already follows its object."""
    square = np.zeros((len(moves), 4, 4))
    square[:, :3], square[:, 3, 3] = moves, 1.0
    still: Doubles = np.broadcast_to(np.eye(4), (len(moves) - 1, 4, 4))
    if abs(np.linalg.det(square[0])) < 1e-30:  # an object scaled to nothing
        return still
    inverse = np.linalg.inv(square[0])
    turned: Doubles = square[1:] @ inverse
    return turned if np.abs(inverse[:3, :3]).max() <= LARGEST_STRETCH else still


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


def _with_object(weights: Floats) -> Floats:
    """(V, K + 1): the object's own weights, then the bones'."""
    own = 1.0 - weights.sum(1, dtype=np.float64)
    return np.column_stack([np.where(own > NEGLIGIBLE, own, 0.0), weights]).astype(np.float32)


def _ranked(vertices: Indices, values: NDArray[Number], count: int, missing: float) -> list[NDArray[Number]]:
    """The first value of each vertex, then the second of each, and so on: as many (V,) as any has."""
    order = np.argsort(vertices, kind="stable")
    counts = np.bincount(vertices, minlength=count)
    ranks = np.arange(len(vertices)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((int(counts.max(initial=1)), count), missing, values.dtype)
    table[ranks, vertices[order]] = values[order]
    return list(table)
