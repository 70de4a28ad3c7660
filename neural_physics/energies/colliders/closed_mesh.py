"""A solid bounded by triangles, with the exact distance to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Indices
from .collider import FacetedCollider, Pieces, radial
from .simplices import FACE, nearest_on_segments, nearest_on_triangles
from .triangle_tree import TriangleTree


class ClosedMesh(FacetedCollider):
    """A closed mesh of triangles, counter-clockwise seen from where bodies may be.

    Wound the other way round it is a container: all outside of it is solid. Distances are exact and keep
    sharp edges; inside and outside are distinguished by angle-weighted pseudo-normals (Baerentzen & Aanaes
    2005, "Signed distance computation using the angle weighted pseudonormal", theorem 1), which holds for
    surfaces that do not pass through themselves. NumPy only.
    """

    dimension = 3

    def __init__(self, positions: Doubles, triangles: NDArray[np.integer]) -> None:
        """positions (V, 3) in m; triangles (T, 3), corners of each.

        ValueError where an edge has not exactly two triangles, or two that are wound differently.
        """
        self.positions = np.asarray(positions, np.float64)
        self.triangles = np.asarray(triangles, np.intp)
        self._edges, self._triangle_edges = _edges_of_closed(self.triangles, len(self.positions))
        self._corners = self.positions[self.triangles]
        self._tree = TriangleTree(self._corners)
        self._pseudo_normals = self._make_pseudo_normals()
        # The weights of `Pieces`: with these each corner, edge and triangle is counted once in all.
        count = len(self.positions)
        self._vertex_weights = (
            1.0
            - np.bincount(self.triangles.ravel(), minlength=count)
            + np.bincount(self._edges.ravel(), minlength=count)
        )

    def pieces(self, points: Doubles, within: float) -> Pieces:
        """See `Collider`: triangles count 1, edges -1, vertices as their number of edges leaves it (1)."""
        at, triangles = self._tree.perhaps_within(points, within)
        nearest, parts = nearest_on_triangles(points[at], self._corners[triangles])
        near = np.linalg.norm(points[at] - nearest, axis=1) < within
        at, triangles, nearest, parts = at[near], triangles[near], nearest[near], parts[near]
        # All edges and vertices in reach belong to triangles in reach.
        edge_at, edges = _unique_pairs(at, self._triangle_edges[triangles], len(self._edges))
        start, end = self._edges[edges].T
        on_edge, where = nearest_on_segments(points[edge_at], self.positions[start], self.positions[end])
        vertex_at, vertices = _unique_pairs(at, self.triangles[triangles], len(self.positions))
        place = self._feature_offsets
        edge_features = np.choose(where, [start + place[0], end + place[0], edges + place[1]])
        points_of = np.concatenate([at, edge_at, vertex_at])
        weights = np.concatenate([np.ones(len(at)), -np.ones(len(edges)), self._vertex_weights[vertices]])
        offsets = points[points_of] - np.concatenate([nearest, on_edge, self.positions[vertices]])
        features = np.concatenate([self._features(triangles, parts), edge_features, vertices + place[0]])
        distances = np.linalg.norm(offsets, axis=1)
        kept = (distances < within) & (weights != 0.0)
        distances, features = distances[kept], features[kept]
        gradients = radial(offsets[kept], distances)[0]
        hessians = self._curvatures(distances, gradients, features)
        return Pieces(points_of[kept], weights[kept], distances, gradients, hessians=hessians)

    @property
    def _feature_offsets(self) -> tuple[int, int, int]:
        """Where vertices, edges and triangles begin among all features."""
        return 0, len(self.positions), len(self.positions) + len(self._edges)

    def _features(self, triangles: Indices, parts: Indices) -> Indices:
        """(m,), which feature of the mesh a part of a triangle is."""
        place = self._feature_offsets
        corner = self.triangles[triangles, parts % 3] + place[0]
        edge = self._triangle_edges[triangles, parts % 3] + place[1]
        return np.where(parts == FACE, triangles + place[2], np.where(parts < 3, corner, edge))

    def _nearest(self, points: Doubles) -> tuple[Doubles, Doubles, Indices]:
        """Signed distances (n,), gradients (n, 3), and the nearest features (n,)."""
        points = np.asarray(points, np.float64)
        offsets, features = np.zeros_like(points), np.zeros(len(points), np.intp)
        for at, triangles in self._tree.perhaps_nearest(points):
            nearest, parts = nearest_on_triangles(points[at], self._corners[triangles])
            squares = ((points[at] - nearest) ** 2).sum(1)
            best = np.lexsort((squares, at))[np.flatnonzero(np.diff(at, prepend=-1))]
            some = at[best]
            offsets[some] = points[some] - nearest[best]
            features[some] = self._features(triangles[best], parts[best])
        normals = self._pseudo_normals[features]
        signs = np.where(np.einsum("nd,nd->n", offsets, normals) < 0.0, -1.0, 1.0)
        lengths = np.sqrt((offsets**2).sum(1))
        gradients = signs[:, None] * radial(offsets, lengths)[0]
        touching = lengths == 0.0
        gradients[touching] = normals[touching]
        return signs * lengths, gradients, features

    def _curvatures(self, distances: Doubles, gradients: Doubles, features: Indices) -> Doubles:
        """Hessians (n, 3, 3) of the distances to planes, lines and points."""
        _, edge, face = self._feature_offsets
        hessians = np.eye(3) - gradients[:, :, None] * gradients[:, None, :]
        on_edge = np.flatnonzero((features >= edge) & (features < face))
        start, end = self._edges[features[on_edge] - edge].T
        along = self.positions[end] - self.positions[start]
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        hessians[on_edge] -= along[:, :, None] * along[:, None, :]
        curved = (features < face) & (distances != 0.0)
        return hessians * np.divide(1.0, distances, out=np.zeros_like(distances), where=curved)[:, None, None]

    def _make_pseudo_normals(self) -> Doubles:
        """Unit normals of all features: vertices, then edges, then triangles."""
        normals = np.cross(
            self._corners[:, 1] - self._corners[:, 0], self._corners[:, 2] - self._corners[:, 0]
        )
        _make_unit(normals)
        at_edges = np.zeros((len(self._edges), 3))
        at_vertices = np.zeros((len(self.positions), 3))
        for corner in range(3):
            onward = self._corners[:, (corner + 1) % 3] - self._corners[:, corner]
            back = self._corners[:, (corner + 2) % 3] - self._corners[:, corner]
            bends = np.linalg.norm(np.cross(onward, back), axis=1)
            angles = np.arctan2(bends, np.einsum("td,td->t", onward, back))
            np.add.at(at_vertices, self.triangles[:, corner], angles[:, None] * normals)
            np.add.at(at_edges, self._triangle_edges[:, corner], normals)
        _make_unit(at_edges)
        _make_unit(at_vertices)
        return np.concatenate([at_vertices, at_edges, normals])


def _make_unit(vectors: Doubles) -> None:
    """Normalise in place; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0.0)


def _unique_pairs(at: Indices, members: Indices, count: int) -> tuple[Indices, Indices]:
    """Pairs of `at` (k,) with each of its members (k, 3), all below count, every pair once."""
    keys = np.unique(at[:, None] * count + members)
    return keys // count, keys % count


def _edges_of_closed(triangles: Indices, vertices: int) -> tuple[Indices, Indices]:
    """Edges (E, 2) and which of them triangles (T, 3) have, from each corner to the next."""
    directed = np.stack([triangles, np.roll(triangles, -1, 1)], 2).reshape(-1, 2)
    low, high = directed.min(1), directed.max(1)
    keys, edges, counts = np.unique(low * vertices + high, return_inverse=True, return_counts=True)
    if not len(triangles) or (counts == 1).any():
        raise ValueError("The mesh is open: a collider needs a closed mesh.")
    if (counts > 2).any():
        raise ValueError("More than two faces meet at one edge: a collider's mesh has two at each.")
    forward = np.bincount(edges, directed[:, 0] == low, minlength=len(keys))
    if (forward != 1).any():
        raise ValueError("The mesh's faces have inconsistent normals: recalculate them.")
    return np.stack([keys // vertices, keys % vertices], 1), edges.reshape(-1, 3)
