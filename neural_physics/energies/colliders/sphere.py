"""A ball; in two dimensions a disc."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles
from .collider import ConvexCollider, radial, safe_sqrt


@dataclass(frozen=True)
class Sphere(ConvexCollider):
    """A ball about the origin; radius in m. At its centre the gradient is the last axis."""

    radius: float
    dimension: int = 3

    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`. arrays or tensors."""
        return safe_sqrt((points * points).sum(-1)) - self.radius

    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        return radial(points, np.linalg.norm(points, axis=1))[0]

    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`. Zero at the centre."""
        return radial(points, np.linalg.norm(points, axis=1))[1]
