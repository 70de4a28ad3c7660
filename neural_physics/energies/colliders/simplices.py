"""Nearest points on segments and triangles, one of them to each point."""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles, Indices

# Which part of a triangle is nearest: a corner (0, 1, 2), the edge from a corner to the next (3, 4, 5), or:
FACE = 6


def nearest_on_segments(points: Doubles, start: Doubles, end: Doubles) -> tuple[Doubles, Indices]:
    """Nearest points (m, d) of segments, and where: 0 at the start, 1 at the end, 2 between.

    points, start and end (m, d). A segment without length is its start.
    """
    along = end - start
    squares = np.einsum("md,md->m", along, along)
    shares = np.einsum("md,md->m", points - start, along)
    shares = np.divide(shares, squares, out=np.zeros_like(shares), where=squares > 0.0)
    between = (shares > 0.0) & (shares < 1.0)
    where = np.where(between, 2, shares >= 1.0)
    shares = np.clip(shares, 0.0, 1.0)
    return start + shares[:, None] * along, where


def nearest_on_triangles(points: Doubles, corners: Doubles) -> tuple[Doubles, Indices]:
    """Nearest points (m, 3) of triangles, and the part they lie on: see `FACE`.

    points (m, 3), corners (m, 3, 3). Triangles without area are their edges.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    normals = np.cross(ab, ac)
    squares = np.einsum("md,md->m", normals, normals)
    # Barycentric coordinates of the foot point, times the squared normal.
    to_c = np.einsum("md,md->m", np.cross(ab, ap), normals)
    to_b = np.einsum("md,md->m", np.cross(ap, ac), normals)
    over = (to_b > 0.0) & (to_c > 0.0) & (to_b + to_c < squares)
    heights = np.einsum("md,md->m", ap, normals)
    heights = np.divide(heights, squares, out=np.zeros_like(heights), where=over)
    nearest = points - heights[:, None] * normals
    parts = np.full(len(points), FACE, np.intp)
    beside = np.flatnonzero(~over)
    best = np.full(len(beside), np.inf)
    for edge in range(3):
        following = (edge + 1) % 3
        on_edge, where = nearest_on_segments(
            points[beside], corners[beside, edge], corners[beside, following]
        )
        squares = ((points[beside] - on_edge) ** 2).sum(1)
        nearer = squares < best
        best[nearer] = squares[nearer]
        nearest[beside[nearer]] = on_edge[nearer]
        parts[beside[nearer]] = np.array([edge, following, 3 + edge])[where[nearer]]
    return nearest, parts
