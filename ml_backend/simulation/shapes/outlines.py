"""The closed lines in which a mesh crosses a plane, or that go around it in its own plane."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from neural_physics.arrays import Doubles, Indices

Key = TypeVar("Key", int, tuple[int, int])


def cut_loops(points: Doubles, heights: Doubles, triangles: Indices) -> list[Doubles]:
    """Lines (E, 2) around what of a closed mesh is in a plane, counter-clockwise around what is solid.

    points (V, 2): the mesh's vertices along the plane, heights (V,) m: how far they are off it; triangles
    (m, 3), turned outwards. What is in the plane itself counts as above it.
    """
    above = heights >= 0.0
    following: dict[tuple[int, int], tuple[int, int]] = {}
    for corners in triangles[above[triangles].any(1) & ~above[triangles].all(1)].tolist():
        pairs = list(zip(corners, corners[1:] + corners[:1], strict=True))
        down = next((a, b) for a, b in pairs if above[a] and not above[b])
        up = next((b, a) for a, b in pairs if above[b] and not above[a])
        following[down] = up

    def place(edge: tuple[int, int]) -> Doubles:
        a, b = edge
        share = heights[a] / (heights[a] - heights[b])
        found: Doubles = points[a] + share * (points[b] - points[a])
        return found

    return [np.array([place(edge) for edge in loop]) for loop in _closed(following)]


def rim_loops(points: Doubles, triangles: Indices) -> list[Doubles]:
    """Lines (E, 2) around the triangles (m, 3) of a flat mesh at points (V, 2) of its plane."""
    corners = points[triangles]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0.0
    turned = np.where(clockwise[:, None], triangles[:, ::-1], triangles)
    directed = {(p, q) for one in turned.tolist() for p, q in zip(one, one[1:] + one[:1], strict=True)}
    following = {p: q for p, q in directed if (q, p) not in directed}
    return [points[loop] for loop in _closed(following)]


def straightened(corners: Doubles, tolerance: float) -> Doubles:
    """A closed line (E, 2) without the corners at which it does not turn, by more than a tolerance, m."""
    kept = list(range(len(corners)))
    at = 0
    while at < len(kept) and len(kept) > 3:
        before, here, after = (corners[kept[k % len(kept)]] for k in (at - 1, at, at + 1))
        along = after - before
        length = float(np.linalg.norm(along))
        off = here - before
        aside = abs(along[0] * off[1] - along[1] * off[0]) / length if length > tolerance else 0.0
        between = float(off @ along) >= 0.0 and float((after - here) @ along) >= 0.0
        if (aside <= tolerance and between) or float(np.linalg.norm(off)) <= tolerance:
            del kept[at]
        else:
            at += 1
    return corners[kept]


def _closed(following: dict[Key, Key]) -> list[list[Key]]:
    """The rings of what follows what."""
    left, loops = dict(following), []
    while left:
        here = min(left)
        loop = []
        while here in left:
            loop.append(here)
            here = left.pop(here)
        loops.append(loop)
    return loops
