"""Coulomb friction of vertices on rigid colliders, by a dissipative potential with lagged normal forces."""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles, Indices
from .rigid import Contacts

SAME_WAY = 0.9  # the cosine from which on two slides go the same way
SURE_AFTER = 2  # iterations in which a vertex has slid further the same way
EASED = 0.05  # of the curvature along the slide is left for it then


class RigidFriction:
    """A `Term` whose elements are contacts as they were when last lagged (Li et al. 2020, section 5).

    A minimisation calls `observe` at each of its iterations.

    value = mu * force * f0(|u|), with u the way that a vertex slides on its collider in this step and f0
    their equation 14: smooth up to sliding at eps_v, where friction reaches its full strength.
    Lagging once more and minimising again brings forces and directions to their values at the step's end.
    """

    def __init__(self, coefficients: Doubles, eps_v: float, dt: float) -> None:
        """coefficients (C,), one for each collider; eps_v in m/s, positive; dt: the time step in s."""
        self._coefficients = np.asarray(coefficients, np.float64)
        self._slip = eps_v * dt
        self._strengths = np.zeros(0)

    def lag(self, contacts: Contacts, q_before: Doubles) -> None:
        """Take forces and normals from contacts. q_before (n,): the positions at the step's start."""
        self._stencils = contacts.stencils
        self._strengths = self._coefficients[contacts.colliders] * contacts.forces
        self._normals = contacts.normals
        self._origins = q_before[contacts.stencils] + contacts.displacements
        self._seen = np.zeros_like(self._normals)
        self._growing = np.zeros(len(self._normals), np.intp)

    def observe(self, q: Doubles) -> None:
        """See which vertices slide further and further; called before each iteration of a minimisation."""
        slides = self._slides(q)
        before, now = (np.linalg.norm(u, axis=1) for u in (self._seen, slides))
        onward = ((slides * self._seen).sum(1) > SAME_WAY * before * now) & (now > before)
        self._growing = np.where(onward, self._growing + 1, 0)
        self._seen = slides

    @property
    def stencils(self) -> Indices:
        """(m, d), of the lagged contacts."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """(m,) J."""
        lengths = np.linalg.norm(self._slides(q), axis=1)
        slip = self._slip
        stuck = lengths * lengths / slip * (1.0 - lengths / (3.0 * slip)) + slip / 3.0
        return self._strengths * np.where(lengths < slip, stuck, lengths)

    def gradient(self, q: Doubles) -> Doubles:
        """(m, d), the force against sliding."""
        slides = self._slides(q)
        return (self._strengths * self._f1_over(np.linalg.norm(slides, axis=1)))[:, None] * slides

    def hessian(self, q: Doubles) -> Doubles:
        """(m, d, d), of the paraboloid above f0 that touches it: positive definite in the plane of contact.

        As f0 is concave in |u|^2 a Newton step on it cannot overshoot. The Hessian itself is flat along what
        slides: there steps went past the point of sticking, to and fro, hundreds of times. But what begins to
        slide gets away only by a factor in each step: where a vertex has slid on and on the same way it is
        let go.
        """
        slides = self._slides(q)
        lengths = np.linalg.norm(slides, axis=1)
        planes = np.eye(self._normals.shape[1]) - self._normals[:, :, None] * self._normals[:, None, :]
        let_go = (self._growing >= SURE_AFTER) & (lengths > self._slip)
        directions = slides / np.maximum(lengths, self._slip)[:, None]
        eased = np.where(let_go, 1.0 - EASED, 0.0)[:, None, None]
        planes -= eased * directions[:, :, None] * directions[:, None, :]
        return (self._strengths * self._f1_over(lengths))[:, None, None] * planes

    def _slides(self, q: Doubles) -> Doubles:
        """(m, d), how far vertices slid on their colliders, in m."""
        moved = q[self._stencils] - self._origins
        return moved - np.einsum("md,md->m", moved, self._normals)[:, None] * self._normals

    def _f1_over(self, lengths: Doubles) -> Doubles:
        """f1(y) / y (m,), the derivative of f0 by y over y, in 1/m."""
        stuck = (2.0 - lengths / self._slip) / self._slip
        return np.where(lengths < self._slip, stuck, 1.0 / np.maximum(lengths, self._slip))
