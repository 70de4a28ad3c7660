"""Forces of `neural_physics.methods.subspace_physics.reduced_forces` for many states, with gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.arrays import Floats

LEAST = 1e-12


@dataclass(frozen=True)
class SpringsAt:
    """Springs at some states.

    along (n, 3, E), from end to end; squares (n, E), of their lengths; ratio (n, E), of those at rest to
    them; stiffness (n, E).
    """

    along: Floats
    squares: Floats
    ratio: Floats
    stiffness: Floats


class Springs:
    """f(q), with what changes in training given at each call: stretch, compression (E,)."""

    def __init__(self, basis: Floats, mean: Floats, lengths: Floats) -> None:
        """basis (u, 3 E), mean (3, E): from end to end, axis by axis. lengths (E,): at rest."""
        self._basis, self._back = basis, np.ascontiguousarray(basis.T)
        self._mean, self._lengths = mean, lengths

    def force(self, q: Floats, stretch: Floats, compression: Floats) -> tuple[Floats, SpringsAt]:
        """f (n, u) at q (n, u), and what its gradient needs."""
        n = len(q)
        along = (q @ self._basis).reshape(n, *self._mean.shape)
        along += self._mean
        squares = np.maximum(np.einsum("nie,nie->ne", along, along), LEAST)
        ratio = self._lengths / np.sqrt(squares)
        stiffness = np.where(ratio < 1.0, stretch, compression)
        pulled = along * (stiffness * (1.0 - ratio))[:, None]
        return pulled.reshape(n, -1) @ self._back, SpringsAt(along, squares, ratio, stiffness)

    def pull(self, at: SpringsAt, by_force: Floats, *, by_stretch: Floats, by_compression: Floats) -> Floats:
        """The gradient by q (n, u) where by_force (n, u) is that by f; the others are added to."""
        n = len(by_force)
        by_pulled = (by_force @ self._basis).reshape(at.along.shape)
        dot = np.einsum("nie,nie->ne", by_pulled, at.along)
        longer = 1.0 - at.ratio
        by_stiffness = dot * longer
        stretched = at.ratio < 1.0
        by_stretch += np.where(stretched, by_stiffness, 0.0).sum(0)
        by_compression += np.where(stretched, 0.0, by_stiffness).sum(0)
        by_pulled *= (at.stiffness * longer)[:, None]
        by_pulled += at.along * (at.stiffness * at.ratio * dot / at.squares)[:, None]
        return by_pulled.reshape(n, -1) @ self._back


@dataclass(frozen=True)
class ContactAt:
    """One ball at some states: of all vertices those m that are inside it, which are few.

    rows, columns (m,): of which state, which vertex. away (m, 3), from the centre to them; distance (m,);
    share (m,), of the radius to that, less 1.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    away: Floats
    distance: Floats
    share: Floats


class Contact:
    """p(q) / stiffness, with the balls given at each call."""

    def __init__(self, basis: Floats, mean: Floats) -> None:
        """basis (u, 3 P), mean (3, P): the vertices that can be pushed, axis by axis."""
        self._basis, self._back = basis, np.ascontiguousarray(basis.T)
        self._mean = mean

    def push(self, q: Floats, centres: list[Floats], radii: Floats) -> tuple[Floats, list[ContactAt]]:
        """(n, u) at q (n, u), centres of C balls (n, 3), radii (C,); and what its gradient needs."""
        n = len(q)
        places = (q @ self._basis).reshape(n, *self._mean.shape)
        places += self._mean
        total, balls = np.zeros_like(places), []
        for centre, radius in zip(centres, radii, strict=True):
            away = places - centre[:, :, None]
            squares = np.einsum("nip,nip->np", away, away)
            rows, columns = np.nonzero(squares < radius * radius)
            distance = np.sqrt(np.maximum(squares[rows, columns], LEAST))
            inside = ContactAt(rows, columns, away[rows, :, columns], distance, radius / distance - 1.0)
            total[rows, :, columns] += inside.away * inside.share[:, None]
            balls.append(inside)
        return total.reshape(n, -1) @ self._back, balls

    def pull(self, balls: list[ContactAt], by_push: Floats, radii: Floats, *, by_radii: Floats) -> Floats:
        """The gradient by q (n, u) where by_push (n, u) is that by the push; by_radii (C,) is added to."""
        n = len(by_push)
        by_total = (by_push @ self._basis).reshape(n, *self._mean.shape)
        by_places = np.zeros_like(by_total)
        for k, (at, radius) in enumerate(zip(balls, radii, strict=True)):
            by_pushed = by_total[at.rows, :, at.columns]
            dot = np.einsum("mi,mi->m", by_pushed, at.away)
            by_radii[k] += (dot / at.distance).sum()
            by_pushed *= at.share[:, None]
            by_pushed -= at.away * (radius * dot / at.distance**3)[:, None]
            by_places[at.rows, :, at.columns] += by_pushed
        return by_places.reshape(n, -1) @ self._back
