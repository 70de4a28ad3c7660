"""Which shape a collider's mesh is taken for, and what is said of a mesh that is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import cuboid, grid, ground, round_ball, triangles_of
from scipy.spatial.transform import Rotation

from ml_backend.simulation.shapes.collider_shapes import fit_shape
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.errors import Problem

ABOVE = np.array([[0.1, 0.2, 5.0]])


def box_mesh(low=(-1.0, -2.0, -3.0), high=(1.0, 2.0, 3.0)):
    vertices, corners, sizes = cuboid(low, high)
    return ColliderMesh("Crate", vertices, triangles_of(corners, sizes))


def cylinder(segments=24):
    """Its corners lie on a sphere, too."""
    around = 2 * np.pi * np.arange(segments) / segments
    ring = np.stack([np.cos(around), np.sin(around)], 1)
    vertices = np.concatenate([np.c_[ring, 0 * around - 0.3], np.c_[ring, 0 * around + 0.3]])
    i, j = np.arange(segments), (np.arange(segments) + 1) % segments
    sides = np.concatenate([np.stack([i, j, j + segments], 1), np.stack([i, j + segments, i + segments], 1)])
    fan = np.arange(1, segments - 1)
    caps = np.concatenate(
        [np.stack([0 * fan, fan + 1, fan], 1), np.stack([0 * fan, fan, fan + 1], 1) + segments]
    )
    return ColliderMesh("Drum", vertices, np.concatenate([sides, caps]).astype(np.int32))


def distances(fitted, points):
    """In the axes of the collider's mesh."""
    return fitted.shape.distance(fitted.place.to_own(points))


def test_a_ball_is_a_sphere_wherever_its_origin_is():
    centre = np.array([3.0, -1.0, 0.5])
    fitted = fit_shape(round_ball(0.7, 32, 16, centre), ABOVE)
    assert isinstance(fitted.shape, Sphere)
    points = np.random.default_rng(0).normal(size=(20, 3)) * 4.0
    expected = np.linalg.norm(points - centre, axis=1) - 0.7
    assert distances(fitted, points) == pytest.approx(expected, abs=1e-9)


def test_float32_and_a_ball_far_from_its_origin_are_no_obstacle():
    ball = round_ball(0.7, 32, 16, (40.0, 0.0, 0.0))
    rounded = replace(ball, vertices=ball.vertices.astype(np.float32).astype(float))
    assert isinstance(fit_shape(rounded, ABOVE).shape, Sphere)


def test_an_egg_a_drum_and_an_icosahedron_are_no_spheres():
    ball = round_ball(0.7, 32, 16)
    egg = replace(ball, vertices=ball.vertices * [1.0, 1.0, 1.1])
    for collider in (egg, cylinder(), round_ball(0.7, 5, 3)):
        assert isinstance(fit_shape(collider, ABOVE).shape, ClosedMesh)


def test_a_cuboid_is_a_box_and_a_turned_one_is_a_mesh_of_the_same_distances():
    fitted = fit_shape(box_mesh((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)), ABOVE)
    assert isinstance(fitted.shape, Box)
    assert distances(fitted, np.array([[4.0, 1.0, 1.0], [0.5, 1.0, -2.0], [0.4, 1.0, 1.5]])) == pytest.approx(
        [3.0, 2.0, -0.4]
    )
    turn = Rotation.from_rotvec([0.3, 0.2, 0.1]).as_matrix()
    turned = fit_shape(replace(box_mesh(), vertices=box_mesh().vertices @ turn.T), ABOVE)
    assert isinstance(turned.shape, ClosedMesh)
    points = np.random.default_rng(0).normal(size=(20, 3)) * 5.0
    assert distances(turned, points @ turn.T) == pytest.approx(
        distances(fit_shape(box_mesh(), ABOVE), points)
    )


def test_a_cuboid_turned_inside_out_is_a_room():
    room = replace(box_mesh(), triangles=box_mesh().triangles[:, ::-1].copy())
    assert distances(fit_shape(room, ABOVE), np.zeros((1, 3))) == pytest.approx([1.0])


def test_a_flat_mesh_is_a_ground_without_end_below_the_body():
    tilt = Rotation.from_rotvec([0.5, 0.0, 0.0]).as_matrix()
    plane = ground(2.0, 0.3)
    tilted = replace(plane, vertices=plane.vertices @ tilt.T)
    for side in (1.0, -1.0):
        body = np.array([[0.0, 0.0, side * 4.0]]) @ tilt.T
        fitted = fit_shape(tilted, body)
        assert isinstance(fitted.shape, HalfSpace)
        far = np.array([[50.0, 0.0, 0.3 + side * 2.0], [0.0, -70.0, 0.3 - side]]) @ tilt.T
        assert distances(fitted, far) == pytest.approx([2.0, -1.0])
        assert np.linalg.det(fitted.place.rotation) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("collider", "code", "match"),
    [
        (replace(box_mesh(), triangles=box_mesh().triangles[:-1]), "collider_unusable", "Crate.*open"),
        (replace(box_mesh(), triangles=box_mesh().triangles[:0]), "collider_without_faces", "Crate"),
        (
            replace(box_mesh(), triangles=np.r_[box_mesh().triangles[:1, ::-1], box_mesh().triangles[1:]]),
            "collider_unusable",
            "Crate.*inconsistent normals",
        ),
    ],
)
def test_a_collider_without_an_inside_is_refused_by_name(collider, code, match):
    with pytest.raises(Problem, match=match) as raised:
        fit_shape(collider, ABOVE)
    assert raised.value.code == code


def test_a_bent_sheet_is_not_flat():
    vertices, corners, sizes = grid((2, 1), (1.0, 1.0))
    vertices[vertices[:, 0] == 0.5, 2] = 0.01
    with pytest.raises(Problem, match="open"):
        fit_shape(ColliderMesh("Ramp", vertices, triangles_of(corners, sizes)), ABOVE)
