"""One capsule with two radii around points (Holden 2019, section 6.4: "fit to all the vertices of a joint").

First the surface is laid through the points by least squares of their signed distances. Then both radii
grow by the same length: that moves every distance by just this length, so that the share of the points
that is to lie inside is met exactly, whatever the shape.

A capsule is the union of balls along its axis, and a point's distance the least of those to the balls. So
the distance's derivatives, by the radii and the ends, are those of the nearest ball alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles

SHARE = 0.95  # of the weight that lies inside, where nothing else is asked for
TAIL = 0.02  # of the weight, at either end, that does not decide where a capsule begins
STEPS = 60
SETTLED = 1e-8  # of the points' size: a step this short is the last
MOST_SETTLED = 5000  # points that a surface is laid through; more of them are as many of all
HUBER = 1.345 * 1.4826  # times the median distance: what is further off is a stray, and pulls less


@dataclass(frozen=True)
class FittedCapsule:
    """start, end (3,): the ends of its axis; start_radius, end_radius: there. All in the points' unit."""

    start: Doubles
    end: Doubles
    start_radius: float
    end_radius: float


def fit_capsule(
    points: NDArray[np.floating],
    weights: NDArray[np.floating],
    start: NDArray[np.floating],
    end: NDArray[np.floating],
    *,
    share: float = SHARE,
    slide: bool = False,
) -> FittedCapsule:
    """The capsule around a bone, from start (3,) to end (3,) (Holden 2019, section 6.4).

    points (n, 3); weights (n,), not negative: how much of each belongs to the bone. share: of the weight
    that lies inside, above 0 and at most 1. slide: whether the axis may begin and end elsewhere on the
    bone's line, within the points. A bone of no length makes a ball around it.
    Raises ValueError where no point has weight.
    """
    points, weights = _with_weight(points, weights, share)
    start, end = np.asarray(start, np.float64), np.asarray(end, np.float64)
    length = float(np.linalg.norm(end - start))
    far = np.linalg.norm(points - start, axis=1)
    if length <= SETTLED * float(far.max()):
        radius = float(weights @ far / weights.sum())
        return _grown(_Shape(np.array((start, start)), np.array((radius, radius))), points, weights, share)
    axis = (end - start) / length
    if slide:
        line = _Line(start, axis[None, :], points)
        return _grown(
            line.settle(_first_along(line, points, weights), points, weights), points, weights, share
        )
    fixed = _Line(np.array((start, end)), np.empty((0, 3)), points)
    bare = _Shape(np.array((start, end)), np.zeros(2))
    radius = float(weights @ bare.distances(points)[0] / weights.sum())
    shape = fixed.settle(_Shape(bare.ends, np.array((radius, radius))), points, weights)
    return _grown(shape, points, weights, share)


def fit_free_capsule(
    points: NDArray[np.floating], weights: NDArray[np.floating], share: float = SHARE
) -> FittedCapsule:
    """The capsule around points that have no bone: begun along their longest axis (PCA), then free.

    Its ends stay within the points' box along their principal axes: without that, the best capsule
    through a flat sheet would be a ball without end. Otherwise as `fit_capsule`.
    """
    points, weights = _with_weight(points, weights, share)
    middle = weights @ points / weights.sum()
    offsets = points - middle
    axes = np.linalg.eigh(offsets.T @ (weights[:, None] * offsets))[1].T[::-1]
    first = _first_along(_Line(middle, axes[:1], points), points, weights)
    return _grown(_Line(middle, axes, points).settle(first, points, weights), points, weights, share)


@dataclass(frozen=True)
class _Shape:
    """ends (2, 3), radii (2,)."""

    ends: Doubles
    radii: Doubles

    def distances(self, points: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Signed distances (n,) of points (n, 3); the nearest ball's place, 0 to 1, (n,); normals (n, 3)."""
        along = self.ends[1] - self.ends[0]
        length, loss = float(np.linalg.norm(along)), float(self.radii[0] - self.radii[1])
        if abs(loss) >= length:  # one ball within the other
            places = np.full(len(points), float(loss < 0.0))
        else:
            offsets = points - self.ends[0]
            ahead = offsets @ along / length
            beside = np.linalg.norm(offsets - ahead[:, None] * along / length, axis=1)
            slope = loss / length
            places = np.clip((ahead - beside * slope / np.sqrt(1.0 - slope * slope)) / length, 0.0, 1.0)
        offsets = points - self.ends[0] - places[:, None] * along
        lengths = np.linalg.norm(offsets, axis=1)
        normals = offsets / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        return lengths - (self.radii[0] - places * loss), places, normals


class _Line:
    """Where ends may go: from `origin` along `directions` (k, 3), orthonormal, no further than the points do.

    origin: (3,) for both ends, or (2, 3).
    """

    def __init__(self, origin: Doubles, directions: Doubles, points: Doubles) -> None:
        self.origin, self.directions = origin, directions
        reach = (points - origin) @ directions.T if len(directions) else np.zeros((1, 0))
        self.low, self.high = reach.min(0), reach.max(0)
        self.size = float(np.ptp(points, axis=0).max())

    def settle(self, first: _Shape, points: Doubles, weights: Doubles) -> _Shape:
        """The least squares of the distances, by Levenberg and Marquardt; strays pull less (Huber).

        What the points do not determine, such as where a tube without caps ends, stays as in `first`.
        """
        every = -(-len(points) // MOST_SETTLED)
        points, weights = points[::every], weights[::every]
        values = np.concatenate([first.radii, ((first.ends - self.origin) @ self.directions.T).ravel()])
        shape, damping = self._shape(values), 1e-3
        for _ in range(STEPS):
            distances, places, normals = shape.distances(points)
            pulls = weights * self._trust(distances, weights)
            slants = normals @ self.directions.T
            shares = np.stack((1.0 - places, places), 1)
            moves = shares[:, :, None] * slants[:, None, :]
            slopes = -np.concatenate([shares, moves.reshape(len(points), -1)], 1)
            gradient = slopes.T @ (pulls * distances)
            curvature = slopes.T @ (pulls[:, None] * slopes)
            cost = pulls @ distances**2
            ridge = np.eye(len(values)) * max(float(curvature.trace()), 1e-300)
            while True:
                tried = self._allowed(values - np.linalg.solve(curvature + damping * ridge, gradient))
                candidate = self._shape(tried)
                better = pulls @ candidate.distances(points)[0] ** 2 < cost
                if better or damping > 1e3:
                    break
                damping *= 5.0
            if not better:
                break
            step = float(np.abs(tried - values).max())
            values, shape, damping = tried, candidate, max(damping * 0.1, 1e-12)
            if step <= SETTLED * self.size:
                break
        return shape

    def _shape(self, values: Doubles) -> _Shape:
        return _Shape(self.origin + values[2:].reshape(2, -1) @ self.directions, values[:2])

    def _allowed(self, values: Doubles) -> Doubles:
        """No negative radius, no end beyond the points, and on a line no end before the start."""
        radii, ends = np.maximum(values[:2], 0.0), np.clip(values[2:].reshape(2, -1), self.low, self.high)
        if len(self.directions) == 1 and ends[1, 0] < ends[0, 0]:
            ends[:] = ends.mean()
        return np.concatenate([radii, ends.ravel()])

    def _trust(self, distances: Doubles, weights: Doubles) -> Doubles:
        off = np.abs(distances)
        bound = max(HUBER * _quantile(off, weights, 0.5), 1e-6 * self.size, 1e-300)
        return np.where(off > bound, bound / np.maximum(off, bound), 1.0)


def _with_weight(
    points: NDArray[np.floating], weights: NDArray[np.floating], share: float
) -> tuple[Doubles, Doubles]:
    """What counts, in double precision. Raises ValueError."""
    points, weights = np.asarray(points, np.float64), np.asarray(weights, np.float64)
    if points.shape != (len(weights), 3):
        raise ValueError("points (n, 3) need weights (n,)")
    if not 0.0 < share <= 1.0:
        raise ValueError(f"a share is above 0 and at most 1, not {share}")
    counts = weights > 0.0
    if not counts.any():
        raise ValueError("no point has weight")
    return points[counts], weights[counts]


def _first_along(line: _Line, points: Doubles, weights: Doubles) -> _Shape:
    """A first shape, within the points and too short rather than too long: those beyond pull its ends out."""
    axis = line.directions[0]
    offsets = points - line.origin
    along = offsets @ axis
    beside = np.linalg.norm(offsets - along[:, None] * axis, axis=1)
    radius = float(weights @ beside / weights.sum())
    low, high = (_quantile(along, weights, share) for share in (TAIL, 1.0 - TAIL))
    inset = min(radius, 0.5 * (high - low))
    ends = np.array((low + inset, high - inset))
    return _Shape(line.origin + ends[:, None] * axis, np.array((radius, radius)))


def _grown(shape: _Shape, points: Doubles, weights: Doubles, share: float) -> FittedCapsule:
    """The shape with radii so much larger, or smaller, that the share of the weight lies inside."""
    growth = _quantile(shape.distances(points)[0], weights, share)
    start_radius, end_radius = np.maximum(shape.radii + growth, 0.0).tolist()
    return FittedCapsule(shape.ends[0], shape.ends[1], start_radius, end_radius)


def _quantile(values: Doubles, weights: Doubles, share: float) -> float:
    """The least of the values such that this share of the weight is at or below it."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    # Rounding of the sum must not ask for one more.
    index = int(np.searchsorted(below, share * below[-1] * (1.0 - 1e-12)))
    return float(values[order[min(index, len(order) - 1)]])
