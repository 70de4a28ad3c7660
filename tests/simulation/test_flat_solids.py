"""Flat solids: plane strain against closed forms, in any plane; colliders as that plane cuts them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import FPS, cuboid, jelly, moved, plan_for, request, round_ball, tracks, triangles_of
from flat_meshes import UPRIGHT, extruded, floor, polygon, rectangle, star
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from workplaces import simulated

from ml_backend.simulation.bodies import made_of, make_body
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.preparing import prepare_body
from ml_backend.simulation.shapes.flat_shapes import fit_in_plane
from ml_backend.simulation.simulation import Simulation
from neural_physics.coordinates import SPACE, Coordinates, plane_of
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.errors import Problem
from neural_physics.solver.implicit_euler import equilibrium
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.system import System, gravity

SQUARE = rectangle((-0.2, 0.0), (0.2, 0.4))
TILTED = Rotation.from_euler("xyz", [0.4, -0.7, 1.1]).as_matrix()
PLANE = Coordinates(np.zeros(3), np.eye(3)[:, :2])


def beam(settings, length=1.0, height=0.1):
    """Held all along its left end."""
    left = [(0.0, y) for y in np.linspace(height, 0.0, 31)]
    return make_body(request(settings, polygon([*left, (length, 0.0), (length, height)]), range(31)))


def at_rest(body, down):
    """(B, 2): under a weight (2,), m/s^2, along the plane."""
    parts = elastic_parts(body)
    weight = gravity(parts.masses, down)
    system = System(parts.masses, parts.terms, parts.free, force=weight, solid=False)
    found = equilibrium(system, parts.rest.copy(), 1e-9)
    assert found.converged
    return found.q.reshape(-1, 2)


@pytest.mark.parametrize("turn", [np.eye(3), UPRIGHT, TILTED])
def test_a_plane_is_found_and_has_its_own_coordinates(turn):
    points = np.random.default_rng(0).normal(size=(30, 3)) * [1, 1, 0] @ turn.T + [3.0, -1.0, 2.0]
    plane = plane_of(points)
    assert plane.places(plane.of(points)) == pytest.approx(points, abs=1e-12)
    assert np.abs(plane.heights(points)).max() < 1e-12
    assert plane.axes.T @ plane.axes == pytest.approx(np.eye(2), abs=1e-12)
    again = plane_of(points[::-1] + 1e-9)
    assert again.axes == pytest.approx(plane.axes, abs=1e-7)
    other = plane.moved(TILTED, np.array([1.0, 2.0, 3.0]))
    assert other.of(points @ TILTED.T + [1.0, 2.0, 3.0]) == pytest.approx(plane.of(points), abs=1e-12)
    assert plane_of(points + np.random.default_rng(1).normal(size=(30, 3))) is None
    assert plane_of(np.outer(np.arange(5.0), [1, 2, 3])) is None
    assert SPACE.of(points) is not points and np.array_equal(SPACE.places(SPACE.of(points)), points)


@pytest.mark.parametrize("turn", [np.eye(3), UPRIGHT, TILTED])
def test_a_flat_mesh_is_filled_weighs_its_area_and_carries_its_corners(turn, tmp_path):
    asked = request(jelly(density=800.0, tetrahedra=200), rectangle((0, 0), (1.0, 0.5), turn), pins=[0, 3])
    body = make_body(asked)
    assert body.flat and 150 < len(body.elements) < 260
    assert body.masses.sum() == pytest.approx(800.0 * 0.5)  # for each metre across
    assert body.carried(body.rest_positions) == pytest.approx(asked.rest_positions, abs=1e-12)
    left, up = asked.rest_positions[0], asked.rest_positions[3] - asked.rest_positions[0]
    along = (body.rest_positions - left) @ up / (up @ up)
    beside = np.linalg.norm(body.rest_positions - left - np.outer(along, up), axis=1)
    assert np.array_equal(body.pinned, beside < 1e-6), "the side between the two pinned corners"
    body.write(tmp_path / "body.npz")
    again = Body.read(tmp_path / "body.npz")
    assert made_of(again, asked) and again.rest == pytest.approx(body.rest, abs=1e-12)


def test_what_is_not_convex_has_holes_or_short_edges_is_filled_to_its_outline():
    corners = star(7, 0.5, 0.2)
    body = make_body(request(jelly(tetrahedra=300), polygon(corners)))
    area = 0.5 * abs(np.cross(corners, np.roll(corners, -1, 0)).sum())
    assert body.masses.sum() == pytest.approx(1000.0 * area)
    outer = [(0, 0), (3, 0), (3, 3), (0, 3), (1, 1), (2, 1), (2, 2), (1, 2)]
    faces = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    ring = polygon(outer)[0], np.ravel(faces), [4] * 4
    body = make_body(request(jelly(tetrahedra=300), ring))
    assert body.masses.sum() == pytest.approx(8000.0)


def test_the_patch_test_in_a_plane():
    """An affine map of the outline is one of all that is inside."""
    body = make_body(request(jelly(tetrahedra=150, poisson=0.3), rectangle((0, 0), (1.0, 0.7))))
    parts = elastic_parts(body)
    outer = np.zeros(body.vertex_count, bool)
    x, y = body.rest.T
    for edge in (x - x.min(), x.max() - x, y - y.min(), y.max() - y):
        outer |= edge < 1e-9
    assert outer.any() and not outer.all()
    affine = body.rest @ np.array([[1.2, 0.1], [-0.15, 0.9]])
    start = np.where(outer[:, None], affine, body.rest)
    free = np.repeat(~outer, 2)
    found = equilibrium(System(parts.masses, parts.terms, free, solid=False), start.ravel(), 1e-12)
    assert found.q.reshape(-1, 2) == pytest.approx(affine, abs=1e-9)


def test_stretched_in_a_plane_it_narrows_as_the_energy_says():
    """Plane strain: of the third stretch, 1, nothing is left to choose (SciPy, over the second)."""
    settings = jelly(tetrahedra=80, young=1e4, poisson=0.4)
    body = make_body(request(settings, rectangle((0, 0), (1.0, 0.5))))
    parts = elastic_parts(body)
    x = body.rest[:, 0]
    low, high = np.isclose(x, x.min()), np.isclose(x, x.max())
    start = body.rest.copy()
    start[:, 0] *= 1.3
    free = np.ones((body.vertex_count, 2), bool)
    free[low | high, 0] = False
    free[0, 1] = False
    found = equilibrium(System(parts.masses, parts.terms, free.ravel(), solid=False), start.ravel(), 1e-11)
    mu, lam = (np.array([each]) for each in lame_parameters(1e4, 0.4))

    def energy(b):
        f = np.diag([1.3, float(b[0]), 1.0])[None]
        return float(stable_neo_hookean.energy_density(f, mu, lam)[0])

    best = minimize(energy, [0.9], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    height = np.ptp(found.q.reshape(-1, 2)[:, 1])
    assert height == pytest.approx(0.5 * float(best.x[0]), rel=1e-7)
    value = sum(float(term.value(found.q).sum()) for term in parts.terms)
    assert value == pytest.approx(0.5 * best.fun, rel=1e-9)


def test_forces_and_stiffness_agree_with_differences():
    body = make_body(request(jelly(tetrahedra=40), SQUARE))
    (term,) = elastic_parts(body).terms
    q = body.rest.ravel() + 0.02 * np.random.default_rng(0).normal(size=body.rest.size)
    for k in np.random.default_rng(1).integers(len(q), size=6):
        ahead, back = q.copy(), q.copy()
        ahead[k] += 1e-6
        back[k] -= 1e-6
        slope = (term.value(ahead).sum() - term.value(back).sum()) / 2e-6
        force = np.bincount(term.stencils.ravel(), term.gradient(q).ravel(), len(q))[k]
        assert force == pytest.approx(slope, rel=1e-5, abs=1e-6)
        rows = (term.gradient(ahead) - term.gradient(back)) / 2e-6
        touched = (term.stencils == k).any(1)
        at = np.argmax(term.stencils[touched] == k, axis=1)
        column = term.exact_hessian(q)[touched][np.arange(touched.sum()), :, at]
        assert column == pytest.approx(rows[touched], rel=1e-4, abs=1e-2)


@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_a_cantilever_sags_as_a_wide_beam_does(poisson):
    """w L^4 / (8 E' I) with E' = E / (1 - nu^2), and what shear adds, w L^2 / (2 k G A)."""
    length, height, young = 1.0, 0.1, 1e6
    body = beam(jelly(young=young, poisson=poisson, tetrahedra=2000, density=100.0))
    down = body.coordinates.along(np.array([0.0, 0.0, -0.05]))
    sag = np.linalg.norm(at_rest(body, down) - body.rest, axis=1).max()
    load, inertia = 100.0 * height * 0.05, height**3 / 12
    wide, shear = young / (1 - poisson**2), young / (2 * (1 + poisson))
    expected = load * length**4 / (8 * wide * inertia) + load * length**2 / (2 * 5 / 6 * shear * height)
    assert sag == pytest.approx(expected, rel=0.03)


def frames_of(simulation, count):
    found = [simulation.positions.copy()]
    for _ in range(count - 1):
        assert simulation.advance()
        found.append(simulation.positions.copy())
    return np.array(found)


def test_it_falls_in_its_plane_alone_wherever_that_is():
    """As implicit Euler falls, with what of gravity is along the plane."""
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = TILTED, [1.0, 2.0, 3.0]
    asked = request(jelly(steps=2), SQUARE)
    body = make_body(asked)
    simulation = Simulation(asked, body, tracks(asked, 9, place=place))
    fallen = frames_of(simulation, 9) - (body.rest_positions @ TILTED.T + place[:3, 3])
    normal = TILTED @ np.array([0.0, 1.0, 0.0])
    along = asked.gravity - (asked.gravity @ normal) * normal
    n = 2 * np.arange(9)
    expected = (n * (n + 1) / 2 / (2 * FPS) ** 2)[:, None] * along
    assert fallen == pytest.approx(np.repeat(expected[:, None], body.vertex_count, 1), abs=1e-9)


def test_a_block_rests_on_the_ground_with_its_weight():
    asked = request(jelly(damping=0.1, young=5e4), SQUARE, colliders=[floor(height=-0.02)])
    body = make_body(asked)
    simulation = Simulation(asked, body, tracks(asked, 60))
    found = frames_of(simulation, 60)
    assert np.abs(found[-1] - found[-2]).max() < 1e-4
    assert -0.02 < found[-1][:, 2].min() < -0.018
    forces = simulation._contact.gradient(simulation._carrier.apply(simulation._state.q))
    weight = body.masses.sum() * 9.81
    assert -forces.sum(0) @ simulation._motion.coordinates.axes.T[:, 2] == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize("collider", ["star", "circle", "box"])
def test_what_is_thrust_in_is_not_passed(collider):
    shapes = {
        "star": extruded("Star", star()),
        "circle": replace(round_ball(0.2, 32, 16), name="Ball"),
        "box": extruded("Box", [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]),
    }
    shape, reach = shapes[collider], {"star": 0.3, "circle": 0.2, "box": 0.1}[collider]
    asked = request(jelly(tetrahedra=400, young=3e4, steps=2), SQUARE, pins=[0, 1], colliders=[shape])

    def where(t):
        matrix = moved(0.03, 0.0, 0.43 + reach - 0.12 * np.sin(np.pi * t / 0.3))
        angle = 0.0 if collider == "box" else 1.5 * t
        c, s = np.cos(angle), np.sin(angle)
        matrix[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
        return matrix[None]

    of_take = tracks(asked, 16, colliders=where)
    body = make_body(asked)
    simulation = Simulation(asked, body, of_take)
    pressed = False
    for frame in range(1, 16):
        assert simulation.advance()
        positions = simulation.positions
        assert np.abs(positions[:, 1]).max() < 1e-12
        (pose,) = simulation._motion.poses(frame / FPS)
        outline = simulation._numbers[boundary(body.elements)[0]]
        for share in np.linspace(0.0, 1.0, 6):  # between its vertices, too
            points = (1.0 - share) * outline[:, 0] + share * outline[:, 1]
            gaps = simulation._motion.colliders[0].shape.distance(pose.to_own(points))
            assert gaps[~body.pinned[boundary(body.elements)[0]].any(1)].min() > 0.0
            pressed |= gaps.min() < 1e-3
    assert pressed


def test_colliders_are_what_the_plane_cuts_out_of_them():
    body = np.array([[0.0, 3.0]])

    def fitted(mesh):
        return fit_in_plane(mesh, PLANE, body, "Thing")

    flat = np.eye(3)
    ball = fitted(round_ball(0.5, 32, 16, (1.0, 2.0, 0.3)))
    assert isinstance(ball.shape, Sphere) and ball.shape.dimension == 2
    assert ball.shape.radius == pytest.approx(0.4, abs=1e-6)
    assert ball.place.translation == pytest.approx([1.0, 2.0])
    vertices, corners, sizes = cuboid((-1.0, -0.5, -2.0), (1.0, 0.5, 1.0))
    box = fitted(ColliderMesh("Box", vertices, triangles_of(corners, sizes)))
    assert isinstance(box.shape, Box) and sorted(box.shape.half_extents) == pytest.approx([0.5, 1.0])
    ground = fitted(ColliderMesh("Wall", vertices[:4], np.array([[0, 1, 2], [1, 3, 2]])))
    assert isinstance(ground.shape, HalfSpace)
    assert ground.shape.distance(ground.place.to_own(np.array([[2.0, 0.0]]))) == pytest.approx([3.0])
    spiky = fitted(extruded("Star", star(), turn=flat))
    assert isinstance(spiky.shape, Polygon) and len(spiky.shape.corners) == 10
    ring = np.arange(10)
    fan = np.stack([ring, np.roll(ring, -1), 0 * ring + 10], 1)
    lying = ColliderMesh("Star", np.column_stack([np.r_[star(), [[0, 0]]], np.zeros(11)]), fan)
    assert len(fitted(lying).shape.corners) == 10
    points = np.random.default_rng(0).normal(size=(40, 2))
    assert fitted(lying).shape.distance(points) == pytest.approx(spiky.shape.distance(points))
    angles = 2 * np.pi * np.arange(32) / 32
    wheel = np.stack([np.cos(angles), np.sin(angles)], 1)
    assert isinstance(fitted(extruded("Wheel", wheel, turn=flat)).shape, Sphere)


def test_a_flat_solid_is_baked_into_takes_in_space(tmp_path):
    asked = request(jelly(), SQUARE, pins=[0, 1], colliders=[floor(height=-1.0)])
    plan = plan_for(tmp_path / "d", asked, tracks(asked, 6, pins=lambda p, t: p + t * np.array([0.5, 0, 0])))
    events = []
    assert prepare_body(plan, events.append)["elements"] > 100
    assert any("triangles" in event.get("stage", "") for event in events)
    simulated(plan, emit=events.append)
    dataset = Dataset.open(plan.dataset)
    take = dataset.take("take_000")
    assert dataset.body.flat and take.positions.shape == (6, 4, 3)
    assert np.abs(take.body_positions[:, :, 1]).max() < 1e-6
    assert take.positions[-1, 0] == pytest.approx(asked.rest_positions[0] + [0.5 * 5 / FPS, 0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"colliders": [replace(round_ball(0.1, 32, 16, (0, 0.5, 0)), name="Ball")]}, "flat_collider_beside"),
        ({"colliders": [floor()], "turn": np.eye(3), "shift": (0, 0, 1.0)}, "flat_collider_beside"),
        (
            {"colliders": [extruded("Ring", star())], "into": lambda t: moved(0, 0.05 * t, 3)},
            "flat_collider_leaves",
        ),
        ({"pins": [0, 1], "pull": (0.0, 1.0, 0.0)}, "flat_pins_leave"),
        ({"self_contact": True}, "flat_touches_itself"),
        ({"colliders": [replace(floor(), triangles=np.empty((0, 3), np.int32))]}, "collider_without_faces"),
    ],
)
def test_what_cannot_be_in_a_plane_is_refused(change, code):
    mesh = rectangle((-0.2, 1.0), (0.2, 1.4), change.get("turn", UPRIGHT))
    mesh = (mesh[0] + np.array(change.get("shift", (0, 0, 0))), *mesh[1:])
    settings = jelly(self_contact=change.get("self_contact", False))
    asked = request(settings, mesh, change.get("pins", ()), change.get("colliders", ()))
    pull = np.array(change.get("pull", (0.0, 0, 0)))
    with pytest.raises(Problem) as raised:
        body = make_body(asked)
        of_take = tracks(asked, 5, pins=lambda p, t: p + t * pull)
        if "into" in change:
            of_take = replace(of_take, colliders=np.array([[change["into"](t)] for t in range(5)], float))
        Simulation(asked, body, of_take)
    assert raised.value.code == code


def test_a_collider_that_the_plane_cuts_into_two_pieces_is_refused():
    u = [(-1, -1), (1, -1), (1, 1), (0.5, 1), (0.5, -0.5), (-0.5, -0.5), (-0.5, 1), (-1, 1)]
    two = extruded("Fork", u, turn=UPRIGHT)
    with pytest.raises(Problem, match="2 pieces"):
        fit_in_plane(two, Coordinates(np.array([0, 0, 0.3]), np.eye(3)[:, :2]), np.zeros((1, 2)), "Thing")


@pytest.mark.parametrize(
    ("mesh", "match"),
    [
        (polygon([(0, 0), (1, 1), (1, 0), (0, 2)]), "intersects itself"),
        ((SQUARE[0], np.tile(SQUARE[1], 3), [4] * 3), "more than two faces"),
    ],
)
def test_an_outline_that_cannot_be_filled_is_refused(mesh, match):
    with pytest.raises(Problem, match=match) as raised:
        make_body(request(jelly(), mesh))
    assert raised.value.code == "body_unusable"
