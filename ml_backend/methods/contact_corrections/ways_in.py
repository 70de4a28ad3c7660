"""How a collider is pressed into a body: places of its surface, and ways from outside to some depth there.

Romero 2021, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import brentq

from ml_backend.methods.contact_corrections.scene import normals_of
from neural_physics.arrays import Doubles
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.polygon import Polygon

TINY = 1e-300
TILT = 0.3  # how far off the surface's normal a collider comes from, about
FOREMOST = 0.05  # of a polygon's reach: corners that are no further back may be those that touch


@dataclass(frozen=True)
class Facets:
    """Facets of the surface: corners (m, d, d), m; outwards (m, d), unit; chances (m,), by their size."""

    corners: Doubles
    outwards: Doubles
    chances: Doubles

    @classmethod
    def of(cls, corners: Doubles) -> Self:
        """Of their corners (m, d, d), m."""
        normals = normals_of(corners)
        sizes = np.linalg.norm(normals, axis=1)
        outwards = normals / np.maximum(sizes, TINY)[:, None]
        return cls(corners, outwards, sizes / max(float(sizes.sum()), TINY))

    @property
    def anywhere(self) -> bool:
        """Whether there is a place to aim at: not on a surface that is a point."""
        return float(self.chances.sum()) > 0.5

    def aim(self, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
        """A place (d,), m, anywhere, and about the direction (d,) off the surface there."""
        at, d = int(rng.choice(len(self.chances), p=self.chances)), self.corners.shape[2]
        off = self.outwards[at] + TILT * rng.normal(size=d)
        return rng.dirichlet(np.ones(d)) @ self.corners[at], off / np.linalg.norm(off)


def distance_of(
    shape: Collider, turn: Doubles, normal: Doubles, rng: np.random.Generator
) -> Callable[[float], Doubles]:
    """A function from a depth, m, to the offset (d,), m, of a shape from a place.

    The shape's surface is that far behind the place along the normal; of a polygon one of its foremost
    corners is.
    """
    if isinstance(shape, Polygon):
        ahead = -shape.corners @ (normal @ turn)
        tips = np.flatnonzero(ahead >= ahead.max() - FOREMOST * reach_of(shape))
        tip = turn @ shape.corners[tips[rng.integers(len(tips))]]
        return lambda depth: -tip - depth * normal

    reach, along = reach_of(shape), -(normal @ turn)[None]

    def missing(away: float, depth: float) -> float:
        return float(shape.distance(away * along)[0]) + depth

    def off(depth: float) -> Doubles:
        if missing(0.0, depth) >= 0.0:
            return 0.0 * normal  # its middle is as deep as can be
        high = 4.0 * reach
        while missing(high, depth) < 0.0:  # a board that comes edge on
            high *= 2.0
        return brentq(missing, 0.0, high, args=(depth,), xtol=1e-12 * reach) * normal

    return off


def reach_of(shape: Collider) -> float:
    """How far a shape's middle is from its surface, m; of a polygon half of its lesser extent."""
    if isinstance(shape, Polygon):
        return 0.5 * float(np.ptp(shape.corners, axis=0).min())
    return float(-shape.distance(np.zeros((1, shape.dimension)))[0])
