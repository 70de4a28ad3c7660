"""The twelve vertices around each triangle: its corners, its neighbours' and those of their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Indices
from ...subdivision.levels import Level

POINTS = 12


@dataclass(frozen=True)
class Neighbourhood:
    """Vertices by triangle, with ghosts where the cloth ends, so that no triangle has fewer.

    points (12, m): the corners p, q, r; the vertices across from them beyond the triangle's sides; and those
    beyond the two other sides of each neighbour. In a regular mesh these are all vertices that share a
    triangle with a corner, and all that the butterfly scheme (Dyn, Levin and Gregory 1990) interpolates the
    three sides from. Numbers from n on are ghosts. ghosts: the two kinds, each (3, g): ghost k is at
    x[first] + x[second] - x[third], which continues flat; those of the second kind depend on the first.
    """

    points: Indices
    ghosts: tuple[Indices, Indices]

    @property
    def ghost_count(self) -> int:
        """The number of missing points of both kinds."""
        return sum(kind.shape[1] for kind in self.ghosts)

    def add_ghosts(self, x: NDArray[np.floating], vertex_count: int) -> None:
        """Fill in the ghosts of x (3, n + g or more), in place."""
        first = vertex_count
        for a, b, c in self.ghosts:
            last = first + len(a)
            ghosts = x[:, first:last]
            np.add(x[:, a], x[:, b], out=ghosts)
            ghosts -= x[:, c]
            first = last


def neighbourhood(level: Level) -> Neighbourhood:
    """The neighbourhood of every triangle of a level with consistent winding."""
    m, n = len(level.triangles), level.vertex_count
    points = np.full((POINTS, m), -1, np.intp)
    points[:3], points[3:6] = level.triangles.T, level.opposite.T
    slots = level.slots[:, level.sides]
    own = np.arange(3 * m).reshape(m, 3)
    other = slots.sum(0) - own
    beyond, corner = other // 3, other % 3
    for k in range(3):
        # The neighbour has the side's ends the other way round: after its own corner, r, then q.
        for which in (1, 2):
            found = level.opposite[beyond[:, k], (corner[:, k] + which) % 3]
            points[5 + 2 * k + which] = np.where(level.opposite[:, k] >= 0, found, -1)
    kinds = []
    for among in (range(3, 6), range(6, 12)):
        at = [(row, t) for row in among for t in np.flatnonzero(points[row] < 0)]
        rows, triangles = np.array(at, np.intp).reshape(-1, 2).T
        a, b, c = _completed(rows)
        kinds.append(np.stack([points[a, triangles], points[b, triangles], points[c, triangles]]))
        points[rows, triangles] = n + sum(kind.shape[1] for kind in kinds[:-1]) + np.arange(len(rows))
    return Neighbourhood(points, (kinds[0], kinds[1]))


def _completed(rows: Indices) -> tuple[Indices, Indices, Indices]:
    """Which rows of `points` a missing one completes to a parallelogram: x[a] + x[b] - x[c]."""
    k = np.where(rows < 6, rows - 3, (rows - 6) // 2)
    q, r, apex = (k + 1) % 3, (k + 2) % 3, k + 3
    beyond_r = (rows - 6) % 2 == 1  # across from q, beyond the side from r to the apex
    near, far = np.where(beyond_r, r, q), np.where(beyond_r, q, r)
    inner = rows < 6
    return np.where(inner, q, near), np.where(inner, r, apex), np.where(inner, k, far)
