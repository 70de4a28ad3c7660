"""Implicit Euler as a minimisation (Martin et al. 2011, Gast et al. 2015).

One step of size dt from (q, v) ends at the minimum of the incremental potential

    1/(2 dt^2) (x - q^)^T M (x - q^) + V(x) + D(x),     q^ = q + dt v + dt^2 M^-1 f

over the free entries of x, V being the sum of the terms, f the forces that have no potential here, and
D the dissipation, a quadratic form of x - q. The new velocity is (x - q) / dt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .assembly import Assembly
from .newton import minimise
from .term import Array, Barrier, Mask, Term

MOST_HALVINGS = 4  # of a step that does not converge: sixteen parts at most


@dataclass(frozen=True)
class State:
    """q (n,) and its velocity (n,), per second, at a time in seconds.

    converged: whether the step to it, and all of its parts where it was halved, ended at a minimum.
    """

    q: Array
    velocity: Array
    time: float = 0.0
    converged: bool = True
    iterations: int = 0


def no_force(q: Array, velocity: Array, time: float) -> Array:
    """Nothing pushes."""
    return np.zeros_like(q)


def gravity(masses: Array, acceleration: Sequence[float]) -> Callable[[Array, Array, float], Array]:
    """The weight of vertices; masses (n,) kg, 0 beyond the vertices' coordinates; acceleration (d,) m/s^2."""
    force = masses * np.resize(np.asarray(acceleration, np.float64), len(masses))
    return lambda q, velocity, time: force


@dataclass(frozen=True)
class System:
    """What moves.

    masses: (n,) kg; of angles kg m^2. free: (n,) which entries are solved for; the others go where each step
    is told. barriers: the terms among `terms` that q must not cross. force: N, of q, velocity and time at the
    start of a step. mass_damping (1/s) and stiffness_damping (s): Rayleigh's, the stiffness that of the start
    of a step. solid: whether there are elements that fill a volume, not only shells and rods.
    """

    masses: Array
    terms: Sequence[Term]
    free: Mask
    barriers: Sequence[Barrier] = ()
    force: Callable[[Array, Array, float], Array] = no_force
    mass_damping: float = 0.0
    stiffness_damping: float = 0.0
    solid: bool = True


@dataclass
class ImplicitEuler:
    """Steps a system. tolerance: of each entry of q, in its unit, when a minimum counts as found."""

    system: System
    tolerance: float
    most_iterations: int = 50
    assembly: Assembly = field(init=False)

    def __post_init__(self) -> None:
        system = self.system
        self.assembly = Assembly(system.terms, len(system.masses), system.free, system.solid)

    def step(self, state: State, dt: float, fixed: Callable[[float], Array] | None = None) -> State:
        """The state dt seconds later.

        fixed: q (n,) of a time, of which the entries that are not free are taken; None: they stay.
        A step that finds no minimum is halved, up to `MOST_HALVINGS` times; if a part still finds none,
        the state is the best that was reached, and says so.
        """
        return self._step(state, dt, fixed, MOST_HALVINGS)

    def _step(self, state: State, dt: float, fixed: Callable[[float], Array] | None, halvings: int) -> State:
        reached = self._whole_step(state, dt, fixed)
        if reached.converged or not halvings:
            return reached
        middle = self._step(state, 0.5 * dt, fixed, halvings - 1)
        end = self._step(middle, 0.5 * dt, fixed, halvings - 1)
        # What no part of the step was able to reach is not made better by the parts after it.
        converged = middle.converged and end.converged
        iterations = reached.iterations + middle.iterations + end.iterations
        return replace(end, converged=converged, iterations=iterations)

    def _whole_step(self, state: State, dt: float, fixed: Callable[[float], Array] | None) -> State:
        system, time = self.system, state.time + dt
        force = system.force(state.q, state.velocity, state.time) - system.mass_damping * (
            system.masses * state.velocity
        )
        predicted = state.q + dt * state.velocity
        moving = system.free & (system.masses > 0.0)
        predicted[moving] += dt**2 * force[moving] / system.masses[moving]
        start = state.q.copy()
        if fixed is not None:
            start[~system.free] = fixed(time)[~system.free]
        objective = _IncrementalPotential(self, state.q, predicted, dt)
        found = minimise(objective, start, self.tolerance, self.most_iterations)
        return State(found.q, (found.q - state.q) / dt, time, found.converged, found.iterations)


def equilibrium(
    system: System, q: Array, tolerance: float, time: float = 0.0, most_iterations: int = 200
) -> State:
    """Where the system rests, from q (n,), of which the entries that are not free stay."""
    solver = ImplicitEuler(system, tolerance, most_iterations)
    force = system.force(q, np.zeros_like(q), time)
    found = minimise(_Potential(solver, force), q, tolerance, most_iterations)
    return State(found.q, np.zeros_like(q), time, found.converged, found.iterations)


class _Potential:
    """V(x) - f.x"""

    def __init__(self, solver: ImplicitEuler, force: Array) -> None:
        self._system, self._assembly, self._force = solver.system, solver.assembly, force
        self._assembly.refresh()

    def value(self, q: Array) -> float:
        return self._assembly.value(q) - float(self._force @ q)

    def gradient(self, q: Array) -> Array:
        return self._of_free(self._assembly.vector(self._assembly.gradients(q)) - self._force)

    def direction(self, q: Array, gradient: Array) -> Array:
        return self._assembly.solve(self._assembly.hessians(q), np.zeros_like(q), -gradient)

    def largest_step(self, q: Array, direction: Array) -> float:
        return min((barrier.largest_step(q, direction) for barrier in self._system.barriers), default=1.0)

    def _of_free(self, gradient: Array) -> Array:
        return np.where(self._system.free, gradient, 0.0)


class _IncrementalPotential(_Potential):
    def __init__(self, solver: ImplicitEuler, q: Array, predicted: Array, dt: float) -> None:
        super().__init__(solver, np.zeros_like(q))
        self._inertia = self._system.masses / dt**2
        self._predicted, self._before = predicted, q
        damping = self._system.stiffness_damping / dt
        self._damping = [damping * block for block in self._assembly.hessians(q)] if damping else []

    def value(self, q: Array) -> float:
        away = q - self._predicted
        value = super().value(q) + 0.5 * float(self._inertia @ away**2)
        for moved, force in self._drag(q):
            value += 0.5 * float((moved * force).sum())
        return value

    def gradient(self, q: Array) -> Array:
        gradients = self._assembly.gradients(q)
        if self._damping:
            drag = self._drag(q)
            gradients = [block + force for block, (_, force) in zip(gradients, drag, strict=True)]
        return self._of_free(self._assembly.vector(gradients) + self._inertia * (q - self._predicted))

    def direction(self, q: Array, gradient: Array) -> Array:
        hessians = self._assembly.hessians(q)
        if self._damping:
            hessians = [block + damping for block, damping in zip(hessians, self._damping, strict=True)]
        return self._assembly.solve(hessians, self._inertia, -gradient)

    def _drag(self, q: Array) -> Iterator[tuple[Array, Array]]:
        """Of each term's elements: how far their degrees of freedom have moved, and the drag on them."""
        moved = q - self._before
        for term, damping in zip(self._system.terms if self._damping else (), self._damping, strict=True):
            there = moved[term.stencils]
            yield there, (damping @ there[..., None])[..., 0]
