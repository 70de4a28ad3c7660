"""A box; in two dimensions a rectangle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from .collider import ConvexCollider, radial, safe_sqrt


@dataclass(frozen=True)
class Box(ConvexCollider):
    """A box about the origin with its faces across the axes; half_extents (d,) in m.

    Inside, where several faces are equally near, the gradient is that of the first axis among them.
    """

    half_extents: tuple[float, ...]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.half_extents)

    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`. arrays or tensors."""
        xp = module_of(points)
        beyond = xp.stack([abs(points[:, axis]) - h for axis, h in enumerate(self.half_extents)], -1)
        outside = beyond.clip(0.0)
        return safe_sqrt((outside * outside).sum(-1)) + xp.amax(beyond, -1).clip(max=0.0)

    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        return self._directions(points)[0] * np.copysign(1.0, points)

    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`. Zero inside."""
        signs = np.copysign(1.0, points)
        return self._directions(points)[1] * signs[:, :, None] * signs[:, None, :]

    def _directions(self, points: Doubles) -> tuple[Doubles, Doubles]:
        """Gradients and Hessians of the points mirrored to where all coordinates are positive."""
        beyond = np.abs(points) - self.half_extents
        offsets = np.maximum(beyond, 0.0)
        lengths = np.linalg.norm(offsets, axis=1)
        directions, hessians = radial(offsets, lengths)
        inside = lengths == 0.0
        directions[inside] = np.eye(self.dimension)[np.argmax(beyond[inside], axis=1)]
        # Along an axis between two faces the distance does not change.
        free = offsets > 0.0
        hessians *= free[:, :, None] & free[:, None, :]
        return directions, hessians
