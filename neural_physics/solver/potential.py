"""What a step in time, or rest, is the minimum of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Doubles
from .assembly import Assembly
from .contact.embedded import CarriedFriction
from .contact.friction import RigidFriction
from .linear import NotPositiveDefinite
from .system import State, System
from .terms.term import Term, WithExactHessian


class Potential:
    """V(x) - f.x, V being all terms and the contact of the body with itself.

    The entries that are not free go to their target while the minimum is sought, and colliders along
    their motion, as far as nothing is in their way at first (see `contact.rigid`).
    """

    def __init__(
        self,
        system: System,
        assembly: Assembly,
        force: Doubles,
        target: Doubles,
        *,
        ahead: Doubles | None = None,
    ) -> None:
        """force (n,) N; target (n,): where the entries that are not free go.

        ahead (n,): by how much the others are advanced before the minimum is sought; None: not at all.
        """
        self._system, self._assembly, self._force, self._target = system, assembly, force, target
        self._terms: list[Term] = list(system.terms)
        self._friction: RigidFriction | CarriedFriction | None = None
        self._ahead: Doubles = np.zeros_like(target) if ahead is None else ahead

    def begin(self, state: State, dt: float) -> None:
        """Let contact begin a step, from the state and dt seconds long, in which colliders move.

        Raises ValueError where a body is in a collider, or passes through itself.
        """
        surroundings = self._system.surroundings
        if surroundings is not None:
            contact = surroundings.contact
            contact.begin_step(state.q, surroundings.motions(state.time, state.time + dt))
            self._terms.append(contact)
            if dt > 0.0 and surroundings.frictions.any():
                self._friction = surroundings.friction(state.q, dt)
                self._terms.append(self._friction)
        if self._system.self_contact is not None:
            self._system.self_contact.begin_step(state.q)

    def advance(self, q: Doubles) -> tuple[Doubles, bool]:
        """q and the colliders advanced towards their targets, and whether they are there."""
        system = self._system
        lead = np.where(system.free, self._ahead, self._target - q)
        self._ahead = np.zeros_like(q)
        contact = system.surroundings.contact if system.surroundings else None
        if contact is not None:
            lead = np.where(system.free, contact.carry(q, lead), lead)
        if not lead.any() and (contact is None or contact.progress == 1.0):
            return q, True
        share = contact.largest_advance(q, lead) if contact else 1.0
        if system.self_contact is not None:
            share = min(share, system.self_contact.largest_step(q, lead))
        q = q + share * lead
        if contact is not None:
            contact.advance(share)
        if share == 1.0:
            q[~system.free] = self._target[~system.free]
        return q, share == 1.0

    def size(self, direction: Doubles) -> float:
        """See `newton.Objective`."""
        return float(np.abs(self._system.reach * direction).max(initial=0.0))

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        """See `newton.Objective`. Limited by contact with colliders and with the body itself."""
        system, share = self._system, 1.0
        if system.surroundings is not None:
            share = system.surroundings.contact.largest_step(q, direction)
        if system.self_contact is not None:
            share = min(share, system.self_contact.largest_step(q, direction))
        return share

    def value(self, q: Doubles) -> float:
        """See `newton.Objective`. In J."""
        value = sum(float(term.value(q).sum()) for term in self._terms) - float(self._force @ q)
        if self._system.self_contact is not None:
            value += self._system.self_contact.value(q)
        return value

    def gradient(self, q: Doubles) -> Doubles:
        """See `newton.Objective`."""
        stencils = [term.stencils for term in self._terms]
        gradient = self._assembly.vector(stencils, [term.gradient(q) for term in self._terms]) - self._force
        if self._system.self_contact is not None:
            gradient += self._system.self_contact.gradient(q)
        return np.where(self._system.free, gradient, 0.0)

    def direction(self, q: Doubles, gradient: Doubles) -> Doubles:
        """Newton's, by the exact Hessians where their sum is positive definite, else by projected ones.

        Most often it is, and to project elements one by one then costs time, or steps (Longva et al. 2023).
        """
        if self._friction is not None:
            self._friction.observe(q)
        stencils = [term.stencils for term in self._terms]
        more = self._system.self_contact.sparse_hessian(q) if self._system.self_contact else None
        diagonal = self._diagonal(q)
        if any(isinstance(term, WithExactHessian) for term in self._terms):
            try:
                hessians = self._hessians(q, exact=True)
                return self._assembly.solve(stencils, hessians, diagonal, -gradient, more=more, shifted=False)
            except NotPositiveDefinite:
                pass
        return self._assembly.solve(stencils, self._hessians(q, exact=False), diagonal, -gradient, more=more)

    def _hessians(self, q: Doubles, exact: bool) -> list[Doubles]:
        return [
            term.exact_hessian(q) if exact and isinstance(term, WithExactHessian) else term.hessian(q)
            for term in self._terms
        ]

    def _diagonal(self, q: Doubles) -> Doubles:
        """(n,), what the Hessian has on its diagonal beside that of the terms."""
        return np.zeros_like(q)


class IncrementalPotential(Potential):
    """The potential of one step of implicit Euler (see `implicit_euler`)."""

    def __init__(
        self, system: System, assembly: Assembly, state: State, dt: float, *, target: Doubles
    ) -> None:
        super().__init__(system, assembly, np.zeros_like(state.q), target)
        force = system.force(state.q, state.velocity, state.time)
        force = force - system.mass_damping * system.masses * state.velocity
        self._inertia = system.masses / dt**2
        self._predicted, self._before = state.q + dt * state.velocity, state.q
        moving = system.free & (system.masses > 0.0)
        self._predicted[moving] += force[moving] / self._inertia[moving]
        damping = system.stiffness_damping / dt
        self._damping = [damping * term.hessian(state.q) for term in system.terms] if damping else []
        ahead = dt * state.velocity
        if self._is_good_start(state.q, ahead):
            self._ahead = ahead
        self.begin(state, dt)

    def value(self, q: Doubles) -> float:
        """See `Potential`; with inertia and stiffness damping."""
        away = q - self._predicted
        value = super().value(q) + 0.5 * float(self._inertia @ away**2)
        for moved, drag in self._drags(q):
            value += 0.5 * float((moved * drag).sum())
        return value

    def _is_good_start(self, q: Doubles, ahead: Doubles) -> bool:
        """Whether to start from q + ahead: where the terms bend less on the way than inertia gains by it.

        A soft body that moves on is nearly there. What turns and is stiff is not: it would be stretched.
        """
        bent = 0.0
        for term in self._system.terms:
            slope = (ahead[term.stencils] * term.gradient(q)).sum()
            bent += float(term.value(q + ahead).sum() - term.value(q).sum() - slope)
        return bent < 0.5 * float(self._inertia @ ahead**2)

    def gradient(self, q: Doubles) -> Doubles:
        """See `Potential`; with inertia and stiffness damping."""
        gradient = super().gradient(q) + self._inertia * (q - self._predicted)
        drags = [drag for _, drag in self._drags(q)]
        damped = [term.stencils for term in self._system.terms[: len(drags)]]
        gradient += self._assembly.vector(damped, drags)
        return np.where(self._system.free, gradient, 0.0)

    def _hessians(self, q: Doubles, exact: bool) -> list[Doubles]:
        hessians = super()._hessians(q, exact)
        for k, damping in enumerate(self._damping):
            hessians[k] += damping  # fresh ones: new memory for so much takes as long as the sum
        return hessians

    def _diagonal(self, q: Doubles) -> Doubles:
        return self._inertia

    def _drags(self, q: Doubles) -> Iterator[tuple[Doubles, Doubles]]:
        """How far the degrees of freedom of each damped term have moved, and the drag on them."""
        moved = q - self._before
        for term, damping in zip(self._system.terms, self._damping, strict=False):
            there = moved[term.stencils]
            yield there, (damping @ there[..., None])[..., 0]
