"""Where the interaction vector y has a body's frames, and the colliders around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..energies.colliders.collider import Collider
from ..energies.colliders.sphere import Sphere

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FollowedFrames:
    """The frames' rows of Q (4 k, 3), m: offset + matrix (y - mean), linear in y.

    mean (e,), offset (4 k, 3), matrix (12 k, e).
    """

    mean: Array
    offset: Array
    matrix: Array

    def rows(self, y: NDArray[np.floating]) -> Array:
        """(4 k, 3) m, of y (e,)."""
        moved: Array = self.offset + (self.matrix @ (y - self.mean)).reshape(-1, 3)
        return moved


@dataclass(frozen=True)
class PlacedColliders:
    """C shapes, those that move first.

    turns (C, 3, 3): of their axes, which do not turn any further. channels (C,): the first of the three
    numbers of y that tell where each is, -1 where it stands. anchors (C, 3), m: its place less what is told.
    """

    shapes: Sequence[Collider]
    turns: Array
    channels: NDArray[np.intp]
    anchors: Array

    @property
    def moving(self) -> int:
        """How many move."""
        return int((self.channels >= 0).sum())

    @property
    def sizes(self) -> Array:
        """(moving,) m: the radii of balls, 0 for others."""
        moving = self.shapes[: self.moving]
        return np.array([shape.radius if isinstance(shape, Sphere) else 0.0 for shape in moving])

    def centres(self, y: NDArray[np.floating]) -> Array:
        """(C, 3) m, of y (e,)."""
        places = self.anchors.copy()
        moving = self.channels >= 0
        places[moving] += y[self.channels[moving, None] + np.arange(3)]
        return places
