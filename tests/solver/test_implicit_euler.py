"""Steps in time against implicit Euler's own closed forms; what does not converge says so."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.solver.implicit_euler import ImplicitEuler, equilibrium
from neural_physics.solver.system import State, System, gravity


class Springs:
    """Vertices, each tied to the origin: k/2 |x|^2. Counts how often it is asked."""

    def __init__(self, vertices, stiffness):
        self.stencils = np.arange(3 * vertices).reshape(-1, 3)
        self.stiffness = stiffness
        self.calls = 0

    def value(self, q):
        self.calls += 1
        return 0.5 * self.stiffness * (q[self.stencils] ** 2).sum(1)

    def gradient(self, q):
        return self.stiffness * q[self.stencils]

    def hessian(self, q):
        return np.tile(self.stiffness * np.eye(3), (len(self.stencils), 1, 1))


class Bond:
    """A quartic, so that a step is not a linear problem: c/4 |a - b|^4."""

    def __init__(self, strength):
        self.stencils = np.arange(6).reshape(1, 6)
        self.strength = strength

    def value(self, q):
        apart = q[:3] - q[3:]
        return np.array([self.strength / 4 * (apart @ apart) ** 2])

    def gradient(self, q):
        apart = q[:3] - q[3:]
        pull = self.strength * (apart @ apart) * apart
        return np.concatenate([pull, -pull])[None]

    def hessian(self, q):
        apart = q[:3] - q[3:]
        block = self.strength * ((apart @ apart) * np.eye(3) + 2 * np.outer(apart, apart))
        return np.block([[block, -block], [-block, block]])[None]


def system(terms, vertices, mass=2.0, free=None, **more):
    free = np.ones(3 * vertices, bool) if free is None else free
    return System(np.full(3 * vertices, mass), terms, free, **more)


def run(solver, state, dt, steps, fixed=None):
    states = [state]
    for _ in range(steps):
        states.append(solver.step(states[-1], dt, fixed))
    return states


def test_free_fall_is_that_of_implicit_euler():
    masses = np.full(6, 2.0)
    falling = System(masses, [], np.ones(6, bool), force=gravity(masses, (0.0, 0.0, -9.81)))
    start = State(np.arange(6.0), np.tile([1.0, 0.0, 3.0], 2))
    end = run(ImplicitEuler(falling, 1e-9), start, 0.01, 50)[-1]
    n, dt = 50, 0.01
    drop = 3.0 * n * dt - 9.81 * dt**2 * n * (n + 1) / 2
    assert np.allclose(end.q, start.q + np.tile([n * dt, 0.0, drop], 2), atol=1e-12)
    assert np.allclose(end.velocity, np.tile([1.0, 0.0, 3.0 - 9.81 * n * dt], 2))
    assert end.time == pytest.approx(0.5)


def test_an_oscillator_loses_what_implicit_euler_loses():
    mass, stiffness, dt = 2.0, 50.0, 0.02
    solver = ImplicitEuler(system([Springs(1, stiffness)], 1, mass), 1e-10)
    states = run(solver, State(np.array([1.0, 0.0, 0.0]), np.zeros(3)), dt, 200)
    # (1 + dt^2 k/m) x_{n+1} = x_n + dt v_n: a rotation by the root's angle, shrinking by its modulus.
    root = 1.0 / (1.0 - 1j * dt * np.sqrt(stiffness / mass))
    expected = [(root**n).real for n in range(201)]
    assert np.allclose([state.q[0] for state in states], expected, atol=1e-12)


def test_stiffness_damping_is_that_of_a_damped_oscillator():
    mass, stiffness, beta, dt = 2.0, 50.0, 0.05, 0.02
    solver = ImplicitEuler(system([Springs(1, stiffness)], 1, mass, stiffness_damping=beta), 1e-10)
    x, v = 1.0, 0.0
    state = State(np.array([x, 0.0, 0.0]), np.zeros(3))
    for _ in range(50):
        state = solver.step(state, dt)
        v = (v - dt * stiffness / mass * x) / (1 + dt * beta * stiffness / mass + dt**2 * stiffness / mass)
        x += dt * v
        assert state.q[0] == pytest.approx(x, abs=1e-12)


def test_momentum_is_kept_to_the_tolerance():
    solver = ImplicitEuler(system([Bond(300.0)], 2), 1e-11)
    start = State(np.array([0.0, 0, 0, 1.0, 0.5, 0]), np.array([0.0, 1, 0, 0.3, 0, 2.0]))
    states = run(solver, start, 0.01, 100)
    momenta = np.array([2.0 * state.velocity.reshape(2, 3).sum(0) for state in states])
    assert abs(momenta - momenta[0]).max() < 1e-8


def test_energy_never_grows():
    solver = ImplicitEuler(system([Bond(300.0)], 2), 1e-9)
    start = State(np.array([0.0, 0, 0, 1.0, 0.5, 0]), np.array([0.0, 1, 0, 0.3, 0, 2.0]))
    bond, energies = Bond(300.0), []
    for state in run(solver, start, 0.01, 500):
        energies.append(float(bond.value(state.q)[0] + 0.5 * 2.0 * state.velocity @ state.velocity))
    assert (np.diff(energies) <= 1e-9 * energies[0]).all()


def test_what_is_fixed_follows_its_path_exactly():
    free = np.array([False] * 3 + [True] * 3)
    solver = ImplicitEuler(system([Bond(300.0)], 2, free=free), 1e-9)

    def path(time):
        return np.array([time, np.sin(time), 0.0, 9.0, 9.0, 9.0])

    start = State(np.array([0.0, 0, 0, 0.5, 0, 0]), np.zeros(6))
    for state in run(solver, start, 0.02, 30, fixed=path)[1:]:
        assert np.array_equal(state.q[:3], path(state.time)[:3])
        assert state.converged
    assert state.q[4] > 0.05  # and what hangs on it comes along


def test_at_rest_forces_balance():
    masses = np.full(3, 2.0)
    hanging = System(masses, [Springs(1, 50.0)], np.ones(3, bool), force=gravity(masses, (0.0, 0.0, -9.81)))
    rest = equilibrium(hanging, np.zeros(3), 1e-10)
    assert rest.converged
    assert np.allclose(rest.q, [0.0, 0.0, -2.0 * 9.81 / 50.0], atol=1e-12)


def test_a_step_that_does_not_converge_is_halved_and_one_that_never_does_says_so():
    solver = ImplicitEuler(system([Bond(3e6)], 2), 1e-10, most_iterations=15)
    start = State(np.array([0.0, 0, 0, 3.0, 0.5, 0]), np.array([0.0, 1, 0, -9.0, 0, 2.0]))
    whole = ImplicitEuler(solver.system, 1e-10).step(start, 0.1)
    halved = solver.step(start, 0.1)
    assert whole.converged
    assert halved.converged
    assert halved.time == pytest.approx(0.1)
    assert not np.allclose(
        halved.q, whole.q, atol=1e-6
    )  # the parts of a step lose less energy than the whole
    assert not ImplicitEuler(solver.system, 1e-10, most_iterations=1).step(start, 0.1).converged


def test_an_angle_is_judged_by_how_far_it_moves_the_body():
    """The same step, stopped by a coarser measure: fewer iterations, and off by no more than that allows."""
    start = State(np.array([0.0, 0, 0, 3.0, 0.5, 0]), np.array([0.0, 1, 0, -9.0, 0, 2.0]))
    exact = ImplicitEuler(system([Bond(3e6)], 2), 1e-9).step(start, 0.1)
    coarse = ImplicitEuler(system([Bond(3e6)], 2, reach=np.full(6, 1e-6)), 1e-9).step(start, 0.1)
    assert coarse.converged and coarse.iterations < exact.iterations
    assert 0.0 < abs(coarse.q - exact.q).max() < 1e-3
