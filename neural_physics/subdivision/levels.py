"""Triangles of each level of a cloth, and how one level's become the next one's (Oh 2018, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Indices
from ..energies.shells.triangle_edges import triangle_edges
from ..errors import Problem

# Connectivity and the networks' buffers of one triangle of the finest level, all levels together (measured).
BYTES_PER_TRIANGLE = 400
MOST_MEMORY = 4 << 30
MOST_LEVELS = 8  # beyond level 0
MOST_COARSE = 4096  # vertices of level 0, whose factors are dense


@dataclass(frozen=True)
class Level:
    """One level's triangles. Every index array is intp.

    vertex_count: n. triangles (m, 3): their corners p, q, r. edges (e, 2): each once, the lower vertex
    first; the next level adds vertex n + k in the middle of edge k. sides (m, 3): the edge across from each
    corner. opposite (m, 3): the neighbour's vertex across that edge, -1 where there is none.
    """

    vertex_count: int
    triangles: Indices
    edges: Indices
    sides: Indices
    opposite: Indices

    @cached_property
    def slots(self) -> Indices:
        """(2, e): which two of the 3 m sides, triangle by triangle, an edge is; at a boundary twice one."""
        order = np.argsort(self.sides.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(self.sides.ravel(), minlength=len(self.edges)))
        first = order[np.concatenate([[0], ends[:-1]])]
        return np.stack([first, order[ends - 1]])

    @property
    def next(self) -> Level:
        """The level below this: triangle t becomes 4 t to 4 t + 3 (Fig. 2), the last one in the middle.

        All four have their corners in the order of t's, so that they are similar to it where the new
        vertices are midpoints: one network sees the same of all four.
        """
        p, q, r = self.triangles.T
        a, b, c = self.vertex_count + self.sides.T
        children = np.stack([p, c, b, c, q, a, b, a, r, a, b, c], 1).reshape(-1, 3)
        return level_of(children, self.vertex_count + len(self.edges))

    def midpoints(self, values: NDArray[Any]) -> NDArray[Any]:
        """(e, ...): the mean of both ends of each edge, of values (n, ...) such as positions or weights."""
        return 0.5 * (values[self.edges[:, 0]] + values[self.edges[:, 1]])


def level_of(triangles: NDArray[np.integer], vertex_count: int) -> Level:
    """The level of these triangles (m, 3), of which no edge has more than two."""
    found = triangle_edges(triangles)
    return Level(vertex_count, found.triangles, found.edges, found.sides, opposite=found.opposite)


@dataclass(frozen=True)
class Hierarchy:
    """Levels 0 to N of a cloth. Vertices of level l are the first of level l + 1.

    levels: `levels[0]` is simulated, `levels[-1]` is shown. order (V,): which vertex of the artist's mesh
    each vertex of the last level is.
    """

    levels: tuple[Level, ...]
    order: Indices

    def sorted(self, values: NDArray[Any], axis: int = 0) -> NDArray[Any]:
        """Values of the artist's vertices along `axis`, in the order of the levels."""
        return values.take(self.order, axis)


def subdivided_levels(coarsest: Level, levels: int) -> tuple[Level, ...]:
    """The coarsest level and so many finer ones (Oh 2018, section 3.1)."""
    result = [coarsest]
    for _ in range(levels):
        result.append(result[-1].next)
    return tuple(result)


def ordered_corners(triangles: NDArray[np.integer], rest_positions: NDArray[np.floating]) -> Indices:
    """Triangles (m, 3) turned so that the longest side in rest is across from the first corner.

    Both halves of a grid's squares, congruent by half a turn, then have their corners in the same places.
    Of sides that are as long but for rounding, the first counts.
    """
    x = rest_positions[triangles].astype(np.float64)
    lengths = np.linalg.norm(np.roll(x, -1, 1) - np.roll(x, -2, 1), axis=2)
    first = np.argmax(lengths > (1.0 - 1e-5) * lengths.max(axis=1, keepdims=True), axis=1)
    at = (first[:, None] + np.arange(3)) % 3
    return np.take_along_axis(np.asarray(triangles, np.intp), at, axis=1)


def check_memory(object_name: str, triangles: int, memory: int = MOST_MEMORY) -> None:
    """Raise Problem("levels_too_fine") where so many triangles of the finest level would not fit.

    memory: bytes.
    """
    needed = triangles * BYTES_PER_TRIANGLE
    if needed > memory:
        raise Problem(
            "levels_too_fine",
            object=object_name,
            needed=f"{needed / (1 << 30):.3g} GiB",
            allowed=f"{memory / (1 << 30):.3g} GiB",
        )
