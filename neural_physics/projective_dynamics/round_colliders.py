"""Balls, capsules and the ground, as ADMM asks for them: where vertices go that are inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Indices, Mask
from .admm import Contact

TURNS = 3
_NOBODY = np.zeros(0, np.intp)


def _none() -> Doubles:
    return np.zeros((0, 3))


@dataclass(frozen=True)
class RoundColliders:
    """What cloth is pushed out of at one moment, metres and m/s, in the cloth's axes.

    starts, ends (c, 3): the middles of each capsule's two balls, the same twice for a ball; radii (c,): of
    the first, end_radii (c,): of the second, None where both are alike. start_velocities, end_velocities
    (c, 3). ground: the normal, unit, and the height along it, of a plane with everything below solid; None
    for none. It does not move.
    """

    starts: Doubles = field(default_factory=_none)
    ends: Doubles = field(default_factory=_none)
    radii: Doubles = field(default_factory=lambda: np.zeros(0))
    start_velocities: Doubles = field(default_factory=_none)
    end_velocities: Doubles = field(default_factory=_none)
    ground: tuple[Doubles, float] | None = None
    end_radii: Doubles | None = None

    def __bool__(self) -> bool:
        return len(self.radii) > 0 or self.ground is not None

    def push_out(self, positions: Doubles, velocities: Doubles) -> Contact:
        """Push out vertices (n, 3), each along the shortest way out of the collider that it is deepest in.

        Out of another one that it is in then, it is pushed in the next of `TURNS`.
        """
        x = positions.copy()
        normals, moving = np.zeros_like(x), np.zeros_like(x)
        who, k = np.nonzero(self._around(positions)) if len(self.radii) else (_NOBODY, _NOBODY)
        for _ in range(TURNS):
            offsets, share, radii = self._from_axes(k, x[who])
            lengths = np.sqrt(np.einsum("nc,nc->n", offsets, offsets))
            depths = radii - lengths
            inside = np.flatnonzero(depths > 0.0)
            if not len(inside):
                break
            # Of what is assigned to one vertex several times, the last counts.
            inside = inside[np.argsort(depths[inside])]
            deepest = np.full(len(x), -1)
            deepest[who[inside]] = inside
            pairs = deepest[deepest >= 0]
            pushed, of = who[pairs], k[pairs]
            away = offsets[pairs] / np.maximum(lengths[pairs], 1e-12)[:, None]
            for pair in np.flatnonzero(lengths[pairs] < 1e-12):
                away[pair] = _across(self._axes[of[pair]])
            x[pushed] += depths[pairs, None] * away
            normals[pushed] = away
            of_ends = share[pairs, None]
            moving[pushed] = (1.0 - of_ends) * self.start_velocities[of] + of_ends * self.end_velocities[of]
            again = deepest[who] >= 0
            who, k = who[again], k[again]
        if self.ground is not None:
            normal, height = self.ground
            below_by = height - x @ normal
            below = np.flatnonzero(below_by > 0.0)
            x[below] += below_by[below, None] * normal
            normals[below], moving[below] = normal, 0.0
        return Contact(x, normals, moving)

    @cached_property
    def _axes(self) -> Doubles:
        axes: Doubles = self.ends - self.starts
        return axes

    @cached_property
    def _wider(self) -> Doubles:
        """(c,): by how much the second ball is larger."""
        return np.zeros(len(self.radii)) if self.end_radii is None else self.end_radii - self.radii

    @cached_property
    def _cones(self) -> tuple[Doubles, Doubles, Doubles]:
        """(c,) each, of the ball that is nearest to a point: one over the axis' square length, so that it is
        beside the point; how much nearer to the wider end it is, in parts of the axis per metre that the
        point is beside it; and where one ball is within the other, which one it is. Else 0.
        """
        squares = np.einsum("kc,kc->k", self._axes, self._axes)
        one = squares <= self._wider**2
        whole = np.where(one, 1.0, squares * (squares - self._wider**2))
        onward = np.where(one, 0.0, self._wider / np.sqrt(whole))
        return np.where(one, 0.0, 1.0 / np.where(one, 1.0, squares)), onward, one & (self._wider > 0.0)

    @cached_property
    def _bounds(self) -> tuple[Doubles, Doubles, Doubles]:
        """The ball around each collider: middles (c, 3) from their mean, square radii (c,); the mean."""
        middles = 0.5 * (self.starts + self.ends)
        reach = 0.5 * np.linalg.norm(self._axes, axis=1) + self.radii + np.maximum(self._wider, 0.0)
        origin = middles.mean(axis=0)
        return middles - origin, np.square(reach) * (1.0 + 1e-9) + 1e-12, origin

    def _around(self, positions: Doubles) -> Mask:
        """(n, c): which vertices are in the ball around each collider, the only ones that can be inside."""
        middles, reaches, origin = self._bounds
        x = positions - origin  # little is lost to rounding in their midst
        squares = np.einsum("nc,nc->n", x, x)[:, None] - 2.0 * (x @ middles.T)
        around: Mask = squares < reaches - np.einsum("kc,kc->k", middles, middles)
        return around

    def _from_axes(self, k: Indices, points: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """The nearest ball of the capsule `k` (m,) of each point (m, 3): the point's offset from its middle
        (m, 3), where on the axis the ball is, 0 to 1 (m,), and its radius (m,).
        """
        axes, (inverse, onward, second) = self._axes[k], self._cones
        offsets = points - self.starts[k]
        share = np.einsum("nc,nc->n", offsets, axes) * inverse[k]
        if onward.any():
            share += np.linalg.norm(offsets - share[:, None] * axes, axis=1) * onward[k]
        share = np.clip(share + second[k], 0.0, 1.0)
        offsets -= share[:, None] * axes
        return offsets, share, self.radii[k] + share * self._wider[k]


def _across(axis: Doubles) -> Doubles:
    """(3,) unit: a direction across an axis, for a point on it; upwards where there is no axis."""
    if not axis.any():
        return np.array([0.0, 0.0, 1.0])
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    unit: Doubles = across / np.linalg.norm(across)
    return unit


def balls(
    centres: NDArray[np.floating],
    radii: NDArray[np.floating],
    velocities: NDArray[np.floating],
    ground: tuple[Doubles, float] | None = None,
) -> RoundColliders:
    """Balls as colliders, of middles (c, 3), radii (c,) and velocities (c, 3)."""
    at, moving = np.asarray(centres, np.float64), np.asarray(velocities, np.float64)
    return RoundColliders(at, at, np.asarray(radii, np.float64), moving, end_velocities=moving, ground=ground)
