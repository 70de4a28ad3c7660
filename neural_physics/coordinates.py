"""Places in space as the numbers that a body is simulated in: three of most bodies, two of what is flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Doubles

FLAT = 1e-5  # of a mesh's size: what is further off a plane is off by more than Blender's rounding
# A component this much smaller than the largest does not decide which way a plane faces: no round number, so
# that rounding never decides between two that are as large.
LESSER = 0.414


@dataclass(frozen=True, eq=False)
class Coordinates:
    """d = 2 or 3 coordinates, in metres: origin (3,), and axes (3, d), unit columns at right angles."""

    origin: Doubles
    axes: Doubles

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.axes.shape[1])

    @property
    def normal(self) -> Doubles:
        """(3,), across the plane where d = 2; axes and normal are right-handed."""
        normal: Doubles = np.cross(self.axes[:, 0], self.axes[:, 1])
        return normal

    def of(self, places: NDArray[np.floating]) -> Doubles:
        """(..., d), of places (..., 3); what is off a plane is dropped onto it."""
        numbers: Doubles = (places - self.origin) @ self.axes
        return numbers

    def along(self, directions: NDArray[np.floating]) -> Doubles:
        """(..., d), of directions (..., 3)."""
        numbers: Doubles = directions @ self.axes
        return numbers

    def places(self, numbers: Doubles) -> Doubles:
        """(..., 3), of coordinates (..., d)."""
        places: Doubles = numbers @ self.axes.T + self.origin
        return places

    def heights(self, places: NDArray[np.floating]) -> Doubles:
        """(...,) m: how far places (..., 3) are off a plane, along its normal."""
        heights: Doubles = (places - self.origin) @ self.normal
        return heights

    def moved(self, rotation: Doubles, shift: Doubles) -> Coordinates:
        """The coordinates after a rotation (3, 3) and then a shift (3,)."""
        return Coordinates(rotation @ self.origin + shift, rotation @ self.axes)


SPACE = Coordinates(np.zeros(3), np.eye(3))


def plane_of(points: NDArray[np.floating]) -> Coordinates | None:
    """Coordinates in the plane that points (n, 3) are all in; None where they are in none, or on a line.

    Their origin is the points' middle, their first axis as near to X as it can be, or to Y across X.
    """
    if len(points) < 3:
        return None
    middle = points.mean(0)
    _, sizes, axes = np.linalg.svd(points - middle, full_matrices=False)
    normal = axes[2]
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if np.abs((points - middle) @ normal).max() > FLAT * size or sizes[1] <= FLAT * size:
        return None
    large = np.flatnonzero(np.abs(normal) > LESSER * np.abs(normal).max())
    normal = normal * np.sign(normal[large[-1]])
    guide = np.eye(3)[0 if abs(normal[0]) < 1.0 - FLAT else 1]
    first = guide - (guide @ normal) * normal
    first /= np.linalg.norm(first)
    return Coordinates(middle, np.stack([first, np.cross(normal, first)], 1))
