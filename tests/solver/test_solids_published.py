"""Solids against closed forms and published figures."""

from __future__ import annotations

import numpy as np
import pytest
from meshes import block

from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver.implicit_euler import ImplicitEuler, equilibrium
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.system import State, System, gravity
from neural_physics.solver.terms.solids import SolidTerm

ENERGIES = [stvk, stable_neo_hookean, corotational]


def solid(counts, size, energy, young, poisson, density=1000.0, free=None):
    vertices, tetrahedra = block(counts, size)
    mu, lam = lame_parameters(young, poisson)
    term = SolidTerm(vertices, tetrahedra, energy, (mu, lam))
    volumes = rest_shapes(vertices[tetrahedra])[1]
    masses = of_coordinates(lumped(len(vertices), tetrahedra, density * volumes))
    free = np.ones(vertices.shape, bool) if free is None else free(vertices)
    return vertices, System(masses, [term], free.ravel())


def loaded(system, force):
    return System(system.masses, system.terms, system.free, force=lambda *_: force)


def held_at_the_left(vertices):
    return np.repeat((vertices[:, 0] > 0)[:, None], 3, axis=1)


@pytest.mark.parametrize("energy", ENERGIES)
def test_a_bar_under_its_own_weight_stretches_by_mgl_over_2ae(energy):
    """Exact in one dimension (nu = 0) but for the share of the lowest cells: of order 1 / n^2."""
    length, width, young, density = 1.0, 0.1, 1e6, 1000.0
    stretched = []
    for cells in (8, 16):
        vertices, system = solid(
            (cells, 1, 1),
            (length, width, width),
            energy,
            young,
            poisson=0.0,
            density=density,
            free=held_at_the_left,
        )
        weight = gravity(system.masses, (9.81, 0.0, 0.0))
        hanging = System(system.masses, system.terms, system.free, force=weight)
        rest = equilibrium(hanging, vertices.ravel(), 1e-10)
        assert rest.converged
        tip = vertices[:, 0] == length
        stretched.append((rest.q.reshape(-1, 3) - vertices)[tip, 0].mean())
    mass = density * width**2 * length
    exact = mass * 9.81 * length / (2 * width**2 * young)
    assert stretched == pytest.approx([exact] * 2, rel=0.012)  # of which the large strain is 0.007


@pytest.mark.parametrize("energy", ENERGIES)
def test_a_cube_pulled_at_all_its_faces_deforms_evenly(energy):
    """The patch test: with the faces on an affine map, the inside follows it exactly."""
    rng = np.random.default_rng(3)

    def inside(vertices):
        return np.repeat(((vertices > 0) & (vertices < 1)).all(1)[:, None], 3, axis=1)

    vertices, system = solid((4, 4, 4), (1.0, 1.0, 1.0), energy, 1e5, poisson=0.3, free=inside)
    affine = np.eye(3) + 0.2 * rng.normal(size=(3, 3))
    q = vertices @ affine.T
    moved = q.copy()
    free = system.free.reshape(-1, 3)
    moved[free] += 0.05 * rng.normal(size=int(free.sum()))
    rest = equilibrium(system, moved.ravel(), 1e-11)
    assert rest.converged
    assert np.allclose(rest.q.reshape(-1, 3), q, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("load", "tip_u", "tip_w"), [(2.0, 1.604, 4.933), (4.0, 3.286, 6.698)])
def test_a_thick_cantilever_bends_as_the_published_one(load, tip_u, tip_w):
    """Sze, Liu and Lo 2004, by the dimensionless load P L^2 / (E I), at L / h = 10."""
    length, width, young = 10.0, 1.0, 1.2e6
    vertices, system = solid(
        (80, 8, 8), (length, width, width), stvk, young, poisson=0.0, free=held_at_the_left
    )
    tip = vertices[:, 0] == length
    force = np.zeros(vertices.shape)
    force[tip, 2] = load * young * width**4 / 12 / length**2 / tip.sum()
    q = vertices.ravel()
    for share in (0.5, 1.0):
        rest = equilibrium(loaded(system, share * force.ravel()), q, 1e-6)
        assert rest.converged
        q = rest.q
    moved = (q.reshape(-1, 3) - vertices)[tip].mean(0)
    print(f"load {load}: U {-moved[0]:.3f} of {tip_u}, W {moved[2]:.3f} of {tip_w}")
    assert [-moved[0], moved[2]] == pytest.approx([tip_u, tip_w], rel=0.05)


def tumbling(energy, dt, steps, tolerance=1e-9):
    vertices, system = solid((3, 2, 2), (0.3, 0.2, 0.2), energy, 1e5, poisson=0.35)
    rng = np.random.default_rng(0)
    velocity = np.cross([2.0, 5.0, 1.0], vertices - vertices.mean(0)) + rng.normal(size=vertices.shape) * 0.3
    state = State(vertices.ravel(), velocity.ravel())
    solver, states = ImplicitEuler(system, tolerance), [state]
    for _ in range(steps):
        states.append(solver.step(states[-1], dt))
        assert states[-1].converged
    return system, states


def momenta(system, state):
    impulse = (system.masses * state.velocity).reshape(-1, 3)
    return impulse.sum(0), np.cross(state.q.reshape(-1, 3), impulse).sum(0)


@pytest.mark.parametrize("energy", ENERGIES)
def test_a_tumbling_block_keeps_its_momentum_and_gains_no_energy(energy):
    system, states = tumbling(energy, 1 / 60, 60)
    linear = np.array([momenta(system, state)[0] for state in states])
    assert abs(linear - linear[0]).max() < 1e-6 * abs(linear[0]).max()
    (term,) = system.terms
    energies = [term.value(s.q).sum() + 0.5 * system.masses @ s.velocity**2 for s in states]
    assert (np.diff(energies) <= 1e-7 * energies[0]).all()


def test_the_loss_of_angular_momentum_is_first_order_in_the_step():
    """Implicit Euler's own loss, not the solver's: with half the step, half of it."""
    losses = []
    for parts in (1, 2, 4):
        system, states = tumbling(corotational, 1 / 240 / parts, 24 * parts)
        first, last = (np.linalg.norm(momenta(system, state)[1]) for state in (states[0], states[-1]))
        losses.append(1 - last / first)
    print("share of angular momentum lost in 0.1 s:", [f"{loss:.4f}" for loss in losses])
    assert losses[0] > losses[1] > losses[2] > 0
    assert losses[1] / losses[2] == pytest.approx(2.0, rel=0.2)
