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
        """The gradient by q (n, u) where by_force (n, u) is that by f; the others are added to.

        To be called once for each state: `at` is used up, as half of the time goes into new memory.
        """
        n = len(by_force)
        by_pulled = (by_force @ self._basis).reshape(at.along.shape)
        dot = np.einsum("nie,nie->ne", by_pulled, at.along)
        longer = 1.0 - at.ratio
        by_stiffness = dot * longer
        stretched = np.einsum("ne,ne->e", by_stiffness, (longer > 0.0).astype(longer.dtype))
        by_stretch += stretched
        by_compression += by_stiffness.sum(0) - stretched
        longer *= at.stiffness
        by_pulled *= longer[:, None]
        dot *= at.stiffness
        dot *= at.ratio
        dot /= at.squares
        by_pulled += np.multiply(at.along, dot[:, None], out=at.along)
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
        self._basis, self._mean = basis, mean
        self._of_each = np.ascontiguousarray(basis.reshape(len(basis), *mean.shape).T)

    def push(self, q: Floats, centres: list[Floats], radii: Floats) -> tuple[Floats, list[ContactAt]]:
        """(n, u) at q (n, u), centres of C balls (n, 3), radii (C,); and what its gradient needs."""
        n = len(q)
        places = (q @ self._basis).reshape(n, *self._mean.shape)
        places += self._mean
        total, balls = np.zeros_like(q), []
        room = places if len(centres) == 1 else np.empty_like(places)
        for centre, radius in zip(centres, radii, strict=True):
            away = np.subtract(places, centre[:, :, None], out=room)
            squares = np.einsum("nip,nip->np", away, away)
            rows, columns = np.divmod(np.flatnonzero(squares < radius * radius), squares.shape[1])
            distance = np.sqrt(np.maximum(squares[rows, columns], LEAST))
            inside = ContactAt(rows, columns, away[rows, :, columns], distance, radius / distance - 1.0)
            _add(total, rows, inside.away * inside.share[:, None], self._of_each[columns])
            balls.append(inside)
        return total, balls

    def pull(self, balls: list[ContactAt], by_push: Floats, radii: Floats, *, by_radii: Floats) -> Floats:
        """The gradient by q (n, u) where by_push (n, u) is that by the push; by_radii (C,) is added to."""
        by_q = np.zeros_like(by_push)
        for k, (at, radius) in enumerate(zip(balls, radii, strict=True)):
            of_each = self._of_each[at.columns]
            by_pushed = np.matmul(of_each, by_push[at.rows][:, :, None])[:, :, 0]
            dot = np.einsum("mi,mi->m", by_pushed, at.away)
            by_radii[k] += (dot / at.distance).sum()
            by_pushed *= at.share[:, None]
            by_pushed -= at.away * (radius * dot / at.distance**3)[:, None]
            _add(by_q, at.rows, by_pushed, of_each)
        return by_q


def _add(total: Floats, rows: NDArray[np.int64], vectors: Floats, of_each: Floats) -> None:
    """Add vectors (m, 3), in bases (m, 3, u) of their own, to the states (n, u) of sorted rows (m,)."""
    if len(rows):
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        in_bases = np.matmul(vectors[:, None], of_each)[:, 0]
        total[rows[first]] += np.add.reduceat(in_bases, first, axis=0)
