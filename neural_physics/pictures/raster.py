"""Triangles painted into pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles

FINER = 3  # times as many pixels each way are painted, and then averaged, for smooth edges
MOST_PIXELS = 4_000_000  # that are looked at together
# Times that all of a picture is looked at. A folded surface takes some eight; triangles that lie across each
# other without end are painted in part.
MOST_LAYERS = 60

Pixels = NDArray[np.uint8]


def painted(corners: Doubles, colours: Doubles, width: int, height: int) -> Pixels:
    """(height, width, 4) RGBA of triangles (n, 3, 3), the nearest in front, on a transparent ground.

    corners: pixels from the upper left, to the right and down, and how near. colours (n, 3): 0 to 1.
    """
    fine = corners * [FINER, FINER, 1.0]
    columns, rows = width * FINER, height * FINER
    nearest = np.full(rows * columns, -np.inf)
    shown = np.zeros((rows * columns, 4))
    low = np.floor(fine[:, :, :2].min(1)).astype(int)
    spans = np.ceil(fine[:, :, :2].max(1)).astype(int) - low
    sizes = _rounded_up(spans)
    every = 1 + int(sizes.prod(1).sum() // (MOST_LAYERS * rows * columns))
    fine, colours, low, sizes = fine[::every], colours[::every], low[::every], sizes[::every]
    for size in np.unique(sizes, axis=0):
        some = np.flatnonzero((sizes == size).all(1))
        for part in np.array_split(some, max(1, len(some) * int(size.prod()) // MOST_PIXELS)):
            triangle, pixel, near = _covered(fine[part], low[part], size, columns, rows=rows)
            order = np.argsort(near, kind="stable")  # of a pixel's values the last assigned one stays
            order = order[near[order] > nearest[pixel[order]]]
            pixel = pixel[order]
            nearest[pixel] = near[order]
            shown[pixel, :3] = colours[part[triangle[order]]]
            shown[pixel, 3] = 1.0
    blocks = shown.reshape(height, FINER, width, FINER, 4).mean((1, 3))
    blocks[..., :3] /= np.maximum(blocks[..., 3:], 1e-9)
    return np.round(255.0 * np.clip(blocks, 0.0, 1.0)).astype(np.uint8)


def _rounded_up(spans: NDArray[np.int_]) -> NDArray[np.int_]:
    """Pixels across and down, to few different numbers: 1, 2, 3, 4, 6, 8, 12, 16 and so on."""
    above = 1 << np.ceil(np.log2(np.maximum(spans, 1))).astype(int)
    return np.where((above > 2) & (spans <= 3 * above // 4), 3 * above // 4, above)


def _covered(
    corners: Doubles, low: NDArray[np.int_], size: NDArray[np.int_], columns: int, *, rows: int
) -> tuple[NDArray[np.int_], NDArray[np.int_], Doubles]:
    """Where the triangles (n, 3, 3), each in `size` pixels (2,) from low (n, 2), cover a pixel's middle:
    each time the triangle's number, the pixel's, and how near it is there."""
    a, b, c = corners[:, 0, None, None], corners[:, 1, None, None], corners[:, 2, None, None]
    x = low[:, 0, None, None] + np.arange(size[0])[None, None, :]
    y = low[:, 1, None, None] + np.arange(size[1])[None, :, None]
    middle = x + 0.5, y + 0.5
    area = _side(a, b, c[..., 0], c[..., 1])
    way = np.where(np.abs(area) > 1e-12, np.sign(area), np.nan)  # what has no area covers nothing
    ab, bc, ca = (_side(*edge, *middle, way=way) for edge in ((a, b), (b, c), (c, a)))
    inside: NDArray[np.bool_] = (ab >= 0) & (bc >= 0) & (ca >= 0)
    inside &= (x >= 0) & (x < columns)
    inside &= (y >= 0) & (y < rows)
    triangle, row, column = np.nonzero(inside)
    at = (triangle, row, column)
    near = (
        bc[at] * a[triangle, 0, 0, 2] + ca[at] * b[triangle, 0, 0, 2] + ab[at] * c[triangle, 0, 0, 2]
    ) / np.abs(area[triangle, 0, 0])
    return triangle, (low[triangle, 1] + row) * columns + low[triangle, 0] + column, near


def _side(start: Doubles, end: Doubles, x: Doubles, y: Doubles, *, way: Doubles | float = 1.0) -> Doubles:
    """Twice the area of the triangle of an edge and a place, times `way`; its sign is the place's side."""
    dx, dy = way * (end[..., 0] - start[..., 0]), way * (end[..., 1] - start[..., 1])
    return np.asarray(dx * (y - start[..., 1]) - dy * (x - start[..., 0]))
