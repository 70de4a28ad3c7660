"""Cloth of any stiffness and round colliders, against exact distances and what resolution may not change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from capsule_collider import Capsule

from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.projective_dynamics.cloth import GRAVITY, KEPT_FACTORS, Cloth, Fabric, Load
from neural_physics.projective_dynamics.round_colliders import RoundColliders, balls

STILL = np.zeros(3)


def sheet(columns, rows, width=0.5, height=1.0):
    """Upright; vertices row by row from below, and triangles."""
    u, v = np.meshgrid(np.linspace(0, width, columns), np.linspace(0, height, rows))
    at = np.arange(columns * rows).reshape(rows, columns)
    p, q, r, s = (c.ravel() for c in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    triangles = np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])
    return np.stack([u.ravel(), 0 * u.ravel(), v.ravel()], 1), triangles


def hanging(columns, rows, fabric, steps=240, dt=1 / 60, load=None):
    """Held along its upper side until it rests."""
    x, triangles = sheet(columns, rows)
    cloth = Cloth(x, triangles, list(range(len(x) - columns, len(x))), dt)
    v = np.zeros_like(x)
    for _ in range(steps):
        x, v = cloth.step(x, v, fabric, load or Load(STILL, GRAVITY))
    return x


def test_the_mass_is_that_of_the_area_at_any_resolution():
    for columns, rows in ((3, 4), (9, 17)):
        cloth = Cloth(*sheet(columns, rows), [], 1 / 60)
        assert cloth.masses(Fabric(density=0.2)).sum() == pytest.approx(0.2 * 0.5)


def test_a_stiffness_means_the_same_at_any_resolution():
    """How far a sheet stretches under its weight, coarse and fine, and half as far if twice as stiff."""
    stretched = [1.0 - hanging(c, r, Fabric(60.0))[:, 2].min() - 1.0 for c, r in ((3, 5), (5, 9), (9, 17))]
    assert stretched[0] > 0.005
    assert stretched == pytest.approx([stretched[-1]] * 3, rel=0.12)
    assert -hanging(5, 9, Fabric(120.0))[:, 2].min() == pytest.approx(0.5 * stretched[1], rel=0.1)


def test_bending_means_the_same_at_any_resolution():
    """How deep the free end of a sheet that is clamped flat sinks."""

    def sags(columns, rows, bending):
        x, triangles = sheet(columns, rows, 0.05, 0.2)
        flat = x[:, [0, 2, 1]]
        clamped = np.flatnonzero(flat[:, 1] < 0.051)
        cloth = Cloth(flat, triangles, clamped, 1 / 60)
        x, v = flat, np.zeros_like(flat)
        for _ in range(200):
            x, v = cloth.step(x, v, Fabric(1000.0, bending), Load(STILL, GRAVITY), iterations=60)
        return -x[:, 2].min()

    coarse, fine = sags(3, 9, 2e-3), sags(5, 17, 2e-3)
    assert 0.01 < fine < 0.1
    assert coarse == pytest.approx(fine, rel=0.3)
    assert sags(5, 17, 4e-3) < 0.8 * fine


def test_stiffness_may_change_from_step_to_step_and_back():
    x, triangles = sheet(4, 6)
    cloth = Cloth(x, triangles, [20, 23], 1 / 60)
    v = np.random.default_rng(0).normal(size=x.shape)
    load = Load(STILL, GRAVITY)
    fabrics = [Fabric(100.0 * k) for k in range(1, KEPT_FACTORS + 4)]
    first = [cloth.step(x, v, fabric, load)[0] for fabric in fabrics]
    again = [cloth.step(x, v, fabric, load)[0] for fabric in reversed(fabrics)][::-1]
    assert np.array_equal(first, again)
    alone = Cloth(x, triangles, [20, 23], 1 / 60).step(x, v, fabrics[3], load)[0]
    assert np.array_equal(alone, first[3])
    assert len({one.tobytes() for one in first}) == len(first)


def test_pins_go_where_they_are_put_and_wind_blows_the_cloth_along():
    x, triangles = sheet(4, 6)
    cloth = Cloth(x, triangles, [20, 23], 1 / 60)
    pins = x[[20, 23]] + [0.0, 0.1, 0.0]
    moved, _ = cloth.step(x, np.zeros_like(x), Fabric(), Load(STILL, GRAVITY, pins))
    assert (moved[[20, 23]] == pins).all()
    blown = hanging(4, 6, Fabric(), steps=30, load=Load(np.array([0.0, 6.0, 0.0]), GRAVITY))
    assert blown[:4, 1].min() > 0.1


def test_cloth_without_bending_or_inner_edges_is_cloth():
    x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    cloth = Cloth(x, np.array([[0, 1, 2]]), [0], 1 / 60)
    after, _ = cloth.step(x, np.zeros_like(x), Fabric(bending=0.0), Load(STILL, GRAVITY))
    assert np.isfinite(after).all() and (after[1:, 2] < 0).all()


def test_a_triangle_without_area_is_refused():
    x, triangles = sheet(3, 3)
    x[4] = x[1]
    with pytest.raises(ValueError, match="no area"):
        Cloth(x, triangles, [], 1 / 60)


@pytest.mark.parametrize("half", [0.0, 0.6])
def test_vertices_go_to_the_nearest_point_of_the_surface(half):
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (400, 3))
    shape = Capsule(0.5, half) if half else Sphere(0.5)
    ends = np.array([[0.0, 0, -half]]), np.array([[0.0, 0, half]])
    speeds = np.array([[1.0, 0, 0]]), np.array([[3.0, 0, 0]])
    contact = RoundColliders(*ends, np.array([0.5]), *speeds).push_out(points, 0 * points)
    depth = np.maximum(-shape.distance(points), 0.0)
    inside = depth > 0
    assert 20 < inside.sum() < 350
    assert contact.positions == pytest.approx(points + depth[:, None] * shape.gradient(points))
    assert contact.normals == pytest.approx(np.where(inside[:, None], shape.gradient(points), 0.0))
    if half:
        share = np.clip(points[:, 2] / (2 * half) + 0.5, 0, 1)
        assert contact.velocities[:, 0] == pytest.approx(np.where(inside, 1 + 2 * share, 0.0))


@pytest.mark.parametrize("radii", [(0.5, 0.2), (0.1, 0.4), (0.2, 0.9), (0.9, 0.2)])
def test_of_a_tapered_capsule_the_surface_is_that_of_all_balls_along_its_axis(radii):
    """Distances are the least of those to many balls between both ends; the last two radii hold one ball."""
    rng = np.random.default_rng(2)
    ends = rng.normal(size=(2, 3))
    ends[1] = ends[0] + 0.6 * (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    points = ends.mean(axis=0) + rng.uniform(-1, 1, (500, 3))
    share = np.linspace(0, 1, 2001)
    middles = ends[0] + share[:, None] * (ends[1] - ends[0])
    sizes = radii[0] + share * (radii[1] - radii[0])

    def distances(x):
        return (np.linalg.norm(x[:, None] - middles, axis=2) - sizes).min(axis=1)

    tapered = RoundColliders(
        ends[:1],
        ends[1:],
        np.array(radii[:1]),
        np.zeros((1, 3)),
        end_velocities=np.ones((1, 3)),
        ground=None,
        end_radii=np.array(radii[1:]),
    )
    contact = tapered.push_out(points, 0 * points)
    depth = -distances(points)
    inside = depth > 1e-6
    assert 15 < inside.sum() < 450
    assert np.abs(distances(contact.positions[inside])).max() < 1e-6
    assert np.linalg.norm(contact.positions - points, axis=1) == pytest.approx(np.maximum(depth, 0), abs=1e-6)
    nearest = share[(np.linalg.norm(points[:, None] - middles, axis=2) - sizes).argmin(axis=1)]
    assert contact.velocities[inside, 0] == pytest.approx(nearest[inside], abs=1e-3)


def test_a_vertex_on_the_axis_of_an_upright_capsule_gets_out():
    upright = RoundColliders(
        np.array([[0.0, 0, -1]]), np.array([[0.0, 0, 1]]), np.array([0.2]), *np.zeros((2, 1, 3))
    )
    x = upright.push_out(np.array([[0.0, 0, 0.1]]), np.zeros((1, 3))).positions
    assert np.linalg.norm(x[0, :2]) == pytest.approx(0.2) and x[0, 2] == pytest.approx(0.1)


def test_a_capsule_without_length_is_a_ball():
    points = np.random.default_rng(3).uniform(-1, 1, (300, 3))
    at, moving, radius = np.array([[0.1, 0.2, 0.0]]), np.array([[1.0, 0, 2]]), np.array([0.6])
    ball = balls(at, radius, moving).push_out(points, 0 * points)
    capsule = RoundColliders(
        at, at.copy(), radius, moving, end_velocities=moving, ground=None, end_radii=radius
    )
    for ours, theirs in zip(capsule.push_out(points, 0 * points), ball, strict=True):
        assert np.array_equal(ours, theirs)


def test_far_from_the_origin_and_among_many_each_vertex_is_still_out():
    """What is sorted out beforehand are only vertices that are in no collider."""
    rng = np.random.default_rng(4)
    far = np.array([3000.0, -2000.0, 500.0])
    starts = far + 4.0 * np.arange(12)[:, None] * [1.0, 0, 0]  # none in another
    ends = starts + rng.normal(size=(12, 3))
    points = far + rng.uniform([-2, -2, -2], [48, 2, 2], (4000, 3))
    still = np.zeros((12, 3))

    def distances(x):
        """From each axis, of a point of it at a thousand places."""
        on_axes = starts + np.linspace(0, 1, 401)[:, None, None] * (ends - starts)
        return np.array([np.linalg.norm(point - on_axes, axis=2).min() for point in x])

    x = (
        RoundColliders(starts, ends, np.full(12, 0.3), still, end_velocities=still)
        .push_out(points, 0 * points)
        .positions
    )
    moved = np.abs(x - points).max(axis=1) > 0.0
    assert moved.sum() > 30
    assert np.array_equal(moved, distances(points) < 0.3)
    assert distances(x[moved]) == pytest.approx(np.full(moved.sum(), 0.3), abs=1e-4)


def test_the_ground_is_solid_below_and_a_vertex_in_a_balls_middle_gets_out():
    normal = np.array([0.0, 0.6, 0.8])
    points = np.array([[0.0, 0, 0], [0.0, 0, 1], [5.0, 5, 5]])
    contact = balls(points[2:], np.array([0.3]), np.ones((1, 3)), (normal, 0.2)).push_out(points, 0 * points)
    assert contact.positions[0] == pytest.approx(0.2 * normal)
    assert (contact.positions[1] == points[1]).all() and not contact.normals[1].any()
    assert np.linalg.norm(contact.positions[2] - points[2]) == pytest.approx(0.3)


def test_cloth_falls_on_a_ball_that_moves_and_stays_outside():
    x, triangles = sheet(9, 9, 1.0, 1.0)
    x = x[:, [0, 2, 1]]
    cloth, v = Cloth(x, triangles, [], 1 / 60), np.zeros_like(x)
    fabric, dt = Fabric(), 1 / 60
    for t in range(60):
        centre = np.array([[0.5, 0.5, -0.3 + 0.2 * t * dt]])
        ball = balls(centre, np.array([0.25 + fabric.thickness]), np.array([[0, 0, 0.2]]))
        x, v = cloth.step(x, v, replace(fabric, friction=0.5), Load(STILL, GRAVITY, None, ball))
        assert np.linalg.norm(x - centre, axis=1).min() > 0.25
    assert x[:, 2].max() > -0.1 and x[:, 2].min() < -0.3
