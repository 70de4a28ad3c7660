"""Contact of points that a body carries with rigid colliders: springs that push off what comes too near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Doubles, Indices
from ...energies.colliders.collider import Collider


@dataclass(frozen=True)
class Placed:
    """Where C colliders are: centres (C, d), m, and how the axes of their shapes are turned, (C, d, d).

    scales (C,): how many times as large as its shape each is; None where all are as their shapes.
    """

    centres: Doubles
    turns: Doubles
    scales: Doubles | None = None

    def only(self, *colliders: int) -> Placed:
        """These of the colliders."""
        which = list(colliders)
        scales = None if self.scales is None else self.scales[which]
        return Placed(self.centres[which], self.turns[which], scales)

    def scale(self, collider: int) -> float:
        """How many times as large as its shape one of them is."""
        return 1.0 if self.scales is None else float(self.scales[collider])


@dataclass(frozen=True)
class Contact:
    """Energy k / 2 (reach - d)^2 of every point that is nearer than `reach`, m, to a collider.

    corners (P, s), weights (P, s): which vertices carry each point, and by how much, with the sum 1; of a
    vertex itself s times that, and 1, 0, 0, ... stiffness: k, N/m. shapes: C colliders, in axes of their
    own. d is 3, or 2 in the plane of a flat body.
    """

    corners: Indices
    weights: Doubles
    stiffness: float
    reach: float
    shapes: Sequence[Collider]

    def only(self, *colliders: int) -> Contact:
        """The placement of these colliders only."""
        return replace(self, shapes=[self.shapes[number] for number in colliders])

    def points(self, positions: Doubles) -> Doubles:
        """(P, d) m, of the vertices' positions (B, d)."""
        return np.einsum("pk,pkd->pd", self.weights, positions[self.corners])

    def deepest(
        self, positions: Doubles, placed: Placed, count: int
    ) -> list[tuple[float, int, Doubles] | None]:
        """How far within reach of each of the first `count` colliders the deepest point is, m; which point
        that is, and the normal (d,) of the collider there. None where there is none.
        """
        points, found = self.points(positions), list[tuple[float, int, Doubles] | None]()
        for number in range(count):
            which, short, normals = self._pressed_by(number, points, placed)
            if not len(which):
                found.append(None)
                continue
            deepest = int(short.argmax())
            found.append((float(short[deepest]), int(which[deepest]), normals[deepest]))
        return found

    def least_gap(self, positions: Doubles, collider: int, placed: Placed) -> float:
        """How far off the nearest point is from one of the colliders, m, negative inside."""
        own, scale = self._seen_from(collider, self.points(positions), placed)
        return scale * float(self.shapes[collider].distance(own).min())

    def pressed(self, positions: Doubles, placed: Placed) -> tuple[Indices, Doubles, Doubles]:
        """What presses: which points (k,), short of reach by (k,) m, and outward normals (k, d)."""
        if not len(placed.centres):
            return np.zeros(0, np.intp), np.zeros(0), np.zeros((0, positions.shape[1]))
        points = self.points(positions)
        found = [self._pressed_by(number, points, placed) for number in range(len(placed.centres))]
        if len(found) == 1:
            return found[0]
        which, short, normals = zip(*found, strict=True)
        return np.concatenate(which), np.concatenate(short), np.concatenate(normals)

    def _pressed_by(self, collider: int, points: Doubles, placed: Placed) -> tuple[Indices, Doubles, Doubles]:
        """What presses against one of the colliders; see `pressed`."""
        shape = self.shapes[collider]
        own, scale = self._seen_from(collider, points, placed)
        some = shape.may_reach(own, self.reach / scale)
        if not len(some):
            return some, np.zeros(0), np.zeros((0, points.shape[1]))
        gaps, outwards = shape.distance_and_gradient(own[some])
        missing = self.reach - scale * gaps
        near = missing > 0.0
        return some[near], missing[near], outwards[near] @ placed.turns[collider].T

    def _seen_from(self, collider: int, points: Doubles, placed: Placed) -> tuple[Doubles, float]:
        """Points (P, d) in the axes and the size of a collider's shape, and how many times as large it is."""
        scale = placed.scale(collider)
        return (points - placed.centres[collider]) @ placed.turns[collider] / scale, scale
