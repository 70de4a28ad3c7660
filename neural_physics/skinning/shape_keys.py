"""Shape keys of a mesh, which change its shape at rest before bones carry it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Indices, StoredIndices

MOST_KEYS = 1000
MOST_OFFSETS = 10_000_000  # of all keys together: all may be added up in each frame
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


def check_shape_keys(keys: ShapeKeys, vertices: int) -> None:
    """Raise ValueError for what no keys of a mesh with so many vertices can be."""
    counts, moved = keys.counts, keys.vertices
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
    if len(moved) > MOST_OFFSETS:
        raise ValueError(f"shape keys must have at most {MOST_OFFSETS:,} offsets together")
    # False for what is no number, too.
    if not (np.abs(keys.offsets) <= FURTHEST_OFFSET).all():
        raise ValueError(f"offsets of shape keys must be at most {FURTHEST_OFFSET:g} m")
