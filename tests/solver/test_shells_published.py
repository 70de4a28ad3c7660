"""Shells, settled and stepped by the integrator, against published figures and what must be conserved."""

from __future__ import annotations

import numpy as np
import pytest
from meshes import grid

from neural_physics.energies.hinge_bending import plate_stiffness
from neural_physics.energies.triangle_edges import triangle_edges
from neural_physics.solver.implicit_euler import ImplicitEuler, equilibrium
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.shell_terms import HingeTerm, MembraneTerm, MidedgeTerm
from neural_physics.solver.system import State, System

BENDING = ["hinge", "midedge"]


class WithoutDoubles:
    """A term of mid-edge normals whose stencils have nothing twice.

    At a boundary `MidedgeTerm` has a corner stand for the vertex that is missing; nothing depends on it, and
    nine entries of q that nothing else uses, from `first` on, stand there as well.
    """

    def __init__(self, term, first):
        self._term, self.stencils = term, term.stencils.copy()
        for k in range(3):
            missing = self.stencils[:, 3 * k] == self.stencils[:, 9 + 3 * k]
            self.stencils[missing, 9 + 3 * k : 12 + 3 * k] = first + 3 * k + np.arange(3)

    def __getattr__(self, name):
        return getattr(self._term, name)


def cantilever(nx, ny, load_parameter):
    """Sze, Liu and Lo 2004: L = 10, b = 1, h = 0.1, E = 1.2e6, nu = 0, end load k E I / L^2, in one go.

    Beyond the clamp, at x = 0, there is a strip of triangles that cannot bend: its vertices are held, and
    the xi of its edges but those at the clamp. It is narrow, as the clamp is as soft as half of its width.
    Returns by how much the end has moved back along the beam and up, and the iterations.
    """
    length, width, thickness, young, strip = 10.0, 1.0, 0.1, 1.2e6, 0.02
    rest, triangles = grid((nx, ny), (nx, width))
    rest[:, 0] = np.concatenate([[-strip], np.linspace(0.0, length, nx)])[np.rint(rest[:, 0]).astype(int)]
    mesh = triangle_edges(triangles)
    n, e = rest.size, len(mesh.edges)
    plate = plate_stiffness(young, 0.0, thickness)
    terms = [
        MembraneTerm(triangles, rest, thickness, young, 0.0),
        WithoutDoubles(MidedgeTerm(mesh, rest, plate, 0.0, n + np.arange(e)), n + e),
    ]
    q = np.concatenate([rest.ravel(), np.zeros(e + 9)])
    beyond = rest[:, 0] < 0.0
    free = np.concatenate([np.repeat(rest[:, 0] > 0.0, 3), ~beyond[mesh.edges].any(1), np.zeros(9, bool)])
    end = np.flatnonzero(rest[:, 0] == length)
    shares = np.ones(len(end))
    shares[[0, -1]] = 0.5
    shares /= shares.sum()
    force = np.zeros(len(q))
    force[3 * end + 2] = shares * load_parameter * young * width * thickness**3 / 12 / length**2
    system = System(np.zeros(len(q)), terms, free, force=lambda *_: force, solid=False)
    settled = equilibrium(system, q, 1e-6, most_iterations=500)
    assert settled.converged
    back, _, up = shares @ (rest - settled.q[:n].reshape(-1, 3))[end] * [1.0, 1.0, -1.0]
    return back, up, settled.iterations


PUBLISHED = [(2.0, 1.604, 4.933), (4.0, 3.286, 6.698)]


def held_against_the_published(nx, ny, load_parameter, back, up, tolerance):
    *found, iterations = cantilever(nx, ny, load_parameter)
    print(
        f"load {load_parameter}: U {found[0]:.3f} of {back}, "
        f"W {found[1]:.3f} of {up}, {iterations} iterations"
    )
    assert found == pytest.approx([back, up], rel=tolerance)


@pytest.mark.parametrize(("load_parameter", "back", "up"), PUBLISHED)
def test_a_cantilever_of_shell_bends_as_the_published_one(load_parameter, back, up):
    held_against_the_published(21, 2, load_parameter, back, up, 0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("load_parameter", "back", "up"), PUBLISHED)
def test_a_finer_cantilever_of_shell_bends_more_nearly_as_the_published_one(load_parameter, back, up):
    held_against_the_published(41, 4, load_parameter, back, up, 0.006)


def thrown_cloth(bending, cells):
    """A crumpled square of cotton that turns over and shakes in flight, without weight: system and state."""
    side, weight, plate, thickness, young, poisson = 0.3, 0.12, 8e-6, 3e-4, 1.5e6, 0.3
    rest, triangles = grid((cells, cells), (side, side))
    mesh = triangle_edges(triangles)
    n, e = rest.size, len(mesh.edges)
    terms = [MembraneTerm(triangles, rest, thickness, young, poisson)]
    if bending == "hinge":
        terms.append(HingeTerm(mesh, rest, plate))
        more = np.zeros(0, bool)
    else:
        terms.append(WithoutDoubles(MidedgeTerm(mesh, rest, plate, poisson, n + np.arange(e)), n + e))
        more = np.arange(e + 9) < e
    masses = np.zeros(n + len(more))
    areas = np.full(len(triangles), side**2 / len(triangles))
    masses[:n] = of_coordinates(lumped(len(rest), triangles, weight * areas))
    rng = np.random.default_rng(0)
    q, velocity = np.zeros((2, n + len(more)))
    q[:n] = (rest + rng.normal(size=rest.shape) * [1e-3, 1e-3, 5e-3]).ravel()
    spinning = np.cross([3.0, 5.0, 2.0], rest - rest.mean(0)) + np.array([0.3, 0.2, 1.0])
    velocity[:n] = (spinning + 0.2 * rng.normal(size=rest.shape)).ravel()
    free = np.concatenate([np.ones(n, bool), more])
    return System(masses, terms, free, solid=False), State(q, velocity)


def fly(bending, cells, steps, dt):
    """The largest rise of energy in a step and the largest change of momentum, both as shares."""
    system, state = thrown_cloth(bending, cells)
    solver = ImplicitEuler(system, 1e-9)

    def energy(state):
        return 0.5 * system.masses @ state.velocity**2 + sum(t.value(state.q).sum() for t in system.terms)

    def momentum(state):
        vertices = 3 * (cells + 1) ** 2
        return (system.masses * state.velocity)[:vertices].reshape(-1, 3).sum(0)

    energies, momenta = [energy(state)], [momentum(state)]
    for _ in range(steps):
        state = solver.step(state, dt)
        assert state.converged
        energies.append(energy(state))
        momenta.append(momentum(state))
    rise = np.diff(energies).max() / energies[0]
    change = np.abs(np.array(momenta) - momenta[0]).max() / np.abs(momenta[0]).max()
    print(f"{bending}: energy {energies[0]:.4f} J to {energies[-1]:.4f} J, ", end="")
    print(f"largest rise {rise:.1e}, momentum changed by {change:.1e}")
    return rise, change


@pytest.mark.parametrize("bending", BENDING)
def test_a_cloth_in_flight_keeps_its_momentum_and_gains_no_energy(bending):
    rise, change = fly(bending, cells=4, steps=60, dt=1e-3)
    assert rise < 1e-12 and change < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("bending", BENDING)
def test_nor_does_it_in_two_thousand_small_steps(bending):
    rise, change = fly(bending, cells=4, steps=2000, dt=2e-4)
    assert rise < 1e-12 and change < 1e-9
