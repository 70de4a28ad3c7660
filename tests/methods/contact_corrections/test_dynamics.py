"""Steps of the handles: closed forms, the full solver, and contact, all without corrections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from handle_blocks import block, dynamics_of, handles_of, placed, whole
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from ml_backend.simulation.elasticity import elastic_parts
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.methods.contact_corrections.surroundings import HeldHandles, Surroundings
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.system import State, System, gravity

DT = 1.0 / 60.0
DOWN = (0.0, 0.0, -9.81)
NOTHING = Surroundings(np.zeros((0, 3)), placed(), np.zeros(0))


@pytest.fixture(scope="module")
def loose():
    return block()


def standing(handles):
    """Frames where they are at rest, and nothing else around."""
    return Surroundings(handles.rest[handles.free :], placed(), np.zeros(0))


def test_a_free_body_falls_as_implicit_euler_has_it(loose):
    handles = handles_of(loose, 6)
    dynamics = dynamics_of(loose, handles, DOWN)
    motion = dynamics.at(handles.rest, NOTHING)
    for _ in range(30):
        motion = dynamics.step(motion, DT, NOTHING)
    drop = 9.81 * DT**2 * 30 * 31 / 2
    np.testing.assert_allclose(motion.q, handles.rest - [0.0, 0.0, drop], atol=1e-7)
    np.testing.assert_allclose(motion.v[:, 2], -9.81 * DT * 30, rtol=1e-8)


def test_four_points_swing_as_a_linear_oscillator_does(loose):
    """Four points move affinely: x = (I + E) X, with kinetic energy tr(E' S E'^T) / 2 of S = sum m X X^T, and
    for small E the elastic energy of linear elasticity. Implicit Euler of that is a linear recursion."""
    handles = handles_of(loose, 4)
    dynamics = dynamics_of(loose, handles)
    mu, lam = loose.moduli[0]
    middle = np.average(loose.rest_positions, axis=0, weights=loose.masses)
    away = loose.rest_positions - middle
    inertia = np.kron(np.eye(3), away.T @ (loose.masses[:, None] * away))
    unit, swap = np.eye(3).ravel(), np.eye(9).reshape(3, 3, 9).swapaxes(0, 1).reshape(9, 9)
    volume = loose.masses.sum() / 1000.0  # of the cage, which reaches beyond the block
    stiffness = volume * (mu * (np.eye(9) + swap) + lam * np.outer(unit, unit))
    strain = 1e-6 * np.array([[1.0, 0.3, 0.0], [0.2, -0.5, 0.4], [0.0, 0.1, 0.7]]).ravel()
    rate, dt = np.zeros(9), 2e-3
    motion = dynamics.at(handles.rest + (handles.rest - middle) @ strain.reshape(3, 3).T, NOTHING)
    for _ in range(25):
        motion = dynamics.step(motion, dt, NOTHING)
        pull = inertia @ (strain + dt * rate)
        moved = np.linalg.solve(inertia + dt**2 * stiffness, pull)
        strain, rate = moved, (moved - strain) / dt
    found = np.linalg.lstsq(away, motion.x - middle, rcond=None)[0].T - np.eye(3)
    np.testing.assert_allclose(found.ravel(), strain, atol=2e-9)
    assert np.abs(strain).max() > 1e-7


def full_step(body, x, v, dt, frames):
    """What the bundled solver comes to."""
    parts = elastic_parts(body)
    system = System(parts.masses, parts.terms, parts.free, force=gravity(parts.masses, DOWN))
    solver = ImplicitEuler(system, 1e-8)
    return solver.step(State(x.ravel(), v.ravel()), dt, frames).q.reshape(-1, 3)


def test_with_a_handle_at_every_vertex_it_is_the_full_solver():
    """Then the subspace is the whole space."""
    body = block(pins=(0, 1, 2, 3), tetrahedra=60)
    handles = handles_of(body, int((~body.pinned).sum()))
    dynamics = dynamics_of(body, handles, DOWN)
    around = standing(handles)
    motion = dynamics.at(handles.rest[: handles.free], around)
    x, v = body.rest_positions, np.zeros_like(body.rest_positions)
    for _ in range(5):
        motion = dynamics.step(motion, DT, around)
        stepped = full_step(body, x, v, DT, frames=lambda time: body.rest_positions.ravel())
        x, v = stepped, (stepped - x) / DT
    assert np.abs(x - body.rest_positions).max() > 1e-3
    np.testing.assert_allclose(motion.x, x, atol=1e-7)


def test_with_handles_enough_it_moves_as_the_full_body():
    body = block(pins=(0, 1, 2, 3), young=5e4)
    handles = handles_of(body, 24)
    dynamics, around = dynamics_of(body, handles, DOWN), standing(handles)
    motion = dynamics.at(handles.rest[:24], around)
    x, v = body.rest_positions, np.zeros_like(body.rest_positions)
    off, moved = 0.0, 0.0
    for _ in range(12):
        motion = dynamics.step(motion, DT, around)
        stepped = full_step(body, x, v, DT, frames=lambda time: body.rest_positions.ravel())
        x, v = stepped, (stepped - x) / DT
        off += float(((motion.x - x) ** 2).sum())
        moved += float(((x - body.rest_positions) ** 2).sum())
    assert np.sqrt(off / moved) < 0.15


def test_frames_carry_the_body_along_and_around():
    """A rigid motion of the only frame, once it has come to rest, is one of the body."""
    body = block(pins=(0, 1, 2, 3), damping=0.05)
    handles = handles_of(body, 8)
    dynamics = dynamics_of(body, handles)
    turn = Rotation.from_rotvec([0.0, 0.0, 0.4]).as_matrix()
    aim = handles.rest @ turn.T + [0.1, 0.2, 0.0]
    around = Surroundings(aim[8:], placed(), np.zeros(0))
    motion = dynamics.at(handles.rest[:8], standing(handles))
    for _ in range(100):
        motion = dynamics.step(motion, 0.1, around)
    np.testing.assert_allclose(motion.x, body.rest_positions @ turn.T + [0.1, 0.2, 0.0], atol=1e-6)


def test_energy_only_falls_without_contact():
    body = block(pins=(0, 1, 2, 3))
    handles = handles_of(body, 8)
    dynamics, around = dynamics_of(body, handles, DOWN), standing(handles)
    elastic = whole(body)
    motion = dynamics.at(handles.rest[:8] + np.array([0.05, 0.0, -0.03]), around)
    totals = []
    for _ in range(60):
        motion = dynamics.step(motion, DT, around)
        kinetic = 0.5 * float(body.masses @ (motion.v**2).sum(1))
        height = 9.81 * float(body.masses @ motion.x[:, 2])
        totals.append(kinetic + height + float(elastic.energies(motion.x).sum()))
    swing = totals[0] - totals[-1]
    assert swing > 0.0 and max(np.diff(totals)) < 1e-3 * swing


def test_a_step_says_whether_it_was_solved_to_the_end():
    """By the residual: what one iteration leaves of it, none of many."""
    body = block(pins=(0, 1, 2, 3))
    handles = handles_of(body, 8)
    pulled, around = handles.rest[:8] + np.array([0.15, 0.0, -0.1]), standing(handles)
    found = {}
    for iterations in (1, 30):
        dynamics = dynamics_of(body, handles, DOWN, iterations=iterations)
        found[iterations] = dynamics.step(dynamics.at(pulled, around), DT, around)
    assert not found[1].settled and found[1].residual > 1e-3
    assert found[30].settled and found[30].residual < 1e-6


def test_a_block_rests_on_the_ground_with_its_weight(loose):
    handles = handles_of(loose, 8)
    stiffness, reach = 2e4, 2e-3
    dynamics = dynamics_of(
        loose, handles, DOWN, (HalfSpace(),), tolerance=1e-9, stiffness=stiffness, reach=reach
    )
    around = Surroundings(np.zeros((0, 3)), placed([0.0, 0.0, -0.01]), np.zeros(0))
    motion = dynamics.at(handles.rest, around)
    for _ in range(150):
        motion = dynamics.step(motion, 0.05, around)
    short = np.maximum(reach - (motion.x[:, 2] + 0.01), 0.0)
    np.testing.assert_allclose(stiffness * short.sum(), 9.81 * loose.masses.sum(), rtol=1e-3)
    assert np.abs(motion.v[:, 2]).max() < 2e-3  # it may slide, as there is no friction


def test_a_ball_pushes_the_body_aside():
    body = block(pins=(0, 1, 2, 3))
    handles = handles_of(body, 12)
    ball = Sphere(0.12)
    dynamics = dynamics_of(body, handles, shapes=(ball,), stiffness=3e4, reach=2e-3)
    motion = dynamics.at(
        handles.rest[:12], Surroundings(handles.rest[12:], placed([0.32, 0.0, 0.6]), np.zeros(1))
    )
    for t in range(40):
        centre = np.array([[0.32, 0.0, 0.6 - 0.008 * t]])
        motion = dynamics.step(motion, DT, Surroundings(handles.rest[12:], placed(*centre), np.full(1, 0.12)))
    gaps = ball.distance(motion.x - centre)
    moved = np.linalg.norm(motion.x - body.rest_positions, axis=1)
    assert moved.max() > 0.02 and gaps.min() > -0.02 and motion.residual < 1e-3


def held_at(handles, rows, places):
    return replace(standing(handles), held=np.asarray(rows), places=np.asarray(places, float))


def test_a_body_that_is_held_by_three_handles_comes_to_rest_where_its_energy_is_least(loose):
    """Against a general minimiser of elastic energy and weight, over all coordinates that are not held."""
    handles = handles_of(loose, 5)
    # Strong inner friction: it rests after some steps.
    body = replace(loose, settings=replace(loose.settings, damping=0.1))
    dynamics, cubature = dynamics_of(body, handles, DOWN, iterations=60), whole(loose)
    held, others = np.array([0, 2, 3]), np.array([1, 4])
    places = handles.rest[held] + [[0.05, -0.02, 0.04], [0.0, 0.03, 0.0], [-0.02, 0.0, 0.0]]
    around = held_at(handles, held, places)
    motion = dynamics.at(handles.rest, around)
    for _ in range(25):
        motion = dynamics.step(motion, 0.5, around)
    np.testing.assert_array_equal(motion.q[held], places)

    def energy(coordinates):
        q = np.empty((5, 3))
        q[held], q[others] = places, coordinates.reshape(-1, 3)
        x = handles.positions(q)
        gradient = handles.weights.T @ (cubature.forces(x) - loose.masses[:, None] * DOWN)
        value = float(cubature.energies(x).sum() - (loose.masses[:, None] * DOWN * x).sum())
        return value, gradient[others].ravel()

    found = minimize(energy, handles.rest[others].ravel(), jac=True, method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(motion.q[others].ravel(), found.x, atol=2e-4)


def test_where_every_handle_is_held_nothing_is_left_to_solve(loose):
    handles = handles_of(loose, 4)
    dynamics = dynamics_of(loose, handles, DOWN)
    places = handles.rest + np.array([0.3, 0.0, 0.1])
    motion = dynamics.step(dynamics.at(handles.rest, NOTHING), DT, held_at(handles, range(4), places))
    np.testing.assert_array_equal(motion.q, places)
    np.testing.assert_allclose(motion.v, np.tile([0.3 / DT, 0.0, 0.1 / DT], (len(motion.v), 1)), rtol=1e-6)


def test_between_a_free_frame_and_one_that_is_held_the_place_is_the_same():
    """At other frame rates y lies between two frames, or beyond the later one."""
    handles = HeldHandles(np.array([2]), np.array([3]), np.array([[0.0, 0.0, 0.1]]))
    free, firm = np.zeros(7, np.float32), np.array([7.0, 7.0, 7.0, 0.5, -0.25, 1.0, 1.0], np.float32)
    for share in (0.6, 1.0, 1.5):
        rows, places = handles.held(free + np.float32(share) * (firm - free))
        assert rows.tolist() == [2]
        np.testing.assert_allclose(places, [[0.5, -0.25, 1.1]], atol=1e-6)
    for nobody in (free, 0.4 * firm, firm + 1.5 * (free - firm), firm[:3]):
        assert not len(handles.held(nobody)[0])
