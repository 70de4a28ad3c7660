"""What contact presses in some pose: springs that are too short, and what a body feels of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from .part import Part
from .pose import Pose


@dataclass(frozen=True)
class Pressed:
    """k springs of `stiffness`, N/m, each short by (k,) m.

    corners (k, s), weights (k, s): the vertices of a part that each pushes along its normal (k, d), and by
    how much of it.
    """

    corners: Indices
    weights: Doubles
    short: Doubles
    normals: Doubles
    stiffness: float

    @property
    def energy(self) -> float:
        """J."""
        return 0.5 * self.stiffness * float((self.short**2).sum())

    def push(self, forces: Doubles) -> None:
        """Add to forces (S, d), N, the energy's gradient by the part's vertices."""
        push = (-self.stiffness * self.short)[:, None] * self.normals
        np.add.at(forces, self.corners, self.weights[:, :, None] * push[:, None])

    def hessian(self, part: Part, pose: Pose, slopes: Doubles) -> Doubles:
        """(d n, d n), N/m: by the free handles, without how normals turn. slopes: see `Part.jacobian`."""
        jacobian = part.jacobian(pose, slopes, self.corners.ravel())
        by_corner = jacobian.reshape(*self.corners.shape, *jacobian.shape[1:])
        pushes = np.einsum("pk,pd,pkdc->pc", self.weights, self.normals, by_corner)
        found: Doubles = self.stiffness * (pushes.T @ pushes)
        return found
