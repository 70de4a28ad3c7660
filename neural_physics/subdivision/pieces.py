"""The pieces of a mesh that are connected by edges."""

from __future__ import annotations

import numpy as np

from ..arrays import Indices
from .half_edges import HalfEdges


def pieces_of(mesh: HalfEdges) -> list[Indices]:
    """The half-edges of each piece that is connected by edges, rising; pieces in the order of their first.

    Of a piece's labels half at least are gone after two rounds, in whatever order its faces are.
    """
    label = np.arange(len(mesh.start))
    inner = np.flatnonzero(mesh.twin >= 0)
    one, other = np.concatenate([label, inner]), np.concatenate([mesh.following, mesh.twin[inner]])
    while True:
        low, high = np.minimum(label[one], label[other]), np.maximum(label[one], label[other])
        apart = low < high
        if not apart.any():
            break
        one, other = one[apart], other[apart]
        np.minimum.at(label, high[apart], low[apart])
        # Every label is that of a half-edge which has it itself, as both sides of an edge are to meet there.
        while not np.array_equal(lower := label[label], label):
            label = lower
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
