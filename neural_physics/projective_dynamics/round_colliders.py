"""Balls, capsules and the ground, as ADMM asks for them: where vertices go that are inside."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .admm import Array, Contact


def _none() -> Array:
    return np.zeros((0, 3))


@dataclass(frozen=True)
class RoundColliders:
    """What cloth is pushed out of at one moment, metres and m/s, in the cloth's axes.

    starts, ends (c, 3): the middles of each capsule's two balls, the same twice for a ball; radii (c,).
    start_velocities, end_velocities (c, 3). ground: the normal, unit, and the height along it, of a plane
    with everything below solid; None for none. It does not move.
    """

    starts: Array = field(default_factory=_none)
    ends: Array = field(default_factory=_none)
    radii: Array = field(default_factory=lambda: np.zeros(0))
    start_velocities: Array = field(default_factory=_none)
    end_velocities: Array = field(default_factory=_none)
    ground: tuple[Array, float] | None = None

    def __bool__(self) -> bool:
        return len(self.radii) > 0 or self.ground is not None

    def push_out(self, positions: Array, velocities: Array) -> Contact:
        """Of vertices (n, 3), each along the shortest way, out of one collider after the other."""
        x = positions.copy()
        normals, moving = np.zeros_like(x), np.zeros_like(x)
        for k in range(len(self.radii)):
            axis = self.ends[k] - self.starts[k]
            offsets = x - self.starts[k]
            square = float(axis @ axis)
            share = np.clip(offsets @ axis / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(x))
            offsets -= share[:, None] * axis
            squares = np.einsum("nc,nc->n", offsets, offsets)
            inside = np.flatnonzero(squares < self.radii[k] ** 2)
            if not len(inside):
                continue
            lengths = np.sqrt(squares[inside])
            away = offsets[inside] / np.maximum(lengths, 1e-12)[:, None]
            away[lengths < 1e-12] = (0.0, 0.0, 1.0)
            x[inside] += (self.radii[k] - lengths)[:, None] * away
            normals[inside] = away
            of_ends = share[inside, None]
            moving[inside] = (1.0 - of_ends) * self.start_velocities[k] + of_ends * self.end_velocities[k]
        if self.ground is not None:
            normal, height = self.ground
            depths = height - x @ normal
            below = np.flatnonzero(depths > 0.0)
            x[below] += depths[below, None] * normal
            normals[below], moving[below] = normal, 0.0
        return Contact(x, normals, moving)


def balls(
    centres: NDArray[np.floating],
    radii: NDArray[np.floating],
    velocities: NDArray[np.floating],
    ground: tuple[Array, float] | None = None,
) -> RoundColliders:
    """Of middles (c, 3), radii (c,) and velocities (c, 3)."""
    at, moving = np.asarray(centres, np.float64), np.asarray(velocities, np.float64)
    return RoundColliders(at, at, np.asarray(radii, np.float64), moving, moving, ground)
