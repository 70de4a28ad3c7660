"""Shape keys of a mesh, which change its shape at rest before bones carry it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Indices, StoredIndices

MOST_KEYS = 1000
MOST_SHARES = 10_000_000  # of bones in vertices, each as often as keys move it: some 40 bytes each
MOST_WEIGHTS = 2_000_000_000  # the same with all bones: all are looked at, for each key
FURTHEST_OFFSET = 1e6  # metres


@dataclass(frozen=True)
class ShapeKeys:
    """What n keys add to the shape at rest, each times its value.

    names: theirs. counts (n,) int32: how many vertices each moves. vertices (S,) int32: which, key by key,
    rising within each. offsets (S, 3) float32: by how much at value 1, metres, in the object's axes.
    """

    names: tuple[str, ...]
    counts: StoredIndices
    vertices: StoredIndices
    offsets: Floats

    def each(self) -> Iterator[tuple[Indices, Floats]]:
        """The vertices and offsets of each key."""
        ends = np.cumsum(self.counts, dtype=np.intp)
        for first, end in zip(ends - self.counts, ends, strict=True):
            yield self.vertices[first:end].astype(np.intp), self.offsets[first:end]


def check_shape_keys(keys: ShapeKeys, weights: Floats) -> None:
    """Raise ValueError for what no keys of a mesh can be whose bones have weights (V, K)."""
    counts, moved, vertices = keys.counts, keys.vertices, len(weights)
    if len(keys.names) > MOST_KEYS:
        raise ValueError(f"there must be at most {MOST_KEYS:,} shape keys")
    if counts.shape != (len(keys.names),) or len(set(keys.names)) < len(keys.names):
        raise ValueError("shape keys must have different names, and a count each")
    if not len(counts) or counts.min() < 1 or int(counts.sum(dtype=np.int64)) != len(moved):
        raise ValueError("the counts of shape keys must be 1 or more, and add up to their vertices")
    if moved.shape != (len(moved),) or keys.offsets.shape != (len(moved), 3):
        raise ValueError("shape keys must have an offset for each of their vertices")
    if (
        moved.min() < 0
        or moved.max() >= vertices
        or any((np.diff(some) <= 0).any() for some, _ in keys.each())
    ):
        raise ValueError("the vertices of a shape key must be the mesh's, and rise")
    if move_too_much(keys, weights):
        raise ValueError("shape keys must not move so many vertices, by so many bones")
    # False for what is no number, too.
    if not (np.abs(keys.offsets) <= FURTHEST_OFFSET).all():
        raise ValueError(f"offsets of shape keys must be at most {FURTHEST_OFFSET:g} m")


def move_too_much(keys: ShapeKeys, weights: Floats) -> bool:
    """Whether to carry what keys add would take gigabytes, or minutes to begin with.

    weights (V, K): of the bones. What only the object carries counts as what one bone does.
    """
    shares = np.maximum(np.count_nonzero(weights, axis=1), 1)[keys.vertices].sum(dtype=np.int64)
    return int(shares) > MOST_SHARES or len(keys.vertices) * weights.shape[1] > MOST_WEIGHTS
