"""What a level's network sees of each triangle, and how what it says becomes the next level's vertices.

x is (3, n) float32, metres, in the order of the levels: one row for each axis. Of m triangles with e edges
a network takes (inputs, m) and gives (9, m): for each axis, a number for the side across from each corner.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...arrays import Floats
from ...subdivision.levels import Level
from .neighbourhood import POINTS, neighbourhood

HALF = np.float32(0.5)
TINY = np.float32(1e-20)
OUTPUTS = 9


class TriangleForm(Protocol):
    """One of the forms below. All arrays given back are reused by the next call.

    inputs: numbers that the network sees. sizes (m,): metres that a network's 1 stands for.
    """

    inputs: int
    sizes: Floats

    def features(self, x: Floats) -> Floats:
        """What the network sees (inputs, m) of a level's vertices (3, n)."""

    def middles(self, outputs: Floats) -> Floats:
        """The next level's new vertices (3, e) from (9, m), for the x of the last `features`."""

    def targets(self, middles: Floats) -> Floats:
        """What the network should say (9, m) for new vertices (3, e), for the x of the last `features`."""


class PaperForm:
    """Displacements from the initial positions, in and out (Oh 2018, equations 4 to 6)."""

    inputs = 9

    def __init__(self, level: Level, rest: Floats) -> None:
        """rest (3, n + e): initial positions of the level's vertices and of the new ones."""
        n, m = level.vertex_count, len(level.triangles)
        self.sizes = np.ones(m, np.float32)
        self._triangles = np.ascontiguousarray(level.triangles.T)
        self._sides = np.ascontiguousarray(level.sides.T)
        self._rest, self._rest_middles = rest[:, :n].copy(), rest[:, n:].copy()
        self._mean = _SideMean(level)
        self._moved = np.empty((3, n), np.float32)
        self._features = np.empty((3, 3, m), np.float32)

    def features(self, x: Floats) -> Floats:
        """Equation 4, axis by axis."""
        np.subtract(x, self._rest, out=self._moved)
        np.take(self._moved, self._triangles, axis=1, out=self._features, mode="clip")
        return self._features.reshape(self.inputs, -1)

    def middles(self, outputs: Floats) -> Floats:
        """Equation 6, and the average of Fig. 5."""
        middles = self._mean(outputs)
        middles += self._rest_middles
        return middles

    def targets(self, middles: Floats) -> Floats:
        """Equation 5."""
        moved: Floats = (middles - self._rest_middles)[:, self._sides]
        return moved.reshape(OUTPUTS, -1)


class LocalForm:
    """Beyond the paper: the twelve vertices around a triangle in its own frame; out comes what linear
    subdivision lacks, in the same frame.

    The frame has its first axis from p to q and its last along the normal; lengths are in units of the
    triangle's size h in rest (the root of twice its area), and what they are in rest is subtracted. So
    the cloth may be moved, turned and scaled as a whole, and its vertices along. What rest has beyond the
    middles of its edges turns along with the triangles: for outputs of 0 this is linear subdivision that
    keeps the details of rest.
    """

    inputs = 3 * POINTS

    def __init__(self, level: Level, rest: Floats) -> None:
        """rest (3, n + e): initial positions of the level's vertices and of the new ones."""
        n, m, e = level.vertex_count, len(level.triangles), len(level.edges)
        self._count = n
        self._around = neighbourhood(level)
        self._edges = np.ascontiguousarray(level.edges.T)
        self._sides = np.ascontiguousarray(level.sides.T)
        self._mean = _SideMean(level)
        self._extended = np.empty((3, n + self._around.ghost_count), np.float32)
        self._points = np.empty((3, POINTS, m), np.float32)
        self._local = np.empty((3, POINTS, m), np.float32)
        self._product = np.empty((POINTS, m), np.float32)
        self._frame = np.empty((3, 3, m), np.float32)  # axis of the frame, axis of the world
        self._away = np.empty((3, 3, m), np.float32)
        self._ends = np.empty((3, e), np.float32)
        corners = rest[:, self._around.points[:3]].astype(np.float64)
        double = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], axis=0), axis=0
        )
        size = np.sqrt(np.maximum(double, 1e-24))
        self.sizes, self._scale = size.astype(np.float32), (1.0 / size).astype(np.float32)
        self._rest_local = np.zeros((3, POINTS, m), np.float32)
        self._rest_away = np.zeros((OUTPUTS, m), np.float32)
        self._rest_local[:] = self.features(rest[:, :n]).reshape(self._local.shape)
        self._rest_away[:] = self.targets(rest[:, n:])

    def features(self, x: Floats) -> Floats:
        """(36, m): for each axis of the frame, the twelve points from the corners' middle, less rest's."""
        extended, points, local = self._extended, self._points, self._local
        extended[:, : self._count] = x
        self._around.add_ghosts(extended, self._count)
        np.take(extended, self._around.points, axis=1, out=points, mode="clip")
        self._set_frame()
        points -= points[:, :3].mean(axis=1, keepdims=True)
        for along, axes in zip(local, self._frame, strict=True):
            np.multiply(points[0], axes[0], out=along)
            for of_axis, direction in zip(points[1:], axes[1:], strict=True):
                along += np.multiply(of_axis, direction, out=self._product)
        local *= self._scale
        local -= self._rest_local
        return local.reshape(self.inputs, -1)

    def middles(self, outputs: Floats) -> Floats:
        """The middles of the edges and what the network adds, averaged over each one's triangles (Fig. 5)."""
        said = (outputs + self._rest_away).reshape(self._away.shape)
        said *= self.sizes
        away, product = self._away, self._product[:3]
        for axis, of_world in enumerate(away):
            np.multiply(said[0], self._frame[0, axis], out=of_world)
            for k in (1, 2):
                of_world += np.multiply(said[k], self._frame[k, axis], out=product)
        middles = self._mean(away)
        middles += self._halfway()
        return middles

    def targets(self, middles: Floats) -> Floats:
        """Offsets of new vertices (3, e) from the sides, in the triangles' frames and sizes, less rest's."""
        away = (middles - self._halfway())[:, self._sides]
        local = np.einsum("fcm,csm->fsm", self._frame, away) * self._scale
        targets: Floats = local.reshape(OUTPUTS, -1) - self._rest_away
        return targets

    def _halfway(self) -> Floats:
        """(3, e): linear subdivision."""
        x, ends = self._extended, self._ends
        np.take(x, self._edges[0], axis=1, out=ends, mode="clip")
        ends += x[:, self._edges[1]]
        ends *= HALF
        return ends

    def _set_frame(self) -> None:
        """Set the frames by Gram-Schmidt of the two sides at p; zero where there is no direction."""
        points, (first, second, normal) = self._points, self._frame
        np.subtract(points[:, 1], points[:, 0], out=first)
        first /= np.maximum(np.sqrt((first * first).sum(0)), TINY)
        np.subtract(points[:, 2], points[:, 0], out=second)
        _cross(first, second, normal)
        normal /= np.maximum(np.sqrt((normal * normal).sum(0)), TINY)
        _cross(normal, first, second)


FORMS: dict[str, type[PaperForm] | type[LocalForm]] = {"paper": PaperForm, "local": LocalForm}


class _SideMean:
    """The mean of what the triangles of each edge say of it (Fig. 5)."""

    def __init__(self, level: Level) -> None:
        corner, triangle = level.slots % 3, level.slots // 3
        self._slots = corner * len(level.triangles) + triangle
        self._first = np.empty((3, len(level.edges)), np.float32)
        self._second = np.empty_like(self._first)

    def __call__(self, said: Floats) -> Floats:
        """(3, e) of anything that holds 3 axes by 3 sides by m triangles; reused by the next call."""
        flat = said.reshape(3, -1)
        np.take(flat, self._slots[0], axis=1, out=self._first, mode="clip")
        np.take(flat, self._slots[1], axis=1, out=self._second, mode="clip")
        self._first += self._second
        self._first *= HALF
        return self._first


def _cross(a: Floats, b: Floats, out: Floats) -> None:
    """a x b of (3, m); NumPy's own takes several times as long."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        np.multiply(a[i], b[j], out=out[k])
        out[k] -= a[j] * b[i]
