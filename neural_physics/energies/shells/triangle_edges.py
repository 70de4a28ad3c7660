"""Edges of a triangle mesh, the hinges at them, and each triangle's neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Indices


@dataclass(frozen=True)
class TriangleEdges:
    """The m triangles' e edges; made by `triangle_edges`. Every index array is intp.

    triangles (m, 3): vertices.
    edges (e, 2): vertices, the lower index first; every edge once, sorted.
    sides (m, 3): the edge across from each corner, which runs from corner k + 1 to corner k + 2.
    signs (m, 3) float64: 1 where the triangle runs along that edge from its first vertex to its second,
        -1 where back. Neighbours that are wound alike have opposite signs.
    opposite (m, 3): the neighbour's vertex across that edge, -1 where there is no neighbour.
    hinges (h, 4): the edge's two vertices as the first triangle runs along them, its third vertex, and
        the other triangle's third vertex; whether both are wound alike makes no difference.
    hinge_edges (h,): the edge of each hinge.
    hinge_triangles (h, 2): the two triangles of each hinge.

    Where more than two triangles share an edge, the first has a hinge with each other one, and only the
    first two are neighbours: the others have -1 there, as at a boundary.
    """

    triangles: Indices
    edges: Indices
    sides: Indices
    signs: Doubles
    opposite: Indices
    hinges: Indices
    hinge_edges: Indices
    hinge_triangles: Indices


def triangle_edges(triangles: NDArray[np.integer]) -> TriangleEdges:
    """Edges, hinges and neighbours of triangles (m, 3). ValueError where a triangle has a vertex twice."""
    corners = np.asarray(triangles, np.intp).reshape(-1, 3)
    starts, ends = np.roll(corners, -1, 1).ravel(), np.roll(corners, -2, 1).ravel()
    if (starts == ends).any():
        raise ValueError(f"triangle {int(np.argmax(starts == ends)) // 3} has a vertex twice")
    apexes = corners.ravel()
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    stride = int(corners.max(initial=0)) + 1
    keys, sides = np.unique(low * stride + high, return_inverse=True)
    # Half-edges of the same edge one after the other, each edge's in the order of the triangles.
    order = np.argsort(sides, kind="stable")
    counts = np.bincount(sides, minlength=len(keys))
    first = order[np.cumsum(counts) - counts]
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    other = order[ranks > 0]
    partner = first[sides[other]]
    opposite = np.full(len(apexes), -1, np.intp)
    second = order[ranks == 1]
    opposite[second] = apexes[first[sides[second]]]
    opposite[first[sides[second]]] = apexes[second]
    return TriangleEdges(
        corners,
        np.stack([keys // stride, keys % stride], 1),
        sides.reshape(-1, 3),
        np.where(starts < ends, 1.0, -1.0).reshape(-1, 3),
        opposite=opposite.reshape(-1, 3),
        hinges=np.stack([starts[partner], ends[partner], apexes[partner], apexes[other]], 1),
        hinge_edges=sides[other],
        hinge_triangles=np.stack([partner // 3, other // 3], 1),
    )
