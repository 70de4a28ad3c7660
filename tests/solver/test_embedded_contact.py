"""Contact of carried points: derivatives, momentum, and that nothing passes, as for vertices of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.solver.contact.embedded import Carrier, EmbeddedContact
from neural_physics.solver.contact.friction import RigidFriction
from neural_physics.solver.contact.rigid import RigidCollider, RigidContact
from neural_physics.solver.contact.rigid_motion import Pose, RigidMotion
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.system import State, Surroundings, System, gravity

D_HAT = 0.01
STILL = RigidMotion(Pose(np.eye(3), np.zeros(3)), Pose(np.eye(3), np.zeros(3)))
TETRAHEDRON = np.array([[0.0, 0, 0.1], [1, 0, 0.1], [0, 1, 0.1], [0, 0, 1.1]])


def carrier() -> Carrier:
    """Five points in a tetrahedron, the last in its face."""
    weights = np.random.default_rng(2).dirichlet(np.ones(4), 5)
    weights[4, 0] = 0.0
    weights[4] /= weights[4].sum()
    return Carrier(np.tile(np.arange(4), (5, 1)), weights)


def contact_with(shape, stiffness=100.0) -> EmbeddedContact:
    points = RigidContact([RigidCollider("Thing", shape)], np.arange(5), np.full(5, stiffness), D_HAT)
    return EmbeddedContact(points, carrier())


def pressed() -> tuple[EmbeddedContact, np.ndarray]:
    """A point within reach of the ground, and q."""
    q = TETRAHEDRON.copy()
    heights = carrier().apply(q.ravel()).reshape(-1, 3)[:, 2]
    q[:, 2] -= heights.min() - 0.4 * D_HAT
    contact = contact_with(HalfSpace(3))
    contact.begin_step(q.ravel(), [STILL])
    contact.largest_step(q.ravel(), np.full(12, -1e-4))
    return contact, q.ravel()


def numeric(function, q, step=1e-7):
    return np.array(
        [(function(q + step * axis) - function(q - step * axis)) / (2 * step) for axis in np.eye(len(q))]
    )


def summed(term, parts) -> np.ndarray:
    total = np.zeros(12)
    np.add.at(total, term.stencils, parts)
    return total


def summed_hessian(term, q) -> np.ndarray:
    total = np.zeros((12, 12))
    for stencil, block in zip(term.stencils, term.hessian(q), strict=True):
        total[np.ix_(stencil, stencil)] += block
    return total


def test_derivatives_are_those_of_the_value():
    contact, q = pressed()
    assert len(contact.stencils) and contact.value(q).sum() > 0.0
    slope = numeric(lambda x: contact.value(x).sum(), q)
    assert summed(contact, contact.gradient(q)) == pytest.approx(slope, rel=1e-5, abs=1e-8)
    bend = numeric(lambda x: summed(contact, contact.gradient(x)), q)
    assert summed_hessian(contact, q) == pytest.approx(bend, rel=1e-4, abs=1e-4)


def test_friction_is_of_the_points_that_are_pressed_and_has_their_derivatives():
    contact, q = pressed()
    friction = contact.rubbed(RigidFriction(np.array([0.5]), 1e-3, 0.01), q)
    slid = q + np.tile([2e-3, 1e-3, 0.0], 4)
    slope = numeric(lambda x: friction.value(x).sum(), slid)
    force = summed(friction, friction.gradient(slid))
    assert force == pytest.approx(slope, rel=1e-5, abs=1e-8)
    pressing = summed(contact, contact.gradient(q)).reshape(4, 3).sum(0)
    rubbing = force.reshape(4, 3).sum(0)
    assert np.linalg.norm(rubbing) == pytest.approx(0.5 * np.linalg.norm(pressing), rel=1e-6)
    assert rubbing[:2] @ [2.0, 1.0] > 0.0


def test_pressed_points_keep_their_distance_exactly_while_the_collider_goes_on():
    """However small it is: else each advance leaves a tenth of it, and a Newton step only doubles it."""
    contact, q = pressed()
    start = Pose(np.eye(3), np.zeros(3))
    turned = Pose(Rotation.from_rotvec([0.02, -0.01, 0.3]).as_matrix(), np.array([0.01, 0.02, 0.05]))
    contact.begin_step(q, [RigidMotion(start, turned)])
    lead = contact.carry(q, np.zeros_like(q))
    points = carrier().apply(q).reshape(-1, 3)
    after = turned.to_own(carrier().apply(q + lead).reshape(-1, 3))
    near = points[:, 2] < D_HAT
    assert near.any()
    assert after[near] == pytest.approx(points[near], abs=1e-15)
    assert contact.largest_advance(q, lead) == 1.0


def test_a_body_comes_to_rest_on_its_points_and_its_vertices_reach_below():
    masses, mu = np.full(12, 0.5), np.array([0.4])
    q = TETRAHEDRON.ravel()
    carried = Carrier(np.tile(np.arange(4), (4, 1)), 0.6 * np.eye(4) + 0.1)
    points = RigidContact([RigidCollider("Ground", HalfSpace(3))], np.arange(4), np.full(4, 500.0), D_HAT)
    contact = EmbeddedContact(points, carried)
    surroundings = Surroundings(contact, lambda start, end: [STILL], mu)
    system = System(
        masses,
        [Rods()],
        np.ones(12, bool),
        surroundings,
        force=gravity(masses, [0.0, 0.0, -9.81]),
        mass_damping=5.0,
    )
    solver, state = ImplicitEuler(system, 1e-7), State(q, np.zeros(12))
    for _ in range(150):
        state = solver.step(state, 0.01)
        assert state.converged
        assert carried.apply(state.q).reshape(-1, 3)[:, 2].min() > 0.0
    low = carried.apply(state.q).reshape(-1, 3)[:, 2].min()
    assert 0.0 < low < D_HAT
    assert state.q.reshape(-1, 3)[:, 2].min() < -D_HAT
    contact.begin_step(state.q, [STILL])
    borne = -summed(contact, contact.gradient(state.q)).reshape(4, 3).sum(0)
    assert borne[2] == pytest.approx(9.81 * 0.5 * 4, rel=1e-3)


class Rods:
    """Stiff springs between all four vertices."""

    stencils = np.array(
        [
            [3 * a + k for k in range(3)] + [3 * b + k for k in range(3)]
            for a, b in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
        ]
    )
    rest = np.array([1.0, 1.0, 1.0, 2**0.5, 2**0.5, 2**0.5])
    stiffness = 2e4

    def _sides(self, q):
        x = q[self.stencils]
        sides = x[:, :3] - x[:, 3:]
        return sides, np.linalg.norm(sides, axis=1)

    def value(self, q):
        return 0.5 * self.stiffness * (self._sides(q)[1] - self.rest) ** 2

    def gradient(self, q):
        sides, lengths = self._sides(q)
        pull = (self.stiffness * (1.0 - self.rest / lengths))[:, None] * sides
        return np.concatenate([pull, -pull], axis=1)

    def hessian(self, q):
        sides, lengths = self._sides(q)
        along = sides / lengths[:, None]
        block = self.stiffness * along[:, :, None] * along[:, None, :]
        return np.concatenate([np.concatenate([block, -block], 2), np.concatenate([-block, block], 2)], 1)


def test_a_ball_that_is_moved_into_the_points_pushes_the_body_aside():
    """Faster than its own size in a few steps, and turning: no point is ever inside."""
    radius, held = 0.3, carrier()

    def pose(time):
        return Pose(
            Rotation.from_rotvec([0, 0, 3 * time]).as_matrix(), np.array([0.3, 0.3, -0.5 + 4.0 * time])
        )

    contact = contact_with(Sphere(radius), 2e3)
    surroundings = Surroundings(contact, lambda a, b: [RigidMotion(pose(a), pose(b))], np.array([0.3]))
    system = System(np.full(12, 0.5), [Rods()], np.ones(12, bool), surroundings)
    solver, state = ImplicitEuler(system, 1e-6), State(TETRAHEDRON.ravel(), np.zeros(12))
    for _ in range(25):
        state = solver.step(state, 0.01)
        points = held.apply(state.q).reshape(-1, 3)
        assert state.converged
        assert (np.linalg.norm(points - pose(state.time).translation, axis=1) > radius).all()
    assert state.velocity.reshape(-1, 3)[:, 2].mean() > 1.0
