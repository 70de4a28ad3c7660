"""Faces of three or four corners as half-edges, checked for what no hierarchy can be made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Indices
from ..datasets.rest_mesh import Mesh
from ..errors import Problem


@dataclass(frozen=True)
class HalfEdges:
    """One half-edge for each corner of a face, to the next corner. Every array is (h,) intp.

    start, end: its vertices. following, preceding: the face's next half-edge, and the one before.
    twin: the neighbour's, which runs back, -1 at a boundary. size: corners of its face, 3 or 4.
    """

    start: Indices
    end: Indices
    following: Indices
    preceding: Indices
    twin: Indices
    size: Indices

    def midway(self) -> Indices:
        """(h,): the half-edge that continues each half-edge v-m if m is the middle of a subdivided edge v-w;
        else -1.

        The half-edge m-w of the same subdivided face: across its middle, which is one triangle, or a vertex
        that four quads share.
        """
        first = np.where(self.twin >= 0, self.twin, 0)[self.following]
        known = (self.twin[self.following] >= 0) & (self.size[first] == self.size)
        second = np.where(self.twin >= 0, self.twin, 0)[self.following[first]]
        triangle = self.size == 3
        known &= ~triangle | ((self.twin[self.following[first]] >= 0) & (self.size[second] == 3))
        return np.where(known, self.following[np.where(triangle, second, first)], -1)


def half_edges_of(corners: NDArray[np.integer], sizes: NDArray[np.integer], object_name: str) -> HalfEdges:
    """Half-edges of faces: corners one face after the other, as `Mesh` has them; sizes (F,).

    Raises Problem("levels_corners" | "levels_edge_shared" | "levels_winding").
    """
    if (sizes > 4).any():
        raise Problem("levels_corners", object=object_name, corners=int(sizes.max()))
    size = np.repeat(sizes, sizes).astype(np.intp)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(len(corners)) - first
    following, preceding = first + (place + 1) % size, first + (place - 1) % size
    start = np.asarray(corners, np.intp)
    end = start[following]
    count = int(start.max(initial=0)) + 1
    keys, counts = np.unique(np.minimum(start, end) * count + np.maximum(start, end), return_counts=True)
    if (counts > 2).any() or (start == end).any():
        a, b = divmod(int(keys[np.argmax(counts)]), count)
        raise Problem("levels_edge_shared", object=object_name, a=a, b=b)
    forward = start * count + end
    order = np.argsort(forward)
    rising = forward[order]
    if (rising[1:] == rising[:-1]).any():
        a, b = divmod(int(rising[np.argmax(rising[1:] == rising[:-1])]), count)
        raise Problem("levels_winding", object=object_name, a=a, b=b)
    at = np.minimum(np.searchsorted(rising, end * count + start), len(order) - 1)
    twin = np.where(rising[at] == end * count + start, order[at], -1)
    return HalfEdges(start, end, following, preceding, twin=twin, size=size)


def check_vertices(mesh: Mesh, object_name: str) -> None:
    """Raise Problem("levels_loose") where the mesh has vertices or edges of no face, or no faces."""
    used = np.zeros(mesh.vertex_count, bool)
    used[mesh.corners] = True
    if len(mesh.loose_edges) or not used.all():
        raise Problem("levels_loose", object=object_name, count=int((~used).sum()) or len(mesh.loose_edges))


def split_quads(corners: NDArray[np.integer], sizes: NDArray[np.integer]) -> Indices:
    """(m, 3): the faces' triangles, as places in `corners`; quads split at the corner of the lowest vertex.

    All diagonals of a grid then run one way, as those of any triangles that were subdivided do.
    """
    first = np.cumsum(sizes) - sizes
    triangles = first[sizes == 3][:, None] + np.arange(3)
    quads = first[sizes == 4][:, None] + np.arange(4)
    lowest = np.argmin(corners[quads], axis=1) if len(quads) else np.empty(0, np.intp)
    turned = np.take_along_axis(quads, (lowest[:, None] + np.arange(4)) % 4, axis=1)
    halves = np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]], 1).reshape(-1, 3)
    # In the order of the faces.
    both = np.concatenate([triangles, halves])
    return both[np.argsort(both.min(1), kind="stable")]


def check_cut(triangles: NDArray[np.integer], object_name: str) -> None:
    """Raise Problem("levels_cut_shared") where quads were cut along a line that other faces have, too.

    triangles (m, 3): of `split_quads`, of faces that `half_edges_of` has found in order.
    """
    try:
        half_edges_of(triangles.ravel(), np.full(len(triangles), 3), object_name)
    except Problem as problem:
        names = {name: problem.names[name] for name in ("object", "a", "b")}
        raise Problem("levels_cut_shared", **names) from problem
