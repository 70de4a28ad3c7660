"""What tetrahedra and plane triangles have in common: their edges, their sides, their boundary."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Indices, Mask

# Of a tetrahedron the triangles, of a triangle the edges, opposite to each of its vertices, turned outwards.
SIDES = {4: ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)), 3: ((1, 2), (2, 0), (0, 1))}


def edges_of(elements: NDArray[np.integer]) -> Indices:
    """(k, 2), those of every element (m, s), so that most are there several times."""
    pairs = np.array(list(combinations(range(elements.shape[1]), 2)))
    return elements[:, pairs].reshape(-1, 2).astype(np.intp)


def joined(edges: Indices, chosen: Mask) -> Indices:
    """(n,) of each vertex the number of its part; edges (k, 2) join those that are both chosen (n,)."""
    inner = edges[chosen[edges].all(1)]
    graph = csr_array((np.ones(len(inner)), (inner[:, 0], inner[:, 1])), shape=(len(chosen),) * 2)
    parts: Indices = connected_components(graph, directed=False)[1].astype(np.intp)
    return parts


def sides_of(elements: NDArray[np.integer]) -> Indices:
    """(m s, s - 1), of elements (m, s) of positive volume: side k of element e is in row s e + k."""
    size = elements.shape[1]
    return elements[:, np.array(SIDES[size])].reshape(-1, size - 1).astype(np.intp)


def boundary(elements: NDArray[np.integer]) -> tuple[Indices, Indices]:
    """The surface of tetrahedra (t, 4), or the outline of plane triangles (t, 3), of positive volume.

    Returns triangles (m, 3) or edges (m, 2), turned outwards, and (m,) the element that each belongs to.
    """
    sides = sides_of(elements)
    _, first, counts = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    chosen = np.sort(first[counts == 1])
    return sides[chosen], chosen // elements.shape[1]
