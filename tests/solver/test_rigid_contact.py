"""Contact with rigid colliders: its derivatives, that nothing is passed, rest and friction."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from capsule_collider import Capsule
from scipy.spatial.transform import Rotation

from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.solver.contact.friction import RigidFriction
from neural_physics.solver.contact.rigid import RigidCollider, RigidContact
from neural_physics.solver.contact.rigid_motion import Pose, RigidMotion

DT = 1 / 240
D_HAT = 1e-3
G = 9.81


def pose(translation, turn=(0.0, 0.0, 0.0)):
    return Pose(Rotation.from_rotvec(turn).as_matrix(), np.asarray(translation, float))


def resting(where):
    return RigidMotion(where, where)


def wedge(half_extents=(0.5, 0.5, 0.0005)):
    """A thin box as a mesh."""
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half_extents
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return ClosedMesh(corners, np.array([t for a, b, c, d in sides for t in ([a, b, c], [a, c, d])]))


def contact_of(shape, points, stiffness=1e3, **more):
    colliders = [RigidCollider("Tool", shape)]
    return RigidContact(colliders, np.arange(len(points)), np.full(len(points), stiffness), D_HAT, **more)


class Masses:
    """Point masses by implicit Euler, each step minimised by Newton with a line search."""

    def __init__(self, contact, points, mass, gravity, friction=None):
        self.contact, self.friction = contact, friction
        self.q, self.v = np.ravel(points).astype(float), np.zeros(np.size(points))
        self.mass, self.gravity = mass, np.tile(gravity, len(points))
        self.iterations = 0

    def step(self, motions, lags=1):
        before = self.q.copy()
        aim = before + DT * self.v + DT * DT * self.gravity
        self.contact.begin_step(before, motions)
        if self.friction:
            self.friction.lag(self.contact.contacts(before), before)
        for lag in range(lags):
            if lag:
                self.friction.lag(self.contact.contacts(self.q), before)
            self.minimise(aim)
        self.v = (self.q - before) / DT

    def terms(self):
        return [self.contact, *([self.friction] if self.friction else [])]

    def energy(self, q, aim):
        inertia = 0.5 * self.mass / DT**2 * ((q - aim) ** 2).sum()
        return inertia + sum(term.value(q).sum() for term in self.terms())

    def minimise(self, aim):
        contact = self.contact
        for _ in range(400):
            self.iterations += 1
            if contact.progress < 1.0:
                guess = contact.carry(self.q, np.zeros_like(self.q))
                t = contact.largest_advance(self.q, guess)
                self.q = self.q + t * guess
                contact.advance(t)
            gradient = self.mass / DT**2 * (self.q - aim)
            hessian = np.eye(len(self.q)) * self.mass / DT**2
            for term in self.terms():
                stencils = term.stencils
                np.add.at(gradient, stencils, term.gradient(self.q))
                np.add.at(hessian, (stencils[:, :, None], stencils[:, None, :]), term.hessian(self.q))
            direction = -np.linalg.solve(hessian, gradient)
            if contact.progress == 1.0 and np.abs(direction).max() < 1e-8 * DT:
                return
            t = contact.largest_step(self.q, direction)
            start = self.energy(self.q, aim)
            while self.energy(self.q + t * direction, aim) > start and t > 1e-12:
                t /= 2
            self.q = self.q + t * direction
        raise AssertionError("no minimum in 400 iterations")


PLATE, PLATE_MESH = Box((0.5, 0.5, 0.0005)), wedge()
SHAPES = [HalfSpace(), Sphere(0.3), Capsule(0.2, 0.3), Box((0.3, 0.2, 0.4)), wedge((0.3, 0.2, 0.4))]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_forces_are_the_slopes_of_the_energy_and_stiffnesses_never_negative(shape):
    rng = np.random.default_rng(0)
    where = pose([0.1, 0.2, -0.3], [0.3, -0.5, 1.0])
    own = rng.uniform(-0.6, 0.6, (4000, 3))
    gap = rng.uniform(0.1, 0.9, (len(own), 1)) * D_HAT
    own = own - (shape.distance(own)[:, None] - gap - 0.002) * shape.gradient(own)
    own = own[np.abs(shape.distance(own) - gap[:, 0] - 0.002) < 1e-9][:50]
    contact = contact_of(shape, own, offsets=0.002)
    q = where.to_world(own).ravel()
    contact.begin_step(q, [resting(where)])
    contact.advance(1.0)
    assert len(contact.stencils) == len(own) > 20
    gradient, hessian, h = contact.gradient(q), contact.hessian(q), 1e-9
    bends = np.empty_like(hessian)
    for axis in range(3):
        step = np.zeros_like(q)
        step[axis::3] = h
        slope = (contact.value(q + step) - contact.value(q - step)) / (2 * h)
        assert gradient[:, axis] == pytest.approx(slope, rel=1e-4, abs=1e-5)
        bends[:, :, axis] = (contact.gradient(q + step) - contact.gradient(q - step)) / (2 * h)
    # All but the pull of the surface's curvature is there: what is added is nowhere negative.
    normals = gradient / np.linalg.norm(gradient, axis=1, keepdims=True)
    numerical, analytical = (np.einsum("mi,mij,mj->m", normals, h, normals) for h in (bends, hessian))
    assert analytical == pytest.approx(numerical, rel=1e-4)
    scale = np.abs(hessian).max((1, 2))
    assert (np.linalg.eigvalsh(hessian).min(1) > -1e-9 * scale).all()
    added = hessian - 0.5 * (bends + bends.transpose(0, 2, 1))
    assert (np.linalg.eigvalsh(added).min(1) > -1e-4 * scale).all()
    gaps = shape.distance(where.to_own(q.reshape(-1, 3))) - 0.002
    exact = -1e3 * (gaps - D_HAT) ** 2 * np.log(gaps / D_HAT)
    assert contact.value(q) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("shape", [PLATE, PLATE_MESH], ids=["box", "mesh"])
def test_no_vertex_at_a_thousand_metres_per_second_passes_a_plate_of_a_millimetre(shape):
    rng = np.random.default_rng(1)
    points = np.c_[rng.uniform(-0.4, 0.4, (80, 2)), rng.uniform(0.001, 3.0, 80)]
    shots = rng.normal(size=points.shape) * 0.3 - [0, 0, 1]
    shots *= 1000 * DT / np.linalg.norm(shots, axis=1, keepdims=True)
    for point, shot in zip(points, shots, strict=True):
        contact = contact_of(shape, point[None])
        contact.begin_step(point, [resting(pose([0, 0, 0]))])
        contact.advance(1.0)
        t = contact.largest_step(point, shot)
        path = point + np.linspace(0, t, 200)[:, None] * shot
        crossing = point + shot * point[2] / -shot[2]
        assert 0 < t <= 1 and shape.distance(path).min() > 0
        if (np.abs(crossing[:2]) < 0.49).all():
            # It is stopped close by, not anywhere before.
            assert 0 < path[-1, 2] < 0.0005 + 3e-3 and t < 1
        elif (np.abs(crossing[:2]) > 0.6).any():
            assert t == 1


@pytest.mark.parametrize("shape", [PLATE, PLATE_MESH], ids=["box", "mesh"])
def test_no_plate_at_a_thousand_metres_per_second_passes_a_vertex_nor_where_it_turns(shape):
    rng = np.random.default_rng(2)
    for _ in range(30):
        start = pose([0, 0, 0], rng.normal(size=3))
        end = pose(rng.normal(size=3) * 1000 * DT / 2, rng.normal(size=3))
        motion = RigidMotion(start, end)
        point = start.to_world(np.array([[*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.0007, 0.5)]]))
        contact = contact_of(shape, point)
        contact.begin_step(point.ravel(), [motion])
        t = contact.largest_advance(point.ravel(), np.zeros(3))
        assert 0 < t <= 1
        sides = [motion.at(s).to_own(point)[0] for s in np.linspace(0, t, 400)]
        assert shape.distance(np.array(sides)).min() > 0
        contact.advance(t)
        assert contact.progress == pytest.approx(t)


def test_sliding_along_a_surface_is_not_held_up():
    points = np.c_[np.linspace(-0.3, 0.3, 5), np.zeros(5), np.full(5, 0.0005 + 0.2 * D_HAT)]
    for shape, way in ((PLATE, 0.15), (PLATE_MESH, 0.005)):
        contact = contact_of(shape, points)
        contact.begin_step(points.ravel(), [resting(pose([0, 0, 0]))])
        contact.advance(1.0)
        assert contact.largest_step(points.ravel(), np.tile([way, 0.0, 0.0], 5)) == 1.0


def test_pairs_that_come_near_along_a_step_are_felt_at_its_end():
    point = np.array([0.0, 0.0, 0.5])
    contact = contact_of(HalfSpace(), point[None])
    contact.begin_step(point, [resting(pose([0, 0, 0]))])
    assert len(contact.stencils) == 0
    fall = np.array([0.0, 0.0, -1.0])
    t = contact.largest_step(point, fall)
    landed = point + t * fall
    assert contact.value(landed).sum() > 0 and D_HAT / 10 <= landed[2] * (1 + 1e-9) < D_HAT / 4


def test_a_collider_that_starts_in_the_body_is_named_with_the_count_of_vertices():
    points = np.array([[0, 0, 0.1], [0, 0, 0.2], [0, 0, 0.5]])
    with pytest.raises(ValueError, match=r"Tool .* 2 "):
        contact_of(Sphere(0.3), points).begin_step(points.ravel(), [resting(pose([0, 0, 0]))])
    with pytest.raises(ValueError, match=r"Tool .* 3 "):
        contact_of(Sphere(0.3), points, offsets=0.25).begin_step(points.ravel(), [resting(pose([0, 0, 0]))])
    with pytest.raises(ValueError, match="scale"):
        Pose(2 * np.eye(3), np.zeros(3))


def test_motions_end_where_they_should_and_give_the_displacements_of_material():
    rng = np.random.default_rng(3)
    for _ in range(20):
        start, end = (pose(rng.normal(size=3), 2 * rng.normal(size=3)) for _ in range(2))
        motion = RigidMotion(start, end)
        points = rng.normal(size=(5, 3))
        almost = motion.at(1.0 - 1e-12)
        assert almost.rotation == pytest.approx(end.rotation, abs=1e-9)
        halves = np.full(5, 0.37)
        assert motion.to_own(points, halves) == pytest.approx(motion.at(0.37).to_own(points))
        moved = end.to_world(points) - start.to_world(points)
        assert motion.displacements(end.to_world(points)) == pytest.approx(moved)
    flat = RigidMotion(*(Pose(np.array([[0, -s], [s, 0]]), np.zeros(2)) for s in (1.0, -1.0)))
    assert flat.angle == pytest.approx(np.pi)
    assert flat.at(1 - 1e-12).rotation == pytest.approx(flat.end.rotation, abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "speed"),
    [(Sphere(0.05), 2.0), (PLATE, 2.0), (PLATE, 100.0), (PLATE_MESH, 2.0), (PLATE_MESH, 100.0)],
    ids=["ball", "plate", "fast plate", "mesh", "fast mesh"],
)
def test_a_collider_pushes_before_it_all_that_is_in_its_way(shape, speed):
    # A column of masses; the collider comes along it from above.
    points = np.array([[1e-4, 2e-4, -z] for z in (0.0, 0.003, 0.2)])
    masses = Masses(contact_of(shape, points, 0.1 / DT**2), points, 0.1, np.zeros(3))
    height = 0.06
    for _ in range(8):
        motion = RigidMotion(pose([0, 0, height]), pose([0, 0, height - speed * DT]))
        height -= speed * DT
        masses.step([motion])
        own = masses.q.reshape(-1, 3) - [0, 0, height]
        assert shape.distance(own).min() > 0 and (own[:, 2] < 0).all()
    # Each mass that was hit goes as fast as what hit it, or faster, and was given no more than it takes.
    hit = points[:, 2] > height + shape.distance(np.zeros((1, 3)))[0]
    speeds = -masses.v.reshape(-1, 3)[hit, 2]
    assert hit.any() and (speeds > 0.5 * speed).all() and (speeds < 2.1 * speed).all()
    assert masses.iterations < 8 * 60


def test_what_rests_stays_at_rest():
    points = np.array([[x, y, 0.02 + 0.01 * x] for x in (0.0, 0.1, 0.2) for y in (0.0, 0.1)])
    for shape in (HalfSpace(), wedge()):
        masses = Masses(contact_of(shape, points, 0.1 / DT**2), points, 0.1, [0, 0, -G])
        energies = []
        for _ in range(120):
            masses.step([resting(pose([0, 0, 0]))])
            energies.append(0.5 * 0.1 * (masses.v**2).sum())
        assert max(energies) > 1e-2
        # A weight that moves by less than a nanometre in each step: 6 * 0.1 kg * (1e-9 m / DT)^2 / 2.
        assert max(energies[60:]) < 2e-14


@pytest.mark.parametrize("mu", [0.2, 0.5])
@pytest.mark.parametrize("side", ["below", "above"])
def test_a_block_on_an_inclined_plane_stays_or_slides_as_coulomb_says(mu, side):
    slope = np.arctan(mu) * (0.9 if side == "below" else 1.4)
    down = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    up = np.array([np.sin(slope), 0.0, np.cos(slope)])
    mass, eps_v = 0.1, 1e-3
    stiffness = mass / DT**2
    # Let them down to where the plane bears them, so that no time goes by with falling.
    gap = D_HAT
    while mass * G * np.cos(slope) > stiffness * -slope_of_barrier(gap):
        gap *= 0.999
    points = np.array([gap * up + [0, y, 0] + x * down for x in (0.0, 0.1) for y in (0.0, 0.1)])
    contact = contact_of(HalfSpace(), points, stiffness)
    friction = RigidFriction(np.array([mu]), eps_v, DT)
    masses = Masses(contact, points, mass, [0, 0, -G], friction=friction)
    steps = 48
    for _ in range(steps):
        masses.step([resting(pose([0, 0, 0], [0, slope, 0]))], lags=2)
    way = (masses.q.reshape(-1, 3) - points) @ down
    if side == "below":
        assert (way < eps_v * steps * DT).all()
    else:
        speed = (masses.v.reshape(-1, 3) @ down) / (steps * DT)
        assert speed == pytest.approx(G * (np.sin(slope) - mu * np.cos(slope)), rel=0.02)


def slope_of_barrier(gap):
    return -2 * (gap - D_HAT) * np.log(gap / D_HAT) - (gap - D_HAT) ** 2 / gap


def test_a_moving_floor_takes_along_what_lies_on_it():
    points = np.array([[0.0, 0.0, 0.5 * D_HAT]])
    contact = contact_of(HalfSpace(), points, 0.1 / DT**2)
    masses = Masses(contact, points, 0.1, [0, 0, -G], friction=RigidFriction(np.array([0.8]), 1e-3, DT))
    x = 0.0
    for _ in range(60):
        masses.step([RigidMotion(pose([x, 0, 0]), pose([x + 0.5 * DT, 0, 0]))], lags=2)
        x += 0.5 * DT
    assert masses.v[0] == pytest.approx(0.5, abs=2e-3) and masses.q[0] > 0.08


def test_friction_is_the_slope_of_its_potential_and_at_most_mu_times_the_force():
    rng = np.random.default_rng(5)
    where = pose([0, 0, 0], [0.4, 0.2, 0])
    own = np.c_[rng.uniform(-1, 1, (40, 2)), rng.uniform(0.2, 0.8, 40) * D_HAT]
    q = where.to_world(own).ravel()
    contact = contact_of(HalfSpace(), own)
    contact.begin_step(q, [resting(where)])
    contact.advance(1.0)
    contacts = contact.contacts(q)
    friction = RigidFriction(np.array([0.7]), 0.01, DT)
    friction.lag(contacts, q + rng.normal(size=q.shape) * 0.01 * DT)
    gradient, hessian, h = friction.gradient(q), friction.hessian(q), 1e-10
    for axis in range(3):
        step = np.zeros_like(q)
        step[axis::3] = h
        slope = (friction.value(q + step) - friction.value(q - step)) / (2 * h)
        assert gradient[:, axis] == pytest.approx(slope, abs=1e-5)
    for reach in (0.1, 1.0, 10.0, 1000.0):
        step = reach * 0.01 * DT * rng.normal(size=q.shape)
        there = step[friction.stencils]
        below = friction.value(q) + (gradient * there).sum(1)
        bound = below + 0.5 * np.einsum("mi,mij,mj->m", there, hessian, there)
        assert (friction.value(q + step) <= bound * (1 + 1e-9)).all()
    assert np.linalg.eigvalsh(hessian).min() > -1e-9 * np.abs(hessian).max()
    assert (np.linalg.norm(gradient, axis=1) <= 0.7 * contacts.forces * (1 + 1e-12)).all()
    assert np.abs(np.einsum("md,md->m", gradient, contacts.normals)).max() < 1e-9


def test_a_mass_rests_in_a_groove_in_the_plane():
    groove = Polygon(np.array([[-1, -1], [1, -1], [1, 0.5], [0, 0], [-1, 0.5]], float))
    points = np.array([[0.001, 0.02]])
    masses = Masses(contact_of(groove, points, 0.1 / DT**2), points, 0.1, [0, -G])
    flat = Pose(np.eye(2), np.zeros(2))
    for _ in range(300):
        masses.step([resting(flat)])
    assert np.abs(masses.v).max() < 1e-6 and abs(masses.q[0]) < 1e-6 and 0 < masses.q[1] < 2 * D_HAT
