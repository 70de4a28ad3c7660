"""Which bones carry which vertices of a mesh, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats, Indices, StoredIndices
from .shape_keys import ShapeKeys, check_shape_keys

MOST_WEIGHTS = 1 << 27  # of all bones on all vertices, so that a model's file can hold them
MOST_SHARES = 20_000_000  # weights that are not 0: each takes some 40 bytes where it is carried
NEGLIGIBLE = 1e-6  # of a vertex's weight


@dataclass(frozen=True)
class Skin:
    """Which bones a mesh follows, and how far.

    bones: their names. weights (V, K) float32: of the bones on each vertex, not negative and at most 1
    together; what a vertex lacks to 1 it follows its object by. preserve_volume: turns are blended as dual
    quaternions (Kavan et al. 2007), not as matrices. What only these ask for, None where it is not known:
    axes (K, 3, 3) float32, X, Y and Z of each bone at rest, as columns, in the object's axes; order (S,)
    int32, the bones whose weights are not 0, vertex by vertex, in the order in which they are added up.
    keys: what changes the shape that bones carry, None where nothing does.
    """

    bones: tuple[str, ...]
    weights: Floats
    preserve_volume: bool = False
    axes: Floats | None = None
    order: StoredIndices | None = None
    keys: ShapeKeys | None = None


def check_skin(skin: Skin, vertices: int) -> None:
    """Raise ValueError for a skin that is none, or that of a mesh with other vertices."""
    weights = skin.weights
    count = len(skin.bones)
    if weights.shape != (vertices, count) or not weights.size or len(set(skin.bones)) < count:
        raise ValueError("skin weights must be (V, K), of K bones with different names")
    if np.count_nonzero(weights) > MOST_SHARES:
        raise ValueError(f"at most {MOST_SHARES:,} skin weights must differ from 0")
    # The comparisons are false for what is not a number, too.
    if not ((weights >= 0.0).all() and (weights.sum(1, dtype=np.float64) <= 1.0 + 1e-4).all()):
        raise ValueError("skin weights must not be negative, and at most 1 for each vertex")
    if skin.axes is not None and not (skin.axes.shape == (count, 3, 3) and np.isfinite(skin.axes).all()):
        raise ValueError("skin axes must be (K, 3, 3) finite numbers")
    if skin.order is not None:
        carried, bones = np.nonzero(weights)
        order = skin.order
        if order.shape != bones.shape or (order[np.lexsort((order, carried))] != bones).any():
            raise ValueError("the skin's order must name each vertex's bones")
    if skin.keys is not None:
        check_shape_keys(skin.keys, vertices)


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
        weights = with_object(skin.weights)
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


def with_object(weights: Floats) -> Floats:
    """(V, K + 1): the object's own weights, then the bones'."""
    own = 1.0 - weights.sum(1, dtype=np.float64)
    return np.column_stack([np.where(own > NEGLIGIBLE, own, 0.0), weights]).astype(np.float32)
