"""Poses of rigid colliders, and their motion during one time step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Doubles


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a collider is: x = rotation @ X + translation, from its own axes to the world's.

    rotation (d, d), translation (d,) in m, d = 2 or 3. ValueError if the rotation is none.
    """

    rotation: Doubles
    translation: Doubles

    def __post_init__(self) -> None:
        errors = self.rotation @ self.rotation.T - np.eye(len(self.translation))
        if np.abs(errors).max() > 1e-6 or np.linalg.det(self.rotation) < 0.0:
            raise ValueError("A collider's pose is a rotation and a translation: apply scale to its shape.")

    def to_world(self, points: Doubles) -> Doubles:
        """Points (n, d) of the collider's own axes, in the world's."""
        return points @ self.rotation.T + self.translation

    def to_own(self, points: Doubles) -> Doubles:
        """Points (n, d) of the world, in the collider's own axes."""
        return (points - self.translation) @ self.rotation

    def directions_to_world(self, directions: Doubles) -> Doubles:
        """Gradients (n, d) in the collider's own axes, turned into the world's."""
        return directions @ self.rotation.T

    def hessians_to_world(self, hessians: Doubles) -> Doubles:
        """Hessians (n, d, d) in the collider's own axes, turned into the world's."""
        return self.rotation @ hessians @ self.rotation.T


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """A collider's motion during a time step: its origin goes straight, its axes turn about one fixed axis.

    Turns by the shorter way, so by at most half a turn.
    """

    start: Pose
    end: Pose

    @cached_property
    def shift(self) -> Doubles:
        """(d,), by how much the origin moves, in m."""
        return self.end.translation - self.start.translation

    @cached_property
    def angle(self) -> float:
        """The angle by which it turns, in radians, from 0 to pi."""
        return self._turn[0]

    @cached_property
    def spin(self) -> Doubles:
        """(d, d), skew: over the share s of the motion, points r from the origin go by spin @ r ds."""
        return self.angle * self._turn[1]

    @cached_property
    def _turn(self) -> tuple[float, Doubles]:
        """The angle and the unit skew matrix (d, d) of the turn."""
        turn = self.end.rotation @ self.start.rotation.T
        if len(turn) == 2:
            angle = float(np.arctan2(turn[1, 0], turn[0, 0]))
            return abs(angle), np.array([[0.0, -1.0], [1.0, 0.0]]) * np.copysign(1.0, angle)
        vector = Rotation.from_matrix(turn).as_rotvec()
        angle = float(np.linalg.norm(vector))
        x, y, z = vector / max(angle, 1e-300)
        return angle, np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])

    def at(self, share: float) -> Pose:
        """The pose after a share (0 to 1) of the motion; exactly `start` at 0 and `end` at 1."""
        if share in (0.0, 1.0):
            return self.end if share else self.start
        # exp(angle K) of a unit skew K: Rodrigues' formula, which holds in the plane, too.
        unit, angle = self._turn[1], share * self.angle
        turn = np.eye(len(unit)) + np.sin(angle) * unit + (1.0 - np.cos(angle)) * unit @ unit
        return Pose(turn @ self.start.rotation, self.start.translation + share * self.shift)

    def origins(self, shares: Doubles) -> Doubles:
        """(n, d), where the collider's origin is at shares (n,) of its motion."""
        return self.start.translation + shares[:, None] * self.shift

    def directions_to_own(self, directions: Doubles, shares: Doubles) -> Doubles:
        """Directions (n, d) of the world in the axes that the collider has at shares (n,) of its motion."""
        if self.angle > 0.0:
            unit, angles = self._turn[1], shares[:, None] * self.angle
            back = directions @ unit  # times the transpose: the way back
            directions = directions + np.sin(angles) * back + (1.0 - np.cos(angles)) * (back @ unit)
        return directions @ self.start.rotation

    def to_own(self, points: Doubles, shares: Doubles) -> Doubles:
        """Points (n, d) of the world in the axes that the collider has at shares (n,) of its motion."""
        return self.directions_to_own(points - self.origins(shares), shares)

    def displacements(self, points: Doubles) -> Doubles:
        """(n, d), how far the collider's material at points (n, d) of the world, at the end, has come."""
        return points - self.start.to_world(self.end.to_own(points))
