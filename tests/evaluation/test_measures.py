"""Energy, penetration and stretch, against what a textbook says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic

from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.evaluation.measures import energy, normal_errors, penetration
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.models.normals import normals_from_faces

MESH = synthetic.sheet_mesh(5)
BALL = ChannelLayout((Channel("Ball", "position", 3),))
INFO = DatasetInfo("Sheet", MESH.topology(), MESH.vertex_count, 100.0, channels=BALL)
SECONDS = np.arange(300)[:, None, None] / 100.0


def test_in_free_fall_what_is_lost_in_height_is_gained_in_motion():
    fall = np.array([0.3, 0.0, 0.0]) * SECONDS - 0.5 * 9.81 * SECONDS**2 * np.array([0, 0, 1.0])
    shapes = (MESH.rest_positions + fall).astype(np.float32)
    found = energy(shapes, np.zeros((300, 3), np.float32), MESH, INFO)
    assert found.stretch == pytest.approx(0.0, abs=1e-9)
    # Velocities are differences: those of the middle of each step.
    total = found.kinetic[1:] + (found.gravitational[1:] + found.gravitational[:-1]) / 2
    assert total == pytest.approx(0.5 * 0.3**2, abs=0.03)  # of up to 430 J/kg
    assert found.gravitational[-1] == pytest.approx(-9.81 * 0.5 * 9.81 * 2.99**2, rel=1e-4)


def test_gravity_points_where_the_dataset_or_its_ground_channel_says():
    up = MESH.rest_positions + np.array([0, 2.0, 0], np.float32)
    y = np.zeros((3, 3), np.float32)
    shapes = np.repeat(up[None], 3, 0)
    assert energy(shapes, y, MESH, INFO).gravitational == pytest.approx(0.0, abs=1e-6)
    turned = replace(INFO, gravity=(0.0, -5.0, 0.0))
    assert energy(shapes, y, MESH, turned).gravitational == pytest.approx(10.0, rel=1e-5)
    ground = replace(INFO, channels=ChannelLayout((Channel("Ground", "ground", 4),)))
    ups = np.array([[0, 1, 0, 7], [0, -1, 0, 7], [1, 0, 0, 7]], np.float32)
    expected = [19.62, -19.62, 0.0]
    assert energy(shapes, ups, MESH, ground).gravitational == pytest.approx(expected, abs=1e-4)


def test_stretch_by_a_tenth_is_half_a_hundredth_and_turning_costs_none():
    longer = MESH.rest_positions * np.float32(1.1)
    turned = MESH.rest_positions[:, [1, 2, 0]]
    found = energy(np.stack([longer, turned]), np.zeros((2, 3), np.float32), MESH, INFO)
    assert found.stretch == pytest.approx([0.005, 0.0], abs=1e-6)


def test_penetration_is_how_far_the_deepest_vertex_is_inside_of_the_deepest_ball():
    assert penetration(MESH.rest_positions[None], np.zeros((1, 3), np.float32), INFO) is None
    info = replace(INFO, colliders={"Ball": 0.3})
    corner = MESH.rest_positions[0].astype(np.float32)
    y = np.array([corner, corner, corner])
    y[1, 0] += 0.2
    y[2, 1] += 0.5
    shapes = np.repeat(MESH.rest_positions[None], 3, 0)
    found = penetration(shapes, y, info)
    near = [(np.linalg.norm(MESH.rest_positions - c, axis=1) < 0.3).mean() for c in y]
    assert found.depth == pytest.approx([0.3, 0.25, 0.0], abs=1e-6)
    assert found.share == pytest.approx(near)


def test_normals_that_are_the_truth_have_no_error_and_turned_ones_their_angle(dataset):
    mesh, truth = dataset.mesh, np.array(dataset.take("take_000").positions[50:53])
    normals = normals_from_faces(truth, mesh.corners, mesh.face_sizes)
    z, q = np.eye(3, dtype=np.float32), normals - normals.mean(0)
    found = normal_errors(z, truth, truth, mesh=mesh, learned=(normals.mean(0), q))
    assert (found.regressed, found.from_shape) == pytest.approx((0.0, 0.0), abs=0.05)
    a = np.radians(25.0)
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]], np.float32)
    flat = np.repeat(mesh.rest_positions[None], 3, 0)
    found = normal_errors(z, flat @ turn.T, flat, mesh=mesh, learned=(normals.mean(0), q))
    assert found.from_shape == pytest.approx(25.0, abs=1e-3)
