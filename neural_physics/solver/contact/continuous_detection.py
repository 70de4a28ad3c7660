"""How far points and a rigid collider can move before they come close to touching.

Conservative advancement (Mirtich 1996; Li et al. 2021, "Codimensional Incremental Potential Contact",
section 5): the time is moved on by what the present distances guarantee to be free, again and again. Two
guarantees are at hand. A distance is nowhere steeper than 1. And the distance to a convex piece of surface
is a convex function, so it stays above its tangent, which lets points slide along a surface freely.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles
from ...energies.colliders.collider import Collider
from .rigid_motion import RigidMotion

# Of the distance at the start, this much is always kept.
KEPT = 0.1
# What is left after so many advances is still free, only shorter than it could be.
ADVANCES = 200
# How far to look for pieces of a shape of many, in multiples of d_hat.
SIGHT = 10.0
# And for the piece of a convex shape, in m: as good as everywhere.
FAR = 1e9


class KnownDistances:
    """Distances of n points to a shape, computed again only where earlier ones do not settle the question."""

    def __init__(self, shape: Collider, count: int) -> None:
        """count: how many points there are."""
        self._shape = shape
        self._points = np.zeros((count, shape.dimension))
        self._distances = np.full(count, -np.inf)

    def at_least(self, points: Doubles, enough: Doubles) -> Doubles:
        """(n,) m, for each point its signed distance, or something below it but no less than `enough`.

        points (n, d) in the shape's axes, enough (n,) m.
        """
        bounds = self._distances - np.linalg.norm(points - self._points, axis=1)
        stale = np.flatnonzero(~(bounds >= enough))
        if len(stale):
            self._points[stale] = points[stale]
            self._distances[stale] = bounds[stale] = self._shape.distance(points[stale])
        return bounds


def travel(
    motion: RigidMotion, shares: tuple[float, float], points: Doubles, directions: Doubles
) -> tuple[Doubles, Doubles]:
    """Speeds (n,) and their growth (n,) in m: in time t no point moves further than speed t + growth t^2 / 2.

    As seen from the collider while it goes from the first to the second of the shares of its motion, and
    the points (n, d) by directions (n, d), both in time from 0 to 1.
    """
    passed = shares[1] - shares[0]
    relative = directions - passed * motion.shift
    offsets = points - motion.origins(np.full(len(points), shares[0]))
    speeds = np.linalg.norm(relative - passed * offsets @ motion.spin.T, axis=1)
    return speeds, passed * motion.angle * np.linalg.norm(relative, axis=1)


def free_times(
    shape: Collider,
    motion: RigidMotion,
    shares: tuple[float, float],
    points: Doubles,
    *,
    directions: Doubles,
    distances: Doubles,
    offsets: Doubles,
    d_hat: float,
    limit: float | None,
) -> Doubles:
    """The times (0 to 1) for which points stay further from a shape than a tenth of min(distance, d_hat).

    points, directions, shares and motion as in `travel`. distances (n,) m, all positive: the present ones
    less the offsets (n,) m, which are the points' own thickness. limit: nothing is sought after this time
    or the earliest that another point has; None to seek for each point alone. Returns (n,) in (0, 1].
    """
    passed = shares[1] - shares[0]
    kept = KEPT * np.minimum(distances, d_hat)
    relative = directions - passed * motion.shift
    speeds = np.linalg.norm(relative, axis=1)
    turn = passed * motion.angle
    times = np.zeros(len(points))
    live = np.arange(len(points))
    for _ in range(ADVANCES):
        at = times[live]
        here = points[live] + at[:, None] * directions[live]
        now = shares[0] + at * passed
        arms = here - motion.origins(now)
        velocities = motion.directions_to_own(relative[live] - passed * arms @ motion.spin.T, now)
        bends = turn * (2.0 * speeds[live] + turn * (np.linalg.norm(arms, axis=1) + speeds[live]))
        pace, growth = np.linalg.norm(velocities, axis=1), turn * speeds[live]
        own = motion.directions_to_own(arms, now)
        sight = FAR if shape.convex else float(offsets[live].max(initial=0.0)) + SIGHT * d_hat
        pieces = shape.pieces(own, sight)
        of = pieces.points
        gaps = np.full(len(live), np.inf)
        np.minimum.at(gaps, of, pieces.distances)
        unseen = np.flatnonzero(np.isinf(gaps))
        gaps[unseen] = shape.distance(own[unseen]) if len(unseen) else 0.0
        gaps -= offsets[live]
        # What no piece reports is further than the sight.
        beyond = gaps.copy()
        seen = np.unique(of)
        beyond[seen] = sight - offsets[live[seen]]
        steps = _first_time(beyond - kept[live], pace, growth)
        rooms = pieces.distances - offsets[live[of]] - kept[live[of]]
        approach = -np.einsum("kd,kd->k", pieces.gradients, velocities[of])
        straight = _first_time(rooms, approach, bends[of])
        np.minimum.at(steps, of, np.maximum(straight, _first_time(rooms, pace[of], growth[of])))
        stopped = gaps <= 2.0 * kept[live]
        if limit is not None:
            limit = min(limit, float(at[stopped].min(initial=limit)))
        times[live] = np.where(stopped, at, np.minimum(at + steps, 1.0))
        live = live[~stopped & (times[live] < (1.0 if limit is None else limit))]
        if not len(live):
            break
    return times


def _first_time(rooms: Doubles, speeds: Doubles, growths: Doubles) -> Doubles:
    """The first positive t with speed t + growth t^2 / 2 = room; infinity where there is none.

    rooms positive but for rounding, speeds of any sign, growths not negative; all (n,).
    """
    rooms = np.maximum(rooms, 0.0)
    roots = np.sqrt(speeds * speeds + 2.0 * growths * rooms)
    # The way without cancellation, for either sign of the speed.
    above = np.where(speeds > 0.0, 2.0 * rooms, roots - speeds)
    below = np.where(speeds > 0.0, speeds + roots, growths)
    return np.divide(above, below, out=np.full_like(rooms, np.inf), where=below > 0.0)
