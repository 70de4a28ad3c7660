"""The coarse levels of a mesh that is fine already: subdivision, undone.

A subdivided mesh has the vertices of the coarse one, one in the middle of each coarse edge, and one in the
middle of each coarse quad. Which are which follows from any one of the first: the next vertex but one along
each of its edges is another. So a few vertices are tried for each connected piece (as Taubin 2002,
"Detecting and reconstructing subdivision connectivity", does on its covering surfaces), and what comes of
them is checked by counting, not by where anything is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Indices, Mask
from ..datasets.rest_mesh import Mesh
from ..errors import Problem
from .half_edges import HalfEdges, check_cut, check_vertices, half_edges_of, split_quads
from .levels import Hierarchy, check_memory, level_of, ordered_corners, subdivided_levels
from .pieces import pieces_of


@dataclass(frozen=True)
class Coarser:
    """Faces of which a mesh is the subdivision, all in its vertices' numbers.

    corners, sizes: as in `Mesh`. pairs (k, 2), middles (k,): the vertex in the middle of each edge, and of
    both diagonals of each quad.
    """

    corners: Indices
    sizes: Indices
    pairs: Indices
    middles: Indices


def found_hierarchy(mesh: Mesh, levels: int, object_name: str) -> Hierarchy:
    """The hierarchy of `levels` + 1 levels whose last one is the mesh, its quads cut in two.

    Raises Problem("levels_loose" | "levels_corners" | "levels_edge_shared" | "levels_winding" |
    "levels_cut_shared" | "levels_quads" | "levels_not_found" | "levels_too_fine").
    """
    check_vertices(mesh, object_name)
    check_memory(object_name, int((mesh.face_sizes - 2).sum()))
    corners, sizes = mesh.corners.astype(np.intp), mesh.face_sizes.astype(np.intp)
    steps: list[Coarser] = []
    for found in range(levels):
        coarser = coarsened(half_edges_of(corners, sizes, object_name))
        if coarser is None:
            code = "levels_quads" if (sizes == 4).any() else "levels_not_found"
            raise Problem(code, object=object_name, levels=levels, found=found, multiple=2**levels)
        steps.append(coarser)
        corners, sizes = coarser.corners, coarser.sizes
    half_edges_of(corners, sizes, object_name)
    triangles = ordered_corners(corners[split_quads(corners, sizes)], mesh.rest_positions)
    check_cut(triangles, object_name)
    order = np.unique(triangles)
    result = subdivided_levels(level_of(np.searchsorted(order, triangles), len(order)), levels)
    for level, step in zip(result, reversed(steps), strict=False):
        order = np.concatenate([order, _middles(step, order[level.edges], mesh.vertex_count)])
    return Hierarchy(result, order)


def _middles(step: Coarser, pairs: Indices, count: int) -> Indices:
    """The vertex in the middle of each pair (k, 2)."""
    keys = step.pairs.min(1) * count + step.pairs.max(1)
    order = np.argsort(keys)
    return step.middles[order[np.searchsorted(keys[order], pairs.min(1) * count + pairs.max(1))]]


def coarsened(mesh: HalfEdges) -> Coarser | None:
    """The faces whose subdivision the mesh is, or None."""
    if not len(mesh.start):  # no faces
        return None
    onward = mesh.midway()
    links = _Links(mesh, onward)
    even = np.zeros(links.count, bool)
    for piece in pieces_of(mesh):
        candidates = _candidates(mesh, int(piece[0]))
        spread = next((s for s in map(links.spread, candidates) if s is not None), None)
        if spread is None:
            return None
        even[spread] = True
    return _faces(mesh, onward, even)


class _Links:
    """The links from each vertex to the other ends of the coarse edges that it might have been an end of."""

    def __init__(self, mesh: HalfEdges, onward: Indices) -> None:
        self.count = int(mesh.start.max()) + 1
        whole = np.flatnonzero(onward >= 0)
        self._stuck = np.zeros(self.count, bool)  # what has an edge that leads nowhere is no coarse vertex
        self._stuck[mesh.start[onward < 0]] = True
        start, middle, end = mesh.start[whole], mesh.end[whole], mesh.end[onward[whole]]
        # At a boundary only one of an edge's two half-edges is there.
        source = np.concatenate([start, end])
        order = np.argsort(source, kind="stable")
        self._middle = np.concatenate([middle, middle])[order]
        self._end = np.concatenate([end, start])[order]
        self._first = np.searchsorted(source[order], np.arange(self.count + 1))
        # All False between two seeds: to make them for each would cost its piece the time of all pieces.
        self._even, self._odd = np.zeros(self.count, bool), np.zeros(self.count, bool)

    def spread(self, seed: int) -> Indices | None:
        """Which vertices are coarse ones if `seed` is; None where one would have to be both."""
        even, odd = self._even, self._odd
        even[seed] = True
        frontier = np.array([seed])
        evens, odds = [frontier], [frontier[:0]]
        while len(frontier):
            sizes = self._first[frontier + 1] - self._first[frontier]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            links = np.repeat(self._first[frontier], sizes) + within
            odds.append(self._middle[links])
            odd[odds[-1]] = True
            ends = np.unique(self._end[links])
            frontier = ends[~even[ends]]
            even[frontier] = True
            evens.append(frontier)
        found = np.concatenate(evens)
        both = (odd[found] | self._stuck[found]).any()
        even[found] = odd[np.concatenate(odds)] = False
        return None if both else found


def _candidates(mesh: HalfEdges, half_edge: int) -> list[int]:
    """Vertices of which one is a coarse one if any is: a face's, and that across from a middle triangle."""
    found, h = [], half_edge
    for _ in range(int(mesh.size[half_edge])):
        found.append(int(mesh.start[h]))
        h = int(mesh.following[h])
    twin = int(mesh.twin[half_edge])
    if mesh.size[half_edge] == 3 and twin >= 0:
        found.append(int(mesh.end[mesh.following[twin]]))
    return found


def _faces(mesh: HalfEdges, onward: Indices, even: Mask) -> Coarser | None:
    """The coarse faces between the even vertices, if the mesh is their subdivision and nothing else."""
    inner = np.flatnonzero(even[mesh.start])
    second = onward[inner]
    # The same face's next coarse half-edge, as a place in `inner`.
    place = np.full(len(mesh.start), -1)
    place[inner] = np.arange(len(inner))
    following = place[mesh.following[second]]
    loop = [np.arange(len(inner))]
    for _ in range(4):
        loop.append(following[loop[-1]])
    size = mesh.size[inner]
    closed = np.where(size == 3, loop[3], loop[4]) == loop[0]
    distinct = (loop[1] != loop[0]) & (loop[2] != loop[0])
    if (following < 0).any() or not (closed & distinct & (size[following] == size)).all():
        return None
    four = size == 4
    leading = np.minimum.reduce([loop[0], loop[1], loop[2], np.where(four, loop[3], loop[0])]) == loop[0]
    starts, ends, middles = mesh.start[inner], mesh.end[second], mesh.end[inner]
    sizes = size[leading]
    corners = np.stack([starts[each[leading]] for each in loop[:4]], 1)
    quads = corners[sizes == 4]
    centres = mesh.end[mesh.following[inner[leading & four]]]
    edges, middles_of = _unique_edges(starts, ends, middles)
    fine_faces = (1.0 / mesh.size).sum()
    used = np.concatenate([np.flatnonzero(even), middles_of, centres])
    whole = round(float(fine_faces)) == 4 * len(sizes) and len(np.unique(used)) == len(used)
    if not whole or len(used) != len(np.unique(mesh.start)):
        return None
    pairs = np.concatenate([edges, quads[:, [0, 2]], quads[:, [1, 3]]])
    kept = np.arange(4) < sizes[:, None]
    return Coarser(corners[kept], sizes, pairs, np.concatenate([middles_of, centres, centres]))


def _unique_edges(starts: Indices, ends: Indices, middles: Indices) -> tuple[Indices, Indices]:
    """Edges (e, 2) and their middle vertices (e,), each once; an edge with two middles is there twice."""
    rows = np.stack([np.minimum(starts, ends), np.maximum(starts, ends), middles], 1)
    found = np.unique(rows, axis=0)
    return found[:, :2], found[:, 2]
