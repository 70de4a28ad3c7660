"""Contact of points that a body carries with rigid colliders: springs that push off what comes too near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..energies.colliders.collider import Collider

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Contact:
    """Energy k / 2 (reach - d)^2 of every point that is nearer than `reach`, m, to a collider.

    corners (P, s), weights (P, s): which vertices carry each point, and by how much, with the sum 1; of a
    vertex itself s times that, and 1, 0, 0, ... stiffness: k, N/m. shapes: C colliders, in axes of their
    own that are turned by turns (C, d, d). d is 3, or 2 in the plane of a flat body.
    """

    corners: Indices
    weights: Array
    stiffness: float
    reach: float
    shapes: Sequence[Collider]
    turns: Array

    def only(self, *colliders: int) -> Contact:
        """With these of the colliders."""
        shapes = [self.shapes[number] for number in colliders]
        return replace(self, shapes=shapes, turns=self.turns[list(colliders)])

    def points(self, positions: Array) -> Array:
        """(P, d) m, of the vertices' positions (B, d)."""
        return np.einsum("pk,pkd->pd", self.weights, positions[self.corners])

    def least_gap(self, positions: Array, collider: int, centre: Array) -> float:
        """How far off the nearest point is from a collider at a place (d,), m; negative inside."""
        own = (self.points(positions) - centre) @ self.turns[collider]
        return float(self.shapes[collider].distance(own).min())

    def pressed(self, positions: Array, centres: Array) -> tuple[Indices, Array, Array]:
        """What presses, of colliders at centres (C, d): which points (k,), short of reach by (k,) m, and
        outward normals (k, d).
        """
        points = self.points(positions)
        which, short, normals = [np.zeros(0, np.intp)], [np.zeros(0)], [np.zeros((0, points.shape[1]))]
        for shape, turn, centre in zip(self.shapes, self.turns, centres, strict=True):
            own = (points - centre) @ turn
            missing = self.reach - shape.distance(own)
            near = np.flatnonzero(missing > 0.0)
            if len(near):
                which.append(near)
                short.append(missing[near])
                normals.append(shape.gradient(own[near]) @ turn.T)
        return np.concatenate(which), np.concatenate(short), np.concatenate(normals)
