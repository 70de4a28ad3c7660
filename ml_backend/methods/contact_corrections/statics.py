"""Where a whole body rests while its handles' state is held (Romero 2021, section 4.2, Fig. 7 d and f).

The paper fixes the vertices that are handles. Points of a solid that are fixed individually are drawn out
into spikes, the sharper the finer the mesh; so here the state is held as section 6 has it for subspaces in
general: the projection of the body on the handles, by mass, is to stay. What is solved for is then just what
the handles cannot do. Cores are fixed as the paper has it: they are stiff, and go as their frames do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ml_backend.simulation.elasticity import ENERGIES
from neural_physics.arrays import Doubles, Indices
from neural_physics.datasets.body import Body
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.handles import Handles, rigid_fit
from neural_physics.solver.linear import NotPositiveDefinite, SparsePattern, choose_solver
from neural_physics.solver.newton import minimise
from neural_physics.solver.terms.solids import SolidTerm

TOLERANCE = 1e-3  # of the mean edge: how far the last Newton step may go
MOST_ITERATIONS = 60
FIRST_SHIFT, MOST_SHIFTS = 1e-7, 6  # of the mean of the diagonal, where that is not positive definite


@dataclass
class Statics:
    """Solves for shapes at rest. gravity (d,), m/s^2, in the axes of positions."""

    body: Body
    handles: Handles
    gravity: Doubles
    term: SolidTerm = field(init=False)

    def __post_init__(self) -> None:
        body = self.body
        mu, lam = body.moduli.T
        rest, d = body.rest, body.coordinates.dimension
        self.term = SolidTerm(rest, body.elements, ENERGIES[body.settings.elasticity], (mu, lam))
        self.fixed = body.pinned.copy()
        for group in body.core_groups:
            self.fixed[group] = True
        self.free = np.repeat(~self.fixed, d)
        self.pattern = SparsePattern([self.term.stencils], rest.size, self.free)
        self.solver, _ = choose_solver(self.pattern, solid=not body.flat, block=d)
        self.weight = (body.masses[:, None] * self.gravity).ravel()
        edges = body.rest_positions[body.elements[:, :2]]
        self.tolerance = TOLERANCE * float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean())
        self.held = self._held()

    def project(self, positions: Doubles, frames: Doubles) -> Doubles:
        """The free handles' q (n, d) nearest to a shape (B, d), by mass; loose frames go as their cores do.

        Section 4.2 of Romero 2021, but for the masses. frames: the pinned ones' rows of Q.
        """
        loose = self._loose_rows(positions)
        points, free = self.handles.points, ~self.fixed
        weights, masses = self.handles.weights[free], self.body.masses[free, None]
        left = positions[free] - weights[:, points:] @ np.concatenate([loose, frames])
        own = weights[:, :points]
        q = np.linalg.solve(own.T @ (masses * own), own.T @ (masses * left))
        return np.concatenate([q, loose])

    def _loose_rows(self, positions: Doubles) -> Doubles:
        """(loose (d + 1), d) m: the corners of loose frames where a shape (B, d) has their cores."""
        handles, rest = self.handles, self.body.rest
        rows = handles.rest[handles.points : handles.free].reshape(-1, handles.corners, rest.shape[1])
        found = [np.empty((0, rest.shape[1]))]
        for corners, group in zip(rows, self.body.core_groups, strict=True):
            rotation, place = rigid_fit(rest[group], positions[group])
            found.append((corners - rest[group].mean(0)) @ rotation.T + place)
        return np.concatenate(found)

    def rest(self, start: Doubles, contact: Contact, placed: Placed) -> tuple[Doubles, bool]:
        """The shape (B, d) at rest whose state is that of start (B, d), and whether it was found.

        x_int or x_ext (Romero 2021, section 4.2). placed: the contact's colliders.
        """
        objective = _Held(self, contact, placed)
        try:
            found = minimise(objective, start.ravel().copy(), self.tolerance, MOST_ITERATIONS)
        except NotPositiveDefinite:  # however much its stiffness is raised
            return start, False
        return found.q.reshape(start.shape), found.converged

    def _held(self) -> Doubles:
        """(f, d n): what of the free coordinates must stay, one column for each of the n points'."""
        n, d = self.handles.points, self.body.coordinates.dimension
        columns = np.zeros((self.body.vertex_count, d, n, d))
        for axis in range(d):
            columns[:, axis, :, axis] = self.body.masses[:, None] * self.handles.weights[:, :n]
        return columns.reshape(self.body.vertex_count * d, d * n)[self.free]


class _Held:
    """The energy of a body at rest, downhill only along what leaves the handles' state as it is."""

    def __init__(self, statics: Statics, contact: Contact, placed: Placed) -> None:
        self._s, self._contact, self._placed = statics, contact, placed
        self._at = np.zeros(0)
        self._found = np.zeros(0, np.intp), np.zeros(0), np.zeros((0, statics.body.rest.shape[1]))

    def advance(self, q: Doubles) -> tuple[Doubles, bool]:
        return q, True

    def value(self, q: Doubles) -> float:
        short = self._pressed(q)[1]
        elastic = float(self._s.term.value(q).sum())
        return elastic - float(self._s.weight @ q) + 0.5 * self._contact.stiffness * float(short @ short)

    def gradient(self, q: Doubles) -> Doubles:
        s = self._s
        stencils, vectors = s.term.stencils, s.term.gradient(q)
        total = np.bincount(stencils.ravel(), vectors.ravel(), len(q)) - s.weight
        coordinates, pushes, short = self._springs(q)
        forces = -self._contact.stiffness * short[:, None] * pushes
        total += np.bincount(coordinates.ravel(), forces.ravel(), len(q))
        return np.where(s.free, total, 0.0)

    def direction(self, q: Doubles, gradient: Doubles) -> Doubles:
        s = self._s
        self._factorise(q)
        solved = s.solver.solve(np.column_stack([gradient[s.free], s.held]))
        forces, given = solved[:, 0], solved[:, 1:]
        multipliers = np.linalg.solve(s.held.T @ given, s.held.T @ forces)
        direction = np.zeros_like(q)
        direction[s.free] = given @ multipliers - forces
        return direction

    def size(self, direction: Doubles) -> float:
        return float(np.abs(direction).max(initial=0.0))

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        return 1.0

    def _factorise(self, q: Doubles) -> None:
        """The exact Hessian where that is positive definite, else a projected one."""
        s = self._s
        try:
            s.solver.factorise(self._values(q, s.term.exact_hessian(q)))
            return
        except NotPositiveDefinite:
            values = self._values(q, s.term.hessian(q))
        shift = FIRST_SHIFT * float(np.abs(values[s.pattern.diagonal]).mean())
        for _ in range(MOST_SHIFTS):
            values[s.pattern.diagonal] += shift
            shift *= 10.0
            try:
                s.solver.factorise(values)
                return
            except NotPositiveDefinite:
                continue
        raise NotPositiveDefinite

    def _values(self, q: Doubles, elastic: Doubles) -> Doubles:
        """The values of the matrix: the elastic Hessians and those of what presses."""
        pattern = self._s.pattern
        values = pattern.assemble([elastic])
        coordinates, pushes, _ = self._springs(q)
        if len(pushes):
            blocks = self._contact.stiffness * pushes[:, :, None] * pushes[:, None, :]
            touching = pattern.block_places(coordinates)
            assert touching is not None  # a point hangs on one vertex, or on those of one tetrahedron
            values = values + pattern.sum([(touching.at, touching.entries(blocks))])
        return values

    def _pressed(self, q: Doubles) -> tuple[Indices, Doubles, Doubles]:
        """What presses at q; kept for the latest q, since value, gradient and Hessian ask for the same."""
        if not np.array_equal(self._at, q):
            self._at, self._found = q.copy(), self._seen(q)
        return self._found

    def _seen(self, q: Doubles) -> tuple[Indices, Doubles, Doubles]:
        return self._contact.pressed(q.reshape(-1, self._s.body.coordinates.dimension), self._placed)

    def _springs(self, q: Doubles) -> tuple[Indices, Doubles, Doubles]:
        """(k, s d): coordinates of q, and how much each pushes a point off; (k,) short of reach."""
        contact = self._contact
        which, short, normals = self._pressed(q)
        corners, weights = contact.corners[which], contact.weights[which]
        d, count = normals.shape[1], normals.shape[1] * corners.shape[1]
        coordinates = (d * corners[:, :, None] + np.arange(d)).reshape(len(which), count)
        pushes = (weights[:, :, None] * normals[:, None, :]).reshape(len(which), count)
        return coordinates, pushes, short
