"""Projective dynamics by ADMM: implicit Euler steps of cloth with one factorisation for all of them.

NumPy only, so that a player can step coarse cloth with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Indices
from ..energies.local_steps import LocalTerm

Solve = Callable[[Doubles], Doubles]

# The weight of contacts against a vertex' inertia: less lets stiff cloth sink in over 20 iterations, and
# ten times as much slows down what is not in contact.
CONTACT_WEIGHT = 3.0
ROUNDING = 1e-12  # of the largest entry


class Contact(NamedTuple):
    """Vertices pushed out of colliders: all (n, 3); the normal is (0, 0, 0) where nothing was pushed.

    positions: metres. normals: unit, away from the collider. velocities: the colliders' surface, m/s.
    """

    positions: Doubles
    normals: Doubles
    velocities: Doubles


PushOut = Callable[[Doubles, Doubles], Contact]


def system_blocks(
    masses: Doubles, terms: Sequence[LocalTerm], dt: float, contacts: bool = False
) -> tuple[list[Indices], list[Doubles]]:
    """M / dt^2 + D^T W^2 D of one coordinate, as stencils (m, s) of vertices and blocks (m, s, s), N/m.

    What eq. 3 of Oh 2018 comes to where ADMM solves it.

    masses (n,), kg. contacts: with the weights that contacts need at each vertex. For
    `linear.SparsePattern`, whose solver's `solve` then serves as ADMM's.
    """
    stencils = [np.arange(len(masses))[:, None], *[term.stencils.T for term in terms]]
    own = 1.0 + CONTACT_WEIGHT if contacts else 1.0
    blocks = [(own * masses / dt**2)[:, None, None]]
    for term in terms:
        blocks.append(np.einsum("rsm,rtm,m->mst", term.operator, term.operator, term.weight))
    return stencils, blocks


def _inverse(matrix: Doubles) -> Doubles:
    """Of a matrix (f, f) that is positive definite but for rounding, which may have left it none."""
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.linalg.inv(matrix + ROUNDING * np.abs(matrix).max() * np.eye(len(matrix)))


class ADMM:
    """Steps of x = argmin |M^1/2 (x - x~)|^2 / (2 dt^2) + U(D x), x~ = x + dt v + dt^2 f / m.

    That is eq. 3 of Oh 2018.

    Narain, Overby and Brown 2016, "ADMM contains projective dynamics", with the order of the
    steps as in Overby et al. 2017: the local steps first, then the dual update, then the global step.

    masses (n,), kg. terms: `balanced` first where they are stiff. dt: seconds. pinned (p,): vertices that
    are where they are put (eliminated from the system: hard). contacts: whether there are colliders
    to push vertices out of. solve: from b (f, 3) to x of `system_blocks` without the rows and columns of
    what is pinned; a dense inverse if None, which suits up to about a thousand vertices.
    Raises ValueError for masses or a time step that are not positive.
    """

    def __init__(
        self,
        masses: Doubles,
        terms: Sequence[LocalTerm],
        dt: float,
        pinned: Indices | Sequence[int] = (),
        *,
        contacts: bool = False,
        solve: Solve | None = None,
    ) -> None:
        if not (dt > 0.0 and (masses > 0.0).all()):
            raise ValueError("The time step and all masses must be positive.")
        self.masses, self.terms, self.dt, self.contacts = masses, terms, dt, contacts
        self.pinned: Indices = np.asarray(pinned, np.intp)
        self.free: Indices = np.setdiff1d(np.arange(len(masses)), self.pinned)
        self._solve = solve or self._dense_solve()

    def _dense_solve(self) -> Solve:
        n = len(self.masses)
        matrix = np.zeros((n, n))
        stencils, blocks = system_blocks(self.masses, self.terms, self.dt, self.contacts)
        for stencil, block in zip(stencils, blocks, strict=True):
            np.add.at(matrix, (stencil[:, :, None], stencil[:, None, :]), block)
        return _inverse(matrix[np.ix_(self.free, self.free)]).__matmul__

    def step(
        self,
        positions: Doubles,
        velocities: Doubles,
        forces: Doubles,
        *,
        pinned_positions: Doubles | None = None,
        iterations: int = 20,
        push_out: PushOut | None = None,
        friction: float = 0.0,
    ) -> tuple[Doubles, Doubles]:
        """Positions and velocities (n, 3) one time step later, m and m/s: eqs. 1 and 2 of Oh 2018, as eq. 3.

        forces (n, 3): gravity and other forces that the step holds constant, N. pinned_positions (p, 3):
        where pinned vertices go; they stay if None. iterations: 20 in Oh et al. 2018, section 4.
        push_out: takes positions and velocities (n, 3), by which it can see where they came from, and
        gives them outside of the colliders; called in each iteration and once more at the end. It is the
        local step of an energy that is infinite inside, so that what is attached feels it. friction:
        Coulomb's coefficient: the local step moves a vertex along a surface by at most so many times what
        it moves it out, as both are proportional to the forces.
        Raises ValueError for push_out where the system was made without contacts.
        """
        if push_out is not None and not self.contacts:
            raise ValueError("To push vertices out of colliders, ADMM has to be made with contacts.")
        n = len(self.masses)
        start, inertia = positions.T, np.asarray(self.masses / self.dt**2)
        inertial: Doubles = start + self.dt * velocities.T + forces.T / inertia
        inertial[:, self.pinned] = start[:, self.pinned] if pinned_positions is None else pinned_positions.T
        x = inertial.copy()
        duals, contact_dual = [np.zeros(()) for _ in self.terms], np.zeros_like(x)
        for _ in range(iterations):
            # For the change of x, so that pins need no terms of their own on the right.
            right = inertia * (inertial - x)
            for i, term in enumerate(self.terms):
                reduced = term.reduce(x)
                p = reduced + duals[i]
                z = term.step(p)
                duals[i] = p - z
                right += term.spread(z - duals[i] - reduced, n)
            if push_out is not None:
                p = x + contact_dual
                z = self._contact_step(start, p, push_out, friction)
                contact_dual = p - z
                right += CONTACT_WEIGHT * inertia * (z - contact_dual - x)
            x[:, self.free] += self._solve(right[:, self.free].T).T
        after = np.ascontiguousarray(x.T)
        if push_out is not None:
            after[self.free] = push_out(after, (after - positions) / self.dt).positions[self.free]
        return after, (after - positions) / self.dt

    def _contact_step(self, start: Doubles, p: Doubles, push_out: PushOut, friction: float) -> Doubles:
        """z (3, n) outside of the colliders, nearest to p (3, n) but for friction."""
        pushed, normals, velocities = push_out(p.T, (p - start).T / self.dt)
        depth = np.linalg.norm(pushed - p.T, axis=1)
        slide = pushed - start.T - self.dt * velocities
        slide -= normals * np.einsum("nc,nc->n", slide, normals)[:, None]
        length = np.linalg.norm(slide, axis=1)
        held = np.minimum(friction * depth, length) / np.maximum(length, 1e-30)
        held[~normals.any(axis=1)] = 0.0
        outside: Doubles = (pushed - held[:, None] * slide).T
        return outside
