"""Which triangles may be nearest to a point: a binary tree of boxes, walked for all points at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Doubles, Indices

LEAF_SIZE = 2
# So many points at once keep the pairs of points and boxes in a few megabytes.
BATCH = 4096
MOST_AT_ONCE = 1 << 18


class TriangleTree:
    """A complete binary tree over triangles in Morton order.

    Unlike a grid of cells it has no resolution to choose, serves points at any distance and triangles of
    very different sizes alike, and its answers are exact.
    """

    def __init__(self, corners: Doubles) -> None:
        """corners (T, 3, 3)."""
        order = np.argsort(_morton_codes(corners.mean(1)), kind="stable")
        depth = max(0, int(np.ceil(np.log2(len(order) / LEAF_SIZE))))
        slots = LEAF_SIZE << depth
        # Empty slots get boxes that are infinitely far from everything.
        self._slots = np.full(slots, -1, np.intp)
        self._slots[: len(order)] = order
        low, high = np.full((slots, 3), np.inf), np.full((slots, 3), -np.inf)
        low[: len(order)], high[: len(order)] = corners[order].min(1), corners[order].max(1)
        on_surface = np.full((slots, 3), np.inf)
        on_surface[: len(order)] = corners[order, 0]
        low, high = low.reshape(-1, LEAF_SIZE, 3).min(1), high.reshape(-1, LEAF_SIZE, 3).max(1)
        on_surface = on_surface[::LEAF_SIZE]
        self._levels = [(low, high, on_surface)]
        for _ in range(depth):
            low, high = low.reshape(-1, 2, 3).min(1), high.reshape(-1, 2, 3).max(1)
            on_surface = on_surface[::2]
            self._levels.insert(0, (low, high, on_surface))

    def perhaps_nearest(self, points: Doubles) -> Iterator[tuple[Indices, Indices]]:
        """Pairs of a point and a triangle, sorted by point: among a point's is its nearest triangle.

        points (n, 3), finite. Indices (k,) of points and (k,) of triangles, in portions of whole points: in
        the middle of a ball each triangle may be the nearest one.
        """
        return self._walk(points, None)

    def perhaps_within(self, points: Doubles, reach: float) -> tuple[Indices, Indices]:
        """Pairs of a point and a triangle that hold all those nearer than reach (m), sorted by point."""
        walks = list(self._walk(points, reach))
        return np.concatenate([walk[0] for walk in walks]), np.concatenate([walk[1] for walk in walks])

    def _walk(self, points: Doubles, reach: float | None) -> Iterator[tuple[Indices, Indices]]:
        left = [(start, start + BATCH) for start in range(0, max(len(points), 1), BATCH)][::-1]
        while left:
            start, end = left.pop()
            found = self._walk_batch(points[start:end], start, reach)
            if found is not None:
                yield found
            else:
                middle = (start + min(end, len(points))) // 2
                left += [(middle, end), (start, middle)]

    def _walk_batch(
        self, points: Doubles, offset: int, reach: float | None
    ) -> tuple[Indices, Indices] | None:
        """None where they would be too many pairs at once, of more than one point."""
        at = np.arange(len(points))
        nodes = np.zeros(len(points), np.intp)
        limits = np.full(len(points), np.inf if reach is None else reach * reach)
        for level, (low, high, on_surface) in enumerate(self._levels):
            if level:
                at = np.repeat(at, 2)
                nodes = np.repeat(2 * nodes, 2)
                nodes[1::2] += 1
            here = points[at]
            if reach is None and len(at):
                # Each box has a point of the surface in it, so the nearest triangle is no further than that.
                bounds = ((here - on_surface[nodes]) ** 2).sum(1)
                starts = np.flatnonzero(np.diff(at, prepend=-1))
                limits[at[starts]] = np.minimum(limits[at[starts]], np.minimum.reduceat(bounds, starts))
            gaps = np.maximum(np.maximum(low[nodes] - here, here - high[nodes]), 0.0)
            # A hair more, so that rounding never drops the nearest.
            near = np.einsum("kd,kd->k", gaps, gaps) <= limits[at] * (1.0 + 1e-12)
            at, nodes = at[near], nodes[near]
            if len(at) > MOST_AT_ONCE and len(points) > 1:
                return None
        at = np.repeat(at, LEAF_SIZE)
        triangles = self._slots[(nodes[:, None] * LEAF_SIZE + np.arange(LEAF_SIZE)).ravel()]
        filled = triangles >= 0
        return at[filled] + offset, triangles[filled]


def _morton_codes(points: Doubles) -> Indices:
    """Places (n,) along a space-filling curve, so that neighbours in the order are neighbours in space."""
    low = points.min(0)
    size = max(float((points.max(0) - low).max()), 1e-300)
    cells = ((points - low) / size * 1023.0).astype(np.int64)
    codes = np.zeros(len(points), np.int64)
    for bit in range(10):
        for axis in range(3):
            codes |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return codes
