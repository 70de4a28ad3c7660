"""A plane with everything below it solid; in two dimensions a half-plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles
from .collider import ConvexCollider


@dataclass(frozen=True)
class HalfSpace(ConvexCollider):
    """Solid where the last coordinate is negative."""

    dimension: int = 3

    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`. arrays or tensors."""
        return points[:, -1]

    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        return np.tile(np.eye(self.dimension)[-1], (len(points), 1))

    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        return np.zeros((len(points), self.dimension, self.dimension))
