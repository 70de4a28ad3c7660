"""Balls that are larger or smaller than in the takes: closed forms, and balls that were made so large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from handle_blocks import block, dynamics_of, handles_of, placed

from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.methods.contact_corrections.contact import Contact
from neural_physics.methods.contact_corrections.surroundings import FollowedColliders, Surroundings

RADII = (0.05, 0.08, 0.1)


def contact(*radii):
    corners = np.arange(40)[:, None]
    return Contact(corners, np.ones((40, 1)), 10.0, 1e-3, shapes=[Sphere(radius) for radius in radii])


def test_a_scaled_ball_is_one_of_so_much_larger_a_radius():
    points = np.random.default_rng(0).uniform(-0.3, 0.3, (40, 3))
    centre, scale = np.array([0.1, -0.05, 0.02]), 1.7
    there = replace(placed(centre), scales=np.array([scale]))
    distances = np.linalg.norm(points - centre, axis=1)
    assert contact(0.15).least_gap(points, 0, there) == pytest.approx(distances.min() - 0.15 * scale)
    ((depth, point, normal),) = contact(0.15).deepest(points, there, 1)
    assert point == distances.argmin()
    assert depth == pytest.approx(0.15 * scale + 1e-3 - distances.min())
    assert contact(0.15).deepest(points, replace(there, centres=there.centres + 9.0), 1) == [None]
    np.testing.assert_allclose(normal, (points[point] - centre) / distances[point], atol=1e-12)
    which, short, normals = contact(0.15).pressed(points, there)
    near = np.flatnonzero(distances < 0.15 * scale + 1e-3)
    assert 2 < len(near) < 40
    np.testing.assert_array_equal(which, near)
    np.testing.assert_allclose(short, 0.15 * scale + 1e-3 - distances[near], atol=1e-12)
    outward = (points[near] - centre) / distances[near, None]
    np.testing.assert_allclose(normals, outward, atol=1e-12)


def test_a_block_is_pressed_by_a_scaled_ball_as_by_one_that_was_made_so_large():
    """And by one that is not scaled bit for bit as before there were sizes."""
    body = block()
    handles, corner = handles_of(body, 8), body.rest_positions[body.rest_positions[:, 2].argmax()]

    def pressed(radius, scale):
        shapes = [Sphere(radius), HalfSpace(3)]
        dynamics = dynamics_of(body, handles, (0.0, 0.0, -9.81), shapes, stiffness=1e3)
        places = placed(np.add(corner, (0.0, 0.0, 0.12)), (0.0, 0.0, -0.001))
        around = Surroundings(np.zeros((0, 3)), places, np.zeros(1))
        if scale is not None:
            around = replace(around, placed=replace(places, scales=np.array([scale, 1.0])))
        motion = dynamics.at(handles.rest, around)
        for _ in range(5):
            motion = dynamics.step(motion, 1.0 / 60.0, around)
        return motion.q

    large = pressed(0.15, None)
    assert np.abs(large - pressed(0.1, None)).max() > 1e-3
    np.testing.assert_allclose(pressed(0.1, 1.5), large, atol=1e-9)
    np.testing.assert_array_equal(pressed(0.15, 1.0), large)


def colliders(*anchors):
    """Balls of RADII: y has one place for them all, and the sizes of the first two."""
    count, nothing = len(RADII), -np.ones(len(RADII), np.intp)
    own = np.tile(np.eye(3), (count, 1, 1))
    shapes = [Sphere(radius) for radius in RADII]
    scaling = np.array([3, 4, -1], np.intp)
    return FollowedColliders(
        shapes, np.zeros(count, np.intp), np.array(anchors), nothing, own=own, scaling=scaling
    )


def test_sizes_are_clamped_to_those_learned_for_the_network_but_not_for_contact():
    """A ball that is beside its object's origin goes on being beside it by as much as the object grows."""
    found = colliders((0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.2, 0.0, 0.0))
    y = np.array([1.0, 2.0, 3.0, 1.5, 2.0], np.float32)
    there = found.placed(y)
    np.testing.assert_allclose(there.scales, [1.5, 2.0, 1.0])
    np.testing.assert_allclose(there.centres - y[:3], [[0.0, 0.0, 0.0], [0.0, 0.2, 0.0], [0.2, 0.0, 0.0]])
    np.testing.assert_allclose(found.learned_sizes(y), [0.075, 0.1, 0.1])
    ((which, radius, nearest),) = found.unlearned(y)
    assert (which, radius, nearest) == (1, pytest.approx(0.16), 0.1)
    y[3:] = 0.5, 1.0
    ((which, radius, nearest),) = found.unlearned(y)
    assert (which, radius, nearest) == (0, pytest.approx(0.025), 0.05)


def test_without_sizes_in_y_colliders_are_as_large_as_in_the_takes():
    found = colliders((0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.2, 0.0, 0.0))
    y = np.ones(3, np.float32)
    assert found.scales(y).tolist() == [1.0, 1.0, 1.0] and not found.unlearned(y)
    np.testing.assert_array_equal(found.learned_sizes(y), RADII)


def test_a_ball_of_no_size_is_a_point():
    found = colliders((0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.2, 0.0, 0.0))
    y = np.array([1.0, 2.0, 3.0, 0.0, 1.0], np.float32)
    points = np.array([[1.0, 2.0, 3.0], [1.1, 2.0, 3.0]])
    touching = Contact(np.arange(2)[:, None], np.ones((2, 1)), 1.0, 1e-3, shapes=found.shapes)
    beside = points[1:].repeat(2, 0)
    assert touching.least_gap(beside, 0, found.placed(y)) == pytest.approx(0.1, abs=1e-4)
    ((depth, point, normal),) = touching.deepest(points, found.placed(y), 1)
    assert depth == pytest.approx(1e-3, abs=1e-4) and point == 0 and np.isfinite(normal).all()
