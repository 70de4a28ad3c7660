"""Implicit Euler as a minimisation (Martin et al. 2011, Gast et al. 2015).

One step of size dt from (q, v) ends at the minimum of the incremental potential

    1/(2 dt^2) (x - q^)^T M (x - q^) + V(x) + D(x),     q^ = q + dt v + dt^2 M^-1 f

over the free entries of x, V being the sum of the terms, f the forces that have no potential here, and
D the dissipation, a quadratic form of x - q. The new velocity is (x - q) / dt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Doubles
from .assembly import Assembly
from .newton import minimise
from .potential import IncrementalPotential, Potential
from .system import State, System

MOST_HALVINGS = 4  # of a step that does not converge: sixteen parts at most


@dataclass
class ImplicitEuler:
    """Steps a system. tolerance, m: a minimum counts as found when Newton's step goes no further."""

    system: System
    tolerance: float
    most_iterations: int = 50
    assembly: Assembly = field(init=False)

    def __post_init__(self) -> None:
        self.assembly = assembly_of(self.system)

    def step(self, state: State, dt: float, fixed: Callable[[float], Doubles] | None = None) -> State:
        """The state dt seconds later.

        fixed: q (n,) of a time, of which the entries that are not free are taken; None: they stay.
        A step that finds no minimum is halved, up to `MOST_HALVINGS` times; if a part still finds none,
        the state is the best that was reached, and says so.
        Raises ValueError where a body is in a collider, or passes through itself.
        """
        return self._step(state, dt, fixed, MOST_HALVINGS)

    def _step(
        self, state: State, dt: float, fixed: Callable[[float], Doubles] | None, halvings: int
    ) -> State:
        reached = self._whole_step(state, dt, fixed)
        if reached.converged or not halvings:
            return reached
        middle = self._step(state, 0.5 * dt, fixed, halvings - 1)
        end = self._step(middle, 0.5 * dt, fixed, halvings - 1)
        # What a part of the step was not able to reach is not made better by the parts after it.
        converged = middle.converged and end.converged
        iterations = reached.iterations + middle.iterations + end.iterations
        return replace(end, converged=converged, iterations=iterations)

    def _whole_step(self, state: State, dt: float, fixed: Callable[[float], Doubles] | None) -> State:
        time = state.time + dt
        target = state.q if fixed is None else fixed(time)
        potential = IncrementalPotential(self.system, self.assembly, state, dt, target=target)
        found = minimise(potential, state.q, self.tolerance, self.most_iterations)
        return State(found.q, (found.q - state.q) / dt, time, found.converged, iterations=found.iterations)


def equilibrium(
    system: System, q: Doubles, tolerance: float, time: float = 0.0, *, most_iterations: int = 200
) -> State:
    """Where the system rests, from q (n,), of which the entries that are not free stay; colliders stand.

    Raises ValueError where a body is in a collider, or passes through itself.
    """
    at_rest = np.zeros_like(q)
    potential = Potential(system, assembly_of(system), system.force(q, at_rest, time), q)
    potential.begin(State(q, at_rest, time), 0.0)
    found = minimise(potential, q, tolerance, most_iterations)
    return State(found.q, at_rest, time, found.converged, iterations=found.iterations)


def assembly_of(system: System) -> Assembly:
    """The matrix of a system's terms, nothing yet known of what touches."""
    return Assembly([term.stencils for term in system.terms], len(system.masses), system.free, system.solid)
