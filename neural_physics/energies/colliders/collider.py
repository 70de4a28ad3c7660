"""What contact asks of a shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...arrays import Doubles, Indices
from ..array_module import module_of


@dataclass(frozen=True)
class Pieces:
    """k weighted distances, each from one point to one convex piece of a shape's surface.

    points (k,): which point; weights (k,): whole numbers; distances (k,) in m; gradients (k, d);
    hessians (k, d, d) in 1/m, positive semi-definite.

    For a falling function b that is zero from `within` on, the sum of weight * b(distance) over the
    pieces of a point is b of the distance to the shape where the surface in reach is in one piece, and
    counts every separate sheet of it once where it is in several, as in a groove. Unlike b of the
    distance itself it has a continuous gradient there, so that a vertex can rest between two walls.
    """

    points: Indices
    weights: Doubles
    distances: Doubles
    gradients: Doubles
    hessians: Doubles


class Collider(Protocol):
    """A solid shape in its own axes, in d = 2 or 3 dimensions. Points are (n, d) float64, in metres."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        ...

    @property
    def convex(self) -> bool:
        """Whether the signed distance is known to be a convex function."""
        ...

    def distance(self, points: Doubles) -> Doubles:
        """Signed distances (n,), in m: negative inside. Nowhere steeper than 1."""
        ...

    def gradient(self, points: Doubles) -> Doubles:
        """(n, d): unit, outwards. One of several where the nearest point of the surface is not the only."""
        ...

    def distance_and_gradient(self, points: Doubles) -> tuple[Doubles, Doubles]:
        """Both at once."""
        ...

    def hessian(self, points: Doubles) -> Doubles:
        """(n, d, d), in 1/m, symmetric."""
        ...

    def pieces(self, points: Doubles, within: float) -> Pieces:
        """What of the surface lies nearer than `within` (m) to points outside the shape."""
        ...

    def may_reach(self, points: Doubles, within: float) -> Indices:
        """All points (k,) whose distance is less than `within` (m), and maybe others; quickly."""
        ...


class ConvexCollider(ABC):
    """A convex shape: its distance is smooth outside, so that the shape is one piece."""

    convex = True

    @abstractmethod
    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`. arrays or tensors."""

    @abstractmethod
    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`."""

    @abstractmethod
    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`."""

    def distance_and_gradient(self, points: Doubles) -> tuple[Doubles, Doubles]:
        """See `Collider`."""
        return self.distance(points), self.gradient(points)

    def pieces(self, points: Doubles, within: float) -> Pieces:
        """See `Collider`."""
        distances = self.distance(points)
        near = np.flatnonzero(distances < within)
        return Pieces(
            near,
            np.ones(len(near)),
            distances[near],
            self.gradient(points[near]),
            hessians=self.hessian(points[near]),
        )

    def may_reach(self, points: Doubles, within: float) -> Indices:
        """See `Collider`: just those, as the distance is as quickly computed."""
        return np.flatnonzero(self.distance(points) < within)


class FacetedCollider(ABC):
    """A shape bounded by flat facets, whose distance is that to the nearest feature of its surface."""

    convex = False

    @abstractmethod
    def _nearest(self, points: Doubles) -> tuple[Doubles, Doubles, Indices]:
        """Signed distances (n,), gradients (n, d) and the features (n,) that are nearest."""

    @abstractmethod
    def _curvatures(self, distances: Doubles, gradients: Doubles, features: Indices) -> Doubles:
        """The Hessians (n, d, d) of the distances to these features."""

    def distance(self, points: Doubles) -> Doubles:
        """See `Collider`."""
        return self._nearest(points)[0]

    def gradient(self, points: Doubles) -> Doubles:
        """See `Collider`. On the surface: the pseudo-normal."""
        return self._nearest(points)[1]

    def distance_and_gradient(self, points: Doubles) -> tuple[Doubles, Doubles]:
        """See `Collider`."""
        return self._nearest(points)[:2]

    def may_reach(self, points: Doubles, within: float) -> Indices:
        """See `Collider`: all of them."""
        return np.arange(len(points))

    def hessian(self, points: Doubles) -> Doubles:
        """See `Collider`. Zero on the surface."""
        return self._curvatures(*self._nearest(points))


def radial(offsets: Doubles, lengths: Doubles) -> tuple[Doubles, Doubles]:
    """Unit vectors (n, d) along the offsets and the Hessians (n, d, d) of the offsets' lengths.

    offsets (n, d), lengths (n,) their norms. An offset of length zero is taken to point along the last
    axis and gets a Hessian of zeros.
    """
    apart = lengths > 0.0
    safe = np.where(apart, lengths, 1.0)
    directions = offsets / safe[:, None]
    directions[~apart, -1] = 1.0
    across = np.eye(offsets.shape[1]) - directions[:, :, None] * directions[:, None, :]
    return directions, across * (apart / safe)[:, None, None]


def safe_sqrt(squares: Doubles) -> Doubles:
    """Square roots, zero at zero, where a tensor's own derivative would be no number. arrays or tensors."""
    xp = module_of(squares)
    positive = squares > 0.0
    return xp.where(positive, xp.sqrt(xp.where(positive, squares, 1.0)), 0.0)
