"""Contact of a body with itself: balls inside it, which push each other apart where they overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Doubles, Indices
from .handles import Handles
from .pressed import Pressed

COINCIDENT = 1e-12  # m: centres that are no further apart have no direction from one to the other
NEAR = 2.0  # times the sum of their radii: balls no further apart may come to touch in a step
MOST_NEAR = 4096  # pairs: those that are nearest, where there are more


@dataclass(frozen=True)
class SelfContact:
    """Energy k / 2 (r_i + r_j - |x_i - x_j|)^2 of each pair of balls that overlap.

    Romero 2021 has none. Each ball fits into the body at rest and touches its surface, so that two of them
    meet where parts of the body do; its gradient does not jump, as that of the nearest triangle would.

    corners (b, d + 1), weights (b, d + 1): which vertices carry each centre, and by how much, with the sum 1.
    radii (b,), m. neighbours (k, 2): the pairs that do not push. stiffness: k, N/m.
    """

    corners: Indices
    weights: Doubles
    radii: Doubles
    neighbours: Indices
    stiffness: float

    @classmethod
    def none(cls, d: int) -> SelfContact:
        """Of a body that goes through itself."""
        nothing = np.zeros((0, d + 1))
        return cls(nothing.astype(np.intp), nothing, np.zeros(0), np.zeros((0, 2), np.intp), 0.0)

    @property
    def most_near(self) -> int:
        """How many pairs `near` finds at most."""
        return min(len(self.radii) * (len(self.radii) - 1) // 2, MOST_NEAR)

    @cached_property
    def _sums(self) -> Doubles:
        """(b, b) m: of the radii of those that push, each pair once; 0 of others."""
        sums = np.triu(self.radii[:, None] + self.radii, 1)
        a, b = self.neighbours.T
        sums[a, b] = sums[b, a] = 0.0
        return sums

    def joined(self, handles: Handles, basis: Doubles) -> tuple[Handles, Doubles]:
        """Handles of the body's vertices and, after them, of the centres; and bases (m, B + b, d).

        A centre is a point of the body like any other: equation 1, with what is between its corners.
        """
        weights = np.concatenate([handles.weights, self._between(handles.weights)])
        gradients = np.concatenate([handles.gradients, self._between(handles.gradients)])
        carried = np.einsum("bk,mbkd->mbd", self.weights, basis[:, self.corners])
        joined = replace(handles, weights=weights, gradients=gradients)
        return joined, np.concatenate([basis, carried], axis=1)

    def near(self, centres: Doubles) -> Indices:
        """(p, 2): the pairs that may come to touch in a step that has begun with centres at (b, d), m."""
        if not len(centres):  # most bodies have none, and it is asked in each step
            return np.zeros((0, 2), np.intp)
        squares = (centres**2).sum(1)
        apart = squares[:, None] + squares - 2.0 * centres @ centres.T
        a, b = np.nonzero((self._sums > 0.0) & (apart < (NEAR * self._sums) ** 2))
        if len(a) > MOST_NEAR:
            nearest = np.argpartition(apart[a, b] / self._sums[a, b] ** 2, MOST_NEAR)[:MOST_NEAR]
            a, b = a[nearest], b[nearest]
        return np.stack([a, b], 1)

    def pressed(self, centres: Doubles, pairs: Indices, first: int) -> Pressed:
        """Which of some pairs (p, 2) overlap with centres at (b, d), m.

        first: the number of the first centre among the vertices of a part.
        """
        a, b = pairs.T
        apart = centres[a] - centres[b]
        distances = np.linalg.norm(apart, axis=1)
        short = self.radii[a] + self.radii[b] - distances
        which = np.flatnonzero(short > 0.0)
        normals = apart[which] / np.maximum(distances[which], COINCIDENT)[:, None]
        signs = np.tile([1.0, -1.0], (len(which), 1))
        return Pressed(first + pairs[which], signs, short[which], normals, self.stiffness)

    def _between(self, values: Doubles) -> Doubles:
        """(b, ...), of values at the body's vertices (B, ...)."""
        found: Doubles = np.einsum("bk,bk...->b...", self.weights, values[self.corners])
        return found
