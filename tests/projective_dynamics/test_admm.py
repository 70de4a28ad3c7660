"""ADMM's steps, held against direct minimisation and the closed forms of free fall and sliding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from neural_physics.energies.air import wind_forces
from neural_physics.energies.local_steps import hinges, membrane, springs
from neural_physics.projective_dynamics.admm import ADMM, Contact, system_blocks
from neural_physics.solver.linear import CholeskySolver, SparsePattern

DT = 1 / 60
GRAVITY = np.array([0.0, 0.0, -9.81])


def sheet(k, size=1.0, density=0.15):
    """A square of k by k vertices: positions, triangles, edges, inner edges and masses."""
    u, v = np.meshgrid(np.linspace(0, size, k), np.linspace(0, size, k), indexing="ij")
    x = np.stack([u.ravel(), v.ravel(), 0.0 * u.ravel()], 1)
    at = np.arange(k * k).reshape(k, k)
    p, q, r, s = (c.ravel() for c in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    triangles = np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])
    found: dict[tuple[int, int], list[int]] = {}
    for t in triangles:
        for i in range(3):
            edge = tuple(sorted((int(t[i]), int(t[(i + 1) % 3]))))
            found.setdefault(edge, []).append(int(t[(i + 2) % 3]))
    quads = np.array([[*e, *o] for e, o in found.items() if len(o) == 2])
    areas = np.full(len(triangles), 0.5 * (size / (k - 1)) ** 2)
    masses = np.bincount(triangles.ravel(), np.repeat(density * areas / 3, 3))
    return x, triangles, np.array(list(found)), quads, masses


def cloth(k, kind="springs", stiffness=100.0):
    """Positions, masses and terms of a sheet."""
    x, triangles, edges, quads, masses = sheet(k)
    if kind == "springs":
        stretch = springs(x, edges, stiffness)
    else:
        stretch = membrane(x, triangles, stiffness, 0.6 * stiffness)
    return x, masses, [stretch, hinges(x, quads, 1e-3)]


def potential(terms, x):
    return sum(float(term.value(term.reduce(np.ascontiguousarray(x.T))).sum()) for term in terms)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("kind", ["springs", "corotated"])
def test_iterations_lead_to_the_minimum_of_implicit_eulers_objective(kind, balanced):
    x, masses, terms = cloth(4, kind, 20.0)
    if balanced:
        terms = [term.balanced(masses / DT**2) for term in terms]
    rng = np.random.default_rng(1)
    x = x + 0.02 * rng.normal(size=x.shape)
    v, forces = rng.normal(size=x.shape), masses[:, None] * GRAVITY
    system = ADMM(masses, terms, DT, [0, 3])
    inertial = x + DT * v + DT**2 * GRAVITY
    inertial[[0, 3]] = x[[0, 3]]

    def objective(free):
        y = inertial.copy()
        y[system.free] = free.reshape(-1, 3)
        return (masses[:, None] * (y - inertial) ** 2).sum() / (2 * DT**2) + potential(terms, y)

    errors = []
    # BFGS goes on from there, if anything is left to gain: other minima are none of its business.
    found = system.step(x, v, forces, iterations=1200)[0]
    best = minimize(objective, found[system.free].ravel(), method="BFGS", options={"gtol": 1e-9})
    for iterations in (10, 100, 1200):
        after = system.step(x, v, forces, iterations=iterations)[0]
        errors.append(np.abs(after[system.free].ravel() - best.x).max())
    assert errors[2] < 1e-6 < errors[0] < np.abs(inertial[system.free].ravel() - best.x).max()
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.parametrize("kind", ["springs", "corotated"])
def test_balanced_weights_come_nearer_in_twenty_iterations_where_cloth_is_stiff(kind):
    """Of cloth that swings down from two corners, against steps with many iterations."""
    start, masses, terms = cloth(9, kind, 1000.0)
    forces = masses[:, None] * GRAVITY
    balanced = [term.balanced(masses / DT**2) for term in terms]

    def swing(terms, iterations):
        system, x, v, positions = ADMM(masses, terms, DT, [0, 8]), start, np.zeros_like(start), []
        for _ in range(25):
            x, v = system.step(x, v, forces, iterations=iterations)
            positions.append(x)
        return np.array(positions)

    exact = swing(balanced, 300)
    errors = [np.abs(swing(weighted, 20) - exact).max() for weighted in (terms, balanced)]
    assert errors[1] < 0.35 * errors[0]


def test_free_fall_is_implicit_eulers():
    x, masses, terms = cloth(5)
    system = ADMM(masses, terms, DT)
    start, v = x, np.tile([0.3, -0.2, 1.0], (len(x), 1))
    for n in range(1, 31):
        x, v = system.step(x, v, masses[:, None] * GRAVITY, iterations=3)
        assert v == pytest.approx(np.tile([0.3, -0.2, 1.0 + n * DT * -9.81], (len(x), 1)), abs=1e-9)
    fallen = 30 * DT * np.array([0.3, -0.2, 1.0]) + DT**2 * GRAVITY * 30 * 31 / 2
    assert x == pytest.approx(start + fallen, abs=1e-9)


@pytest.mark.parametrize("kind", ["springs", "corotated"])
def test_momentum_stays_without_forces_after_any_number_of_iterations(kind):
    x, masses, terms = cloth(6, kind)
    rng = np.random.default_rng(2)
    x, v = x + 0.05 * rng.normal(size=x.shape), rng.normal(size=x.shape)
    system = ADMM(masses, terms, DT)
    momentum, centre = masses @ v, masses @ x
    for steps in range(1, 11):
        x, v = system.step(x, v, np.zeros_like(x), iterations=steps)
        assert masses @ v == pytest.approx(momentum, abs=1e-11)
        assert masses @ x == pytest.approx(centre + steps * DT * momentum, abs=1e-11)


def test_energy_falls_from_step_to_step_without_forces():
    x, masses, terms = cloth(6)
    rng = np.random.default_rng(3)
    x, v = x + 0.05 * rng.normal(size=x.shape), 0.5 * rng.normal(size=x.shape)
    system = ADMM(masses, terms, DT)
    energies = []
    for _ in range(40):
        energies.append(potential(terms, x) + 0.5 * float(masses @ (v * v).sum(axis=1)))
        x, v = system.step(x, v, np.zeros_like(x), iterations=200)
    assert (np.diff(energies) < 1e-9).all()
    assert energies[-1] < 0.2 * energies[0]


def test_pinned_vertices_are_exactly_where_they_are_put_and_the_rest_follows():
    x, masses, terms = cloth(6)
    system = ADMM(masses, terms, DT, [0, 5])
    v, forces = np.zeros_like(x), masses[:, None] * GRAVITY
    still, _ = system.step(x, v, forces)
    assert (still[[0, 5]] == x[[0, 5]]).all()
    assert (still[system.free, 2] < 0).all()
    lifted = x[[0, 5]] + [0.0, 0.0, 0.1]
    moved, velocities = system.step(x, v, forces, pinned_positions=lifted)
    assert (moved[[0, 5]] == lifted).all()
    assert velocities[0] == pytest.approx([0.0, 0.0, 0.1 / DT])
    neighbours = [1, 6, 4, 11]
    assert (moved[neighbours, 2] > still[neighbours, 2] + 0.01).all()


def test_strain_limits_hold_what_gravity_would_stretch_without_end():
    x, _, edges, _, masses = sheet(6)
    soft = [springs(x, edges, 5.0)]
    limited = [springs(x, edges, 5.0, 0.9, most=1.1)]

    def stretch(terms):
        system, y, v = ADMM(masses, terms, DT, [0, 5]), x, np.zeros_like(x)
        for _ in range(80):
            y, v = system.step(y, v, masses[:, None] * GRAVITY, iterations=60)
        lengths = np.linalg.norm(y[edges[:, 1]] - y[edges[:, 0]], axis=1)
        return (lengths / np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1)).max()

    assert stretch(soft) > 1.25
    assert stretch(limited) < 1.13


def test_a_sparse_solver_gives_the_same_steps_as_the_dense_inverse():
    x, masses, terms = cloth(8, "corotated")
    pinned = [0, 7, 20]
    dense = ADMM(masses, terms, DT, pinned, contacts=True)
    stencils, blocks = system_blocks(masses, terms, DT, contacts=True)
    pattern = SparsePattern(stencils, len(x), dense.free)
    solver = CholeskySolver(pattern)
    solver.factorise(pattern.assemble(blocks))
    sparse = ADMM(masses, terms, DT, pinned, contacts=True, solve=solver.solve)
    v = np.random.default_rng(5).normal(size=x.shape)
    v[pinned] = 0.0
    arguments = (x, v, masses[:, None] * GRAVITY)
    options = {"push_out": floor(-0.01), "friction": 0.4}
    assert sparse.step(*arguments, **options)[0] == pytest.approx(
        dense.step(*arguments, **options)[0], abs=1e-11
    )


def floor(height, velocity=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0)):
    """A plane that moves with a velocity along itself."""
    up = np.asarray(normal) / np.linalg.norm(normal)

    def push_out(positions, velocities):
        depth = np.maximum(height - positions @ up, 0.0)[:, None]
        return Contact(
            positions + depth * up, np.where(depth > 0, up, 0.0), np.tile(velocity, (len(depth), 1))
        )

    return push_out


def slide(friction, slope, steps=60, velocity=(0.0, 0.0, 0.0)):
    """The velocity of a mass after a while on a plane of a slope, along the plane downwards."""
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    system = ADMM(np.array([0.2]), [], DT, contacts=True)
    x, v = np.zeros((1, 3)), np.zeros((1, 3))
    for _ in range(steps):
        x, v = system.step(
            x, v, 0.2 * GRAVITY[None], push_out=floor(0.0, velocity, normal), friction=friction, iterations=60
        )
    assert x @ normal == pytest.approx(0.0, abs=1e-9)
    return (v @ [np.cos(slope), 0.0, -np.sin(slope)])[0]


def test_a_mass_slides_down_a_slope_as_coulomb_says():
    slope, time = np.radians(30.0), 60 * DT
    for friction in (0.0, 0.2, 0.5):
        expected = 9.81 * (np.sin(slope) - friction * np.cos(slope)) * time
        assert slide(friction, slope) == pytest.approx(expected, rel=1e-3)
    assert slide(0.6, slope) == pytest.approx(0.0, abs=1e-6)


def test_a_moving_floor_takes_along_what_lies_on_it_no_faster_than_friction_can():
    assert slide(0.3, 0.0, steps=10, velocity=(2.0, 0.0, 0.0)) == pytest.approx(
        0.3 * 9.81 * 10 * DT, rel=1e-3
    )
    assert slide(0.3, 0.0, steps=60, velocity=(2.0, 0.0, 0.0)) == pytest.approx(2.0, abs=1e-6)


def test_stiff_cloth_that_falls_on_a_ball_gains_no_energy_and_stays_outside():
    x, masses, terms = cloth(13, "springs", 2000.0)
    terms = [term.balanced(masses / DT**2) for term in terms]
    centre, radius = np.array([0.5, 0.5, -0.35]), 0.3

    def push_out(positions, velocities):
        away = positions - centre
        distance = np.linalg.norm(away, axis=1, keepdims=True)
        inside = distance < radius
        normals = np.where(inside, away / distance, 0.0)
        return Contact(np.where(inside, centre + radius * away / distance, positions), normals, 0.0 * away)

    system, v = ADMM(masses, terms, DT, contacts=True), np.zeros_like(x)
    forces = masses[:, None] * GRAVITY
    highest = 0.0
    for _ in range(45):
        x, v = system.step(x, v, forces, push_out=push_out, friction=0.3)
        assert (np.linalg.norm(x - centre, axis=1) > radius * (1 - 1e-12)).all()
        kinetic = 0.5 * float(masses @ (v * v).sum(axis=1))
        highest = max(highest, kinetic + potential(terms, x) - float((forces * x).sum()))
    # All of it was the height at which it started, z = 0, but for what 20 iterations leave undone.
    assert highest < 0.1 * 9.81 * masses.sum() * 0.6
    assert x[:, 2].max() == pytest.approx(-0.05, abs=0.005) and x[:, 2].min() < -0.3


def test_what_cannot_be_stepped_is_refused():
    x, masses, terms = cloth(3)
    for bad_masses, dt in ((0.0 * masses, DT), (masses, 0.0)):
        with pytest.raises(ValueError, match="must be positive"):
            ADMM(bad_masses, terms, dt)
    with pytest.raises(ValueError, match="with contacts"):
        ADMM(masses, terms, DT).step(x, 0 * x, 0 * x, push_out=floor(0.0))


def test_wind_pushes_along_the_normal_by_dynamic_pressure_and_not_where_it_blows_along():
    x, triangles, _, _, _ = sheet(3, size=2.0)
    heavy = np.full(len(triangles), 1e9)

    def force(wind, v=(0.0, 0.0, 0.0)):
        return wind_forces(x, np.tile(v, (len(x), 1)), triangles, heavy, wind=np.array(wind), dt=DT).sum(
            axis=0
        )

    pressure = 0.5 * 1.225 * 1.28 * 5.0**2
    assert force([0.0, 0.0, 5.0]) == pytest.approx([0, 0, 4.0 * pressure])
    assert force([3.0, 4.0, -5.0]) == pytest.approx([0, 0, -4.0 * pressure])
    assert force([3.0, 4.0, 0.0]) == pytest.approx([0, 0, 0])
    assert force([0.0, 0.0, 2.0], (1.0, 0.0, -3.0)) == pytest.approx([0, 0, 4.0 * pressure])


def test_light_cloth_in_a_storm_never_overtakes_the_wind():
    x, triangles, _, _, masses = sheet(5, density=0.02)
    heavy = np.full(len(triangles), 0.02 * 0.5 / 16)
    v = np.zeros_like(x)
    for _ in range(200):
        forces = wind_forces(x, v, triangles, heavy, wind=np.array([0.0, 0.0, 40.0]), dt=DT)
        v = v + DT * forces / masses[:, None]
        assert (v[:, 2] <= 40.0).all()
    assert v[:, 2].min() > 38.0


def test_the_steps_need_no_scipy():
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "import numpy as np\n"
        "from neural_physics.energies.local_steps import springs\n"
        "from neural_physics.projective_dynamics.admm import ADMM\n"
        "x = np.array([[0., 0, 0], [1, 0, 0]])\n"
        "system = ADMM(np.ones(2), [springs(x, np.array([[0, 1]]), 10.0)], 0.1)\n"
        "assert np.isfinite(system.step(x, 0 * x, 0 * x)[0]).all()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
