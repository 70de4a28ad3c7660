"""A solid in two dimensions, bounded by a closed polygon."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...arrays import Doubles, Indices
from .collider import FacetedCollider, Pieces, radial
from .simplices import nearest_on_segments

# So many pairs of a point and an edge at once keep the working set in a few megabytes.
PAIRS = 1 << 18
MARKS = 8


class Polygon(FacetedCollider):
    """A simple closed polygon, counter-clockwise; clockwise it is a container, solid outside.

    Every edge is looked at for every point: outlines have few. NumPy only.
    """

    dimension = 2

    def __init__(self, corners: Doubles) -> None:
        """corners (E, 2) in m, each joined to the next and the last to the first.

        ValueError for fewer than three corners, for two equal neighbours and for edges that cross.
        """
        self.corners = np.asarray(corners, np.float64)
        self._ends = np.roll(self.corners, -1, 0)
        along = self._ends - self.corners
        lengths = np.linalg.norm(along, axis=1, keepdims=True)
        if len(self.corners) < 3 or (lengths == 0.0).any() or _crosses_itself(self.corners, self._ends):
            raise ValueError("A collider's polygon has three corners or more, and edges that do not cross.")
        self._along = along / lengths
        edge_normals = np.stack([self._along[:, 1], -self._along[:, 0]], 1)
        self._container = float(self.corners[:, 0] @ (self._ends - np.roll(self.corners, 1, 0))[:, 1]) < 0.0
        # Of corners, then of edges. For finding the side only, so that their lengths do not matter.
        self.feature_normals = np.concatenate([edge_normals + np.roll(edge_normals, 1, 0), edge_normals])

    @cached_property
    def marks(self) -> Doubles:
        """(8, 2) m: places evenly along the outline, from its first corner on, that describe how it lies."""
        ends = np.concatenate([self.corners, self.corners[:1]])
        along = np.concatenate([[0.0], np.linalg.norm(np.diff(ends, axis=0), axis=1).cumsum()])
        at = np.arange(MARKS) / MARKS * along[-1]
        return np.column_stack([np.interp(at, along, each) for each in ends.T])

    def pieces(self, points: Doubles, within: float) -> Pieces:
        """See `Collider`: edges count 1, corners -1."""
        count = len(self.corners)
        at, edges = (pairs.ravel() for pairs in np.indices((len(points), count)))
        nearest, where = nearest_on_segments(points[at], self.corners[edges], self._ends[edges])
        features = np.choose(where, [edges, (edges + 1) % count, edges + count])
        offsets = points[np.tile(at, 2)] - np.concatenate([nearest, self.corners[edges]])
        distances = np.linalg.norm(offsets, axis=1)
        near = np.flatnonzero(distances < within)
        distances, features = distances[near], np.concatenate([features, edges])[near]
        gradients = radial(offsets[near], distances)[0]
        hessians = self._curvatures(distances, gradients, features)
        return Pieces(
            np.tile(at, 2)[near], np.where(near < len(at), 1.0, -1.0), distances, gradients, hessians=hessians
        )

    def may_reach(self, points: Doubles, within: float) -> Indices:
        """See `Collider`: those in a box around it."""
        if self._container:
            return np.arange(len(points))
        low, high = self.corners.min(0) - within, self.corners.max(0) + within
        return np.flatnonzero(((points > low) & (points < high)).all(1))

    def _nearest(self, points: Doubles) -> tuple[Doubles, Doubles, Indices]:
        """Signed distances (n,), gradients (n, 2), and nearest features (n,): corners, then edges."""
        points = np.asarray(points, np.float64)
        count = len(self.corners)
        batch = max(1, PAIRS // count)
        offsets, features = np.empty_like(points), np.empty(len(points), np.intp)
        for begin in range(0, len(points), batch):
            here = points[begin : begin + batch]
            at, edges = (pairs.ravel() for pairs in np.indices((len(here), count)))
            nearest, where = nearest_on_segments(here[at], self.corners[edges], self._ends[edges])
            apart = (here[at] - nearest).reshape(len(here), count, 2)
            best = np.argmin((apart**2).sum(2), axis=1)
            rows = np.arange(len(here))
            offsets[begin : begin + batch] = apart[rows, best]
            where = where.reshape(len(here), count)[rows, best]
            features[begin : begin + batch] = np.choose(where, [best, (best + 1) % count, best + count])
        normals = self.feature_normals[features]
        signs = np.where(np.einsum("nd,nd->n", offsets, normals) < 0.0, -1.0, 1.0)
        lengths = np.linalg.norm(offsets, axis=1)
        gradients = signs[:, None] * radial(offsets, lengths)[0]
        touching = lengths == 0.0
        gradients[touching] = normals[touching] / np.linalg.norm(normals[touching], axis=1, keepdims=True)
        return signs * lengths, gradients, features

    def _curvatures(self, distances: Doubles, gradients: Doubles, features: Indices) -> Doubles:
        """Hessians (n, 2, 2) of the distances to corners; those to edges have none."""
        curved = (features < len(self.corners)) & (distances != 0.0)
        scales = np.divide(1.0, distances, out=np.zeros_like(distances), where=curved)
        return (np.eye(2) - gradients[:, :, None] * gradients[:, None, :]) * scales[:, None, None]


def _crosses_itself(start: Doubles, end: Doubles) -> bool:
    """Whether two edges that are no neighbours cross or touch."""
    count = len(start)
    first, second = np.triu_indices(count, 2)
    apart = (first + count - second) % count != 1
    first, second = first[apart], second[apart]
    sides = [
        _side(start[first], end[first], start[second]) * _side(start[first], end[first], end[second]),
        _side(start[second], end[second], start[first]) * _side(start[second], end[second], end[first]),
    ]
    overlap = (np.maximum(start[first], end[first]) >= np.minimum(start[second], end[second])).all(1) & (
        np.maximum(start[second], end[second]) >= np.minimum(start[first], end[first])
    ).all(1)
    return bool(((sides[0] <= 0.0) & (sides[1] <= 0.0) & overlap).any())


def _side(a: Doubles, b: Doubles, p: Doubles) -> Doubles:
    """The side (-1, 0, 1) of the lines through a and b on which points lie."""
    ab, ap = b - a, p - a
    return np.sign(ab[:, 0] * ap[:, 1] - ab[:, 1] * ap[:, 0])
