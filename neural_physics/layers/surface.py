"""The surface of a garment, or of a body, as it is at a frame: where it is nearest, and which way is out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Floats, Indices, StoredIndices
from ..energies.colliders.simplices import nearest_on_triangles
from ..models.normals import normals_from_faces, triangulate
from ..pairs import check_count, in_pieces
from .vertex_tree import VertexTree


class Near(NamedTuple):
    """What is near a surface.

    at (k,): which of the points. heights (k,): m, how far each is from the tangent plane at its nearest
    place, negative behind the surface. normals (k, 3): of that plane, unit. beside (k,): m, how far it is
    from the normal through that place: beyond a rim that is much, elsewhere little.
    """

    at: Indices
    heights: Floats
    normals: Floats
    beside: Floats


class Surface:
    """A mesh that keeps its faces and moves. edge_length: the median of its edges, m.

    Nearest is looked for among the triangles around the nearest vertex: those are the nearest ones where
    neighbouring triangles are of about one size, as a garment's are.
    """

    def __init__(self, rest_positions: Floats, corners: StoredIndices, face_sizes: StoredIndices) -> None:
        """rest_positions (V, 3); corners, face_sizes: as in `rest_mesh.Mesh`, one face at least."""
        self.vertex_count = len(rest_positions)
        self._corners, self._face_sizes = corners, face_sizes
        self._triangles = triangulate(corners, face_sizes).astype(np.intp)
        self._tree = VertexTree(rest_positions)
        # The triangles around each vertex, one vertex after the other.
        order = np.argsort(self._triangles.ravel(), kind="stable")
        self._around = order // 3
        self._counts = np.bincount(self._triangles.ravel(), minlength=self.vertex_count)
        self._firsts = np.cumsum(self._counts) - self._counts
        self._positions, self._normals = np.zeros_like(rest_positions), np.zeros_like(rest_positions)
        self.edge_length = 0.0

    @property
    def closed(self) -> bool:
        """Whether it has no rim: then its own faces say which way is out."""
        ends = np.sort(np.concatenate([self._triangles[:, [k, (k + 1) % 3]] for k in range(3)]), 1)
        _, faces = np.unique(ends, axis=0, return_counts=True)
        return bool((faces == 2).all())

    def place(self, positions: Floats, turned: bool = False) -> None:
        """Put the vertices at positions (V, 3) float32, finite. turned: out is where its faces look in."""
        self._positions = positions
        self._tree.place(positions)
        self._normals = normals_from_faces(positions, self._corners, self._face_sizes)
        if turned:
            self._normals = -self._normals
        a, b, c = (positions[self._triangles[:, corner]] for corner in range(3))
        self.edge_length = float(np.median(np.linalg.norm(np.concatenate([b - a, c - b]), axis=1)))

    def near(self, points: Floats, reach: float, height: float = np.inf) -> Near:
        """What of points (n, 3) float32 is no further away than reach (m), and lower than height (m).

        Raises TooManyPairs where too many vertices or triangles are as near as each other.
        """
        # A place in a triangle may be much nearer than its corners.
        at, vertices, _ = self._tree.nearest(points, reach + self.edge_length)
        has_faces = self._counts[vertices] > 0
        at, vertices = at[has_faces], vertices[has_faces]
        # Cheaply first: what is well above the plane at the nearest vertex is above the surface.
        above = np.einsum("kd,kd->k", points[at] - self._positions[vertices], self._normals[vertices])
        low = above < height + 0.5 * self.edge_length
        at, vertices = at[low], vertices[low]
        places, triangles = self._nearest_places(points[at].astype(np.float64), vertices)
        normals = self._normals_at(places, triangles)
        offsets = points[at] - places
        heights = np.einsum("kd,kd->k", offsets, normals)
        beside = offsets - heights[:, None] * normals
        squares = np.einsum("kd,kd->k", beside, beside)
        kept = np.flatnonzero((heights < height) & (heights**2 + squares <= reach * reach))
        return Near(
            at[kept],
            heights[kept].astype(np.float32),
            normals[kept].astype(np.float32),
            np.sqrt(squares[kept]).astype(np.float32),
        )

    def _nearest_places(self, points: Doubles, vertices: Indices) -> tuple[Doubles, Indices]:
        """The nearest places (k, 3) to points (k, 3) on triangles around these vertices, and on which.

        Raises TooManyPairs.
        """
        if not len(points):
            return points, vertices
        counts = self._counts[vertices]
        check_count(int(counts.sum()), len(points))
        found = [self._nearest_in(points[some], vertices[some]) for some in in_pieces(counts)]
        places, triangles = zip(*found, strict=True)
        return np.concatenate(places), np.concatenate(triangles)

    def _nearest_in(self, points: Doubles, vertices: Indices) -> tuple[Doubles, Indices]:
        """All of it at once; points (k, 3), one at least."""
        counts = self._counts[vertices]
        starts = np.cumsum(counts) - counts
        at = np.repeat(np.arange(len(points)), counts)
        triangles = self._around[np.arange(len(at)) + np.repeat(self._firsts[vertices] - starts, counts)]
        corners = self._positions[self._triangles[triangles]].astype(np.float64)
        places, _ = nearest_on_triangles(points[at], corners)
        offsets = points[at] - places
        squares = np.einsum("md,md->m", offsets, offsets)
        best = np.lexsort((squares, at))[starts]
        return places[best], triangles[best]

    def _normals_at(self, places: Doubles, triangles: Indices) -> Doubles:
        """Unit normals (k, 3) between those of the vertices: they turn without jumps from face to face."""
        corners = self._triangles[triangles]
        a, b, c = (self._positions[corners[:, corner]].astype(np.float64) for corner in range(3))
        whole = np.cross(b - a, c - a)
        squares = np.maximum(np.einsum("kd,kd->k", whole, whole), 1e-300)
        to_b = np.einsum("kd,kd->k", np.cross(places - a, c - a), whole) / squares
        to_c = np.einsum("kd,kd->k", np.cross(b - a, places - a), whole) / squares
        weights = np.clip(np.stack([1.0 - to_b - to_c, to_b, to_c], 1), 0.0, 1.0)
        normals = np.einsum("kc,kcd->kd", weights, self._normals[corners].astype(np.float64))
        lengths = np.sqrt(np.einsum("kd,kd->k", normals, normals))
        unit: Doubles = normals / np.maximum(lengths, 1e-20)[:, None]
        return unit
