"""A capsule as a collider, to hold others against: all that is no further than a radius from a segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Doubles
from neural_physics.energies.array_module import module_of
from neural_physics.energies.colliders.collider import ConvexCollider, radial, safe_sqrt


@dataclass(frozen=True)
class Capsule(ConvexCollider):
    """A capsule about the origin along the last axis; its segment has twice half_length. Both in m.

    On the segment itself the gradient is the last axis.
    """

    radius: float
    half_length: float
    dimension: int = 3

    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`. NumPy or torch."""
        offsets = self._offsets(points)
        return safe_sqrt((offsets * offsets).sum(-1)) - self.radius

    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        offsets = self._offsets(points)
        return radial(offsets, np.linalg.norm(offsets, axis=1))[0]

    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`. Zero on the segment."""
        offsets = self._offsets(points)
        hessians = radial(offsets, np.linalg.norm(offsets, axis=1))[1]
        beside = np.abs(points[:, -1]) <= self.half_length
        hessians[beside, -1, :] = 0.0
        hessians[beside, :, -1] = 0.0
        return hessians

    def _offsets(self, points: Doubles) -> Doubles:
        """From the segment's nearest point, (n, d)."""
        xp = module_of(points)
        along = points[:, -1:]
        beyond = along - along.clip(-self.half_length, self.half_length)
        return xp.concatenate([points[:, :-1], beyond], 1)
