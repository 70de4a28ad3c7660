"""Poses whose matrices cannot be inverted."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.interaction.poses import Pose, to_frame, to_world, turned_back

MOVES = np.zeros((1, 3, 4), np.float32)


def test_of_what_can_be_inverted_it_is_the_inverse_bit_for_bit(rng):
    matrix = rng.normal(size=(3, 3))
    assert np.array_equal(turned_back(matrix), np.linalg.inv(matrix))


def test_points_of_a_frame_that_is_squeezed_flat_are_in_its_plane():
    flat = np.float32([[1.0, 0.0, 0.0, 0.5], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    seen = np.float32([[1.5, 2.0, 0.0], [0.5, -4.0, 0.0]])
    pose = Pose(flat, MOVES)
    assert to_world(pose, seen) == pytest.approx(np.float32([[1.0, 1.0, 0.0], [0.0, -2.0, 0.0]]))
    assert to_frame(pose, to_world(pose, seen)) == pytest.approx(seen)


@pytest.mark.parametrize("size", [0.0, 1e-44, 1e-20, 1e15])
def test_points_are_numbers_however_small_or_large_a_frame_is(size):
    frame = np.zeros((3, 4), np.float32)
    frame[:, :3] = size * np.eye(3)
    assert np.isfinite(to_world(Pose(frame, MOVES), np.ones((2, 3), np.float32))).all()
