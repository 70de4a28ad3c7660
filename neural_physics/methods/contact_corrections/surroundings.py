"""What acts on a body: where y has its frames, the colliders around it, and handles that are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Indices
from ...energies.colliders.collider import Collider
from ...energies.colliders.sphere import Sphere
from .contact import Placed
from .handles import nearest_rotation

LEAST_SCALE = 1e-3  # a ball that is scaled to nothing is a point
SAME_SIZE = 1e-3  # of a radius: by less no ball is of another size than those that were learned from


@dataclass(frozen=True)
class Surroundings:
    """What acts in a step, at its end: frames (k (d + 1), d): the frames' rows of Q, m; placed: all
    colliders, those that move first; sizes (c,) m: of the c that move. held (g,): which free rows of Q are
    where they are put, and places (g, d), m: where that is.
    """

    frames: Doubles
    placed: Placed
    sizes: Doubles
    held: Indices = field(default_factory=lambda: np.zeros(0, np.intp))
    places: Doubles = field(default_factory=lambda: np.zeros((0, 3)))

    def without_colliders(self) -> Surroundings:
        """The same surroundings without any collider."""
        return replace(self, placed=self.placed.only(), sizes=self.sizes[:0])


@dataclass(frozen=True)
class FollowedFrames:
    """The frames' rows of Q (r, d), m: offset + matrix (y - mean), linear in the first e numbers of y.

    mean (e,), offset (r, d), matrix (r d, e).
    """

    mean: Doubles
    offset: Doubles
    matrix: Doubles

    def rows(self, y: NDArray[np.floating]) -> Doubles:
        """(r, d) m, of y."""
        moved = (self.matrix @ (y[: len(self.mean)] - self.mean)).reshape(self.offset.shape)
        rows: Doubles = self.offset + moved
        return rows


class Unlearned(NamedTuple):
    """A ball of a radius, m, that none had which was learned from; nearest: of those radii, m."""

    collider: int
    radius: float
    nearest: float


@dataclass(frozen=True)
class FollowedColliders:
    """C shapes, those that move first.

    channels (C,): the first of the three numbers of y that are its place, -1 where it stands. anchors
    (C, d), m: its centre less that place. turning (C,): the first of the six numbers of y that are its
    object's first two axes, -1 where it keeps its orientation. own (C, 3, d): the axes of its shape in those
    of the object; where it does not turn, in those of y. scaling (C,): the number of y
    that is how many times as large as in the takes its object is, -1 where none does. axes (3, d): the
    body's coordinates in those of y.
    """

    shapes: Sequence[Collider]
    channels: Indices
    anchors: Doubles
    turning: Indices
    own: Doubles
    scaling: Indices
    axes: Doubles = field(default_factory=lambda: np.eye(3))

    @cached_property
    def moving(self) -> int:
        """How many move."""
        return int((self.channels >= 0).sum())

    @cached_property
    def sizes(self) -> Doubles:
        """(moving,) m: the radii of balls in the takes, 0 for others."""
        moving = self.shapes[: self.moving]
        return np.array([shape.radius if isinstance(shape, Sphere) else 0.0 for shape in moving])

    @property
    def oriented(self) -> bool:
        """Whether any of those that move also turns."""
        return bool((self.turning >= 0).any())

    def placed(self, y: NDArray[np.floating]) -> Placed:
        """Where y (e,) has them."""
        scales = self.scales(y)
        centres = scales[:, None] * self.anchors
        centres[: self.moving] += y[self._places] @ self.axes
        turns = self._at_rest.copy()
        for index in self._turned:
            axes = y[self.turning[index] : self.turning[index] + 6]
            turns[index] = nearest_rotation(self.axes.T @ rotation_of(axes) @ self.own[index])
        return Placed(centres, turns, scales)

    def scales(self, y: NDArray[np.floating]) -> Doubles:
        """(C,): how many times as large as in the takes each is. 1 in takes, whose y ends before."""
        scales, scaled = np.ones(len(self.shapes)), self._scaled
        if len(scaled) and len(y) > self.scaling[scaled].max():
            scales[scaled] = np.maximum(y[self.scaling[scaled]], LEAST_SCALE)
        return scales

    def learned_sizes(self, y: NDArray[np.floating]) -> Doubles:
        """(moving,) m: `sizes` as y has them, none beyond the smallest and the largest of the takes."""
        sizes = self.sizes
        if not len(sizes) or not len(self._scaled):
            return sizes
        now: Doubles = np.clip(sizes * self.scales(y)[: len(sizes)], sizes.min(), sizes.max())
        return now

    def unlearned(self, y: NDArray[np.floating]) -> list[Unlearned]:
        """The balls that y has smaller, or larger, than any was in the takes."""
        if not len(self._scaled):
            return []
        now, near = self.sizes * self.scales(y)[: self.moving], self.learned_sizes(y)
        others = np.flatnonzero(np.abs(now - near) > SAME_SIZE * near)
        return [Unlearned(int(k), float(now[k]), float(near[k])) for k in others]

    @cached_property
    def _places(self) -> Indices:
        """(moving, 3): the numbers of y that are their places."""
        return self.channels[: self.moving, None] + np.arange(3)

    @cached_property
    def _turned(self) -> Indices:
        return np.flatnonzero(self.turning >= 0)

    @cached_property
    def _scaled(self) -> Indices:
        return np.flatnonzero(self.scaling >= 0)

    @cached_property
    def _at_rest(self) -> Doubles:
        """(C, d, d) the shapes' turns where their objects keep their orientation."""
        size = self.axes.shape[1]
        turns = [nearest_rotation(self.axes.T @ own) for own in self.own]
        return np.array(turns).reshape(-1, size, size)


def rotation_of(axes: NDArray[np.floating]) -> Doubles:
    """(3, 3), of an object's first two axes (6,), which between two frames are not quite unit vectors."""
    first, second = np.asarray(axes, np.float64).reshape(2, 3)
    rotation: Doubles = np.column_stack([first, second, np.cross(first, second)])
    return nearest_rotation(rotation)


FIRM = 0.5  # from here on a handle is held: between two frames a hold begins, or ends, halfway


@dataclass(frozen=True)
class HeldHandles:
    """Handles that the artist may hold, c of them: y has four numbers for each, a place times w, then w.

    So what lies between a frame in which a handle is free, all four 0, and one in which it is held is the
    same place with less weight. rows (c,): of Q. channels (c,): the first of the four. aside (c, d), m: from
    the place in y to where the handle is to be. axes (3, d): as `FollowedColliders` has them.
    """

    rows: Indices
    channels: Indices
    aside: Doubles
    axes: Doubles = field(default_factory=lambda: np.eye(3))

    def held(self, y: NDArray[np.floating]) -> tuple[Indices, Doubles]:
        """The rows of Q (k,) that are held, and where (k, d), m. Takes, whose y ends before, hold none."""
        if not len(self.rows) or len(y) <= self.channels[0]:
            return self.rows[:0], self.aside[:0]
        values = y[self.channels[:, None] + np.arange(4)].astype(np.float64)
        firm = values[:, 3] >= FIRM
        return self.rows[firm], values[firm, :3] / values[firm, 3:] @ self.axes + self.aside[firm]
