"""Rods, settled and stepped by the integrator, against the elastica, the catenary and rigid motion."""

from __future__ import annotations

import numpy as np
import pytest
from made_rods import elliptic_stiffness, strands_of
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from neural_physics.solver.implicit_euler import ImplicitEuler, equilibrium
from neural_physics.solver.system import State, System, gravity
from neural_physics.solver.terms.rods import rod_terms


def rod(x, stretching, bending_and_twisting):
    """Terms of an open rod at rest in the shape x (V, 3), and q there: positions, then thetas of none."""
    strands = strands_of([len(x)], [False])
    places = x.size + np.arange(len(strands.edges))
    thetas = np.zeros(len(places))
    terms = rod_terms(
        strands,
        places,
        x,
        thetas,
        stretching=stretching,
        bending_and_twisting=np.asarray(bending_and_twisting, float),
    )
    return terms, np.concatenate([x.ravel(), thetas])


def lumped_masses(x, mass_per_metre, polar_inertia=0.0):
    """(n,) of q: kg of the vertices' coordinates; kg m^2 of thetas, where polar_inertia (kg m) is given."""
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
    vertices = np.zeros(len(x))
    vertices[:-1] += mass_per_metre * lengths / 2
    vertices[1:] += mass_per_metre * lengths / 2
    return np.concatenate([np.repeat(vertices, 3), polar_inertia * lengths])


@pytest.mark.parametrize(("load_parameter", "along", "across"), [(2.0, 1.604, 4.933), (4.0, 3.286, 6.698)])
def test_a_cantilever_comes_to_rest_where_the_published_one_does(load_parameter, along, across):
    """Sze, Liu and Lo 2004: L = 10, b = 1, h = 0.1, E = 1.2e6, nu = 0, P = k E I / L^2, in one go."""
    length, edges, bending = 10.0, 40, 1.2e6 * 0.1**3 / 12
    # The wall holds the first edge by its middle: half of it is no part of the beam.
    step = length / (edges - 0.5)
    x = np.zeros((edges + 1, 3))
    x[:, 0] = step * (np.arange(edges + 1) - 0.5)
    terms, q = rod(x, 1.2e6 * 0.1, [bending, bending, bending])
    free = np.ones(len(q), bool)
    free[[*range(6), x.size]] = False
    load, tip = np.zeros(len(q)), 3 * edges
    load[tip + 2] = load_parameter * bending / length**2
    system = System(np.zeros(len(q)), terms, free, force=lambda *_: load, solid=False)
    rest = equilibrium(system, q, 1e-8)
    assert rest.converged
    assert length - rest.q[tip] == pytest.approx(along, rel=0.005)
    assert rest.q[tip + 2] == pytest.approx(across, rel=0.005)


def hanging(edges, span, length, bending, mass_damping=0.0):
    """A chain of 0.1 kg/m from two straight halves, held at both ends; the system, q, and the catenary."""
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - length, 0.05, 10.0)
    straight = np.zeros((edges + 1, 3))
    straight[:, 0] = np.linspace(0.0, length, edges + 1)
    terms, q = rod(straight, 1e5, [bending] * 3)
    way = np.linspace(-1.0, 1.0, edges + 1)
    down = np.sqrt((length / 2) ** 2 - (span / 2) ** 2)
    q[: straight.size] = np.stack([0.5 * span * way, 0 * way, down * (np.abs(way) - 1.0)], 1).ravel()
    terms[1].accept(q)
    masses = lumped_masses(straight, 0.1)
    free = np.ones(len(q), bool)
    free[[*range(3), *range(straight.size - 3, straight.size), straight.size]] = False
    weight = gravity(masses, (0.0, 0.0, -9.81))
    force = np.where(np.arange(len(q)) < straight.size, weight(q, q, 0.0), 0.0)
    system = System(masses, terms, free, force=lambda *_: force, mass_damping=mass_damping, solid=False)
    return system, q, lambda x: a * (np.cosh(x / a) - np.cosh(span / (2 * a)))


def off_the_catenary(system, state, height):
    x = state.q[: 3 * (system.masses[::3] > 0).sum()].reshape(-1, 3)
    return np.abs(x[:, 2] - height(x[:, 0])).max(), np.abs(x[:, 1]).max()


def test_a_chain_settles_on_the_catenary_from_a_shape_that_is_far_from_it():
    system, q, height = hanging(40, 1.0, 1.5, 1e-6)
    moved = system.free & (system.masses > 0)
    q[moved] += np.random.default_rng(0).normal(size=int(moved.sum())) * 0.02
    system.terms[1].accept(q)
    rest = equilibrium(system, q, 1e-8, most_iterations=1000)
    assert rest.converged
    below, aside = off_the_catenary(system, rest, height)
    print(f"off the catenary by {below:.2e} m, aside by {aside:.1e} m, {rest.iterations} iterations")
    assert below < 0.001 and aside < 1e-5


def test_a_swinging_chain_whose_motion_is_damped_comes_to_hang_as_a_catenary():
    system, q, height = hanging(30, 1.0, 1.5, 1e-6, mass_damping=8.0)
    swing = np.zeros(len(q))
    swing[1 : 3 * 31 : 3] = np.where(system.free[1 : 3 * 31 : 3], 1.0, 0.0)
    solver, state = ImplicitEuler(system, 1e-7), State(q, swing)
    for _ in range(100):
        state = solver.step(state, 0.04)
        assert state.converged
        system.terms[1].accept(state.q)
    below, aside = off_the_catenary(system, state, height)
    print(f"off the catenary by {below:.2e} m, aside by {aside:.1e} m")
    assert below < 0.0015 and aside < 1e-3


THROWN = np.array([1.0, 0.5, 3.0])  # m/s


def thrown(spin, edges=12, radius=0.004, density=1000.0, young=1e10):
    """A flat strand that is curled at rest, turning about its middle and thrown: system and state."""
    angle = np.linspace(0.0, 3.0, edges + 1)
    x = 0.2 * np.stack([np.cos(angle), np.sin(angle), 0.3 * angle], 1)
    stretching, bending = elliptic_stiffness(young, 0.3, radius, 0.5 * radius)
    terms, q = rod(x, float(stretching), bending)
    section = np.pi * radius * 0.5 * radius
    masses = lumped_masses(x, density * section, density * section * radius**2 * 1.25 / 4)
    weight = gravity(masses, (0.0, 0.0, -9.81))
    force = np.where(np.arange(len(q)) < x.size, weight(q, q, 0.0), 0.0)
    middle = masses[: x.size : 3] @ x / masses[: x.size : 3].sum()
    velocity = np.zeros(len(q))
    velocity[: x.size] = (np.cross(spin, x - middle) + THROWN).ravel()
    edges_along = np.diff(x, axis=0)
    tangents = edges_along / np.linalg.norm(edges_along, axis=1, keepdims=True)
    velocity[x.size :] = tangents @ spin
    free = np.ones(len(q), bool)
    return System(masses, terms, free, force=lambda *_: force, solid=False), State(q, velocity), force


def test_a_strand_in_flight_turns_over_without_being_bent_or_twisted_and_falls_as_a_stone():
    spin, dt, steps = np.array([3.0, -4.0, 9.0]), 0.004, 160
    system, state, force = thrown(spin)
    n = 3 * 13
    shares = system.masses[:n:3] / system.masses[:n:3].sum()
    solver, start = ImplicitEuler(system, 1e-9), state

    def energy(state):
        kinetic = 0.5 * system.masses @ state.velocity**2
        return kinetic + sum(term.value(state.q).sum() for term in system.terms) - force @ state.q

    def shape(state):
        x = state.q[:n].reshape(-1, 3)
        return x - shares @ x

    energies, turned = [energy(state)], 0.0
    for _ in range(steps):
        before, state = state, solver.step(state, dt)
        assert state.converged
        turned += Rotation.align_vectors(shape(state), shape(before))[0].magnitude()
        system.terms[1].accept(state.q)
        energies.append(energy(state))
    # Implicit Euler's own parabola: the weight of k steps acts for dt each.
    time = steps * dt
    fallen = THROWN * time + np.array([0, 0, -9.81]) * dt**2 * steps * (steps + 1) / 2
    middle = shares @ (state.q - start.q)[:n].reshape(-1, 3)
    assert middle == pytest.approx(fallen, abs=1e-7)
    assert (np.diff(energies) <= 1e-9 * abs(energies[0])).all()
    turn, _ = Rotation.align_vectors(shape(state), shape(start))
    off = np.abs(shape(state) - turn.apply(shape(start))).max()
    stored = sum(term.value(state.q).sum() for term in system.terms)
    spinning = 0.5 * system.masses @ (state.velocity) ** 2
    print(f"turned by {turned:.1f} rad, off by {off:.1e} m, stored {stored / spinning:.1e}")
    assert turned > 1.2 * np.pi
    assert off < 0.001


def test_a_whirling_rod_is_stretched_as_its_centrifugal_tension_says():
    """Half a rod of length l grows by rho w^2 l^3 / (3 E), rho per volume."""
    half, edges, stretching, mass_per_metre, omega, dt = 0.5, 20, 2000.0, 0.05, 20.0, 5e-4
    x = np.zeros((edges + 1, 3))
    x[:, 0] = np.linspace(-half, half, edges + 1)
    terms, q = rod(x, stretching, [0.05, 0.02, 0.02])
    masses = lumped_masses(x, mass_per_metre, 1e-6)
    free = np.ones(len(q), bool)
    velocity = np.zeros(len(q))
    velocity[1 : x.size : 3] = omega * x[:, 0]
    solver, state = ImplicitEuler(System(masses, terms, free, solid=False), 1e-10), State(q, velocity)
    stretched, expected = [], []
    for _ in range(400):
        state = solver.step(state, dt)
        terms[1].accept(state.q)
        ends, speeds = (
            array[[0, 1, 2, x.size - 3, x.size - 2, x.size - 1]] for array in (state.q, state.velocity)
        )
        across, rate = ends[3:] - ends[:3], speeds[3:] - speeds[:3]
        span = np.linalg.norm(across)
        now = np.linalg.norm(np.cross(across, rate)) / span**2
        stretched.append(span / 2 - half)
        expected.append(mass_per_metre * now**2 * half**3 / (3 * stretching))
    assert abs(state.q[2 : x.size : 3]).max() < 1e-9
    late = slice(200, None)
    print(f"stretched {np.mean(stretched[late]):.3e} m of {np.mean(expected[late]):.3e} m")
    assert np.mean(stretched[late]) == pytest.approx(np.mean(expected[late]), rel=0.02)
