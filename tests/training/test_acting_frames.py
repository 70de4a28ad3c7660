"""What acts at another pace, against motions that are known at all times."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ml_backend.methods.acting_frames import Driven
from neural_physics.channels import Channel, ChannelLayout

pytestmark = pytest.mark.torch
DT, PACE = 1 / 30, 1.5
LAYOUT = ChannelLayout(
    (
        Channel("Bar", "position", 3, "Bar"),
        Channel("Frame velocity", "velocity", 3, "Bar"),
        Channel("Frame acceleration", "acceleration", 3, "Bar"),
        Channel("Wind", "wind", 3, "Wind"),
    )
)


def way(t, pace=1.0):
    """Position, velocity and acceleration (T, 9) of what goes round, and a wind that turns."""
    w = 3.0 * pace
    a = w * np.asarray(t)[:, None] + np.array([0.0, 1.0, 2.0])
    return np.concatenate([np.sin(a), w * np.cos(a), -(w**2) * np.sin(a), 5.0 * np.cos(a)], 1)


def turned(t, pace=1.0, mirror=1.0):
    """(T, 1, 4, 4) of an object twice as long as wide, that turns about an axis and moves."""
    t = pace * np.asarray(t)
    matrices = np.tile(np.eye(4), (len(t), 1, 1, 1))
    turns = Rotation.from_rotvec(np.outer(2.0 * t, [0.6, 0.0, 0.8])).as_matrix()
    matrices[:, 0, :3, :3] = turns @ np.diag([mirror, 1.0, 2.0])
    matrices[:, 0, :3, 3] = np.stack([np.sin(t), t, 0 * t], 1)
    return matrices


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_faster_it_is_the_same_motion_with_time_running_faster(mirror):
    t = DT * np.arange(91)
    place = turned(t, mirror=mirror)
    driven = Driven(way(t), place[:, 0], way(t)[:, 9:], way(t)[:, None, :3], place)
    faster = driven.faster(PACE, LAYOUT)
    t = DT * np.arange(61)
    expected = way(t, PACE)
    inner = slice(3, -3)  # where a spline knows what comes on both sides
    assert len(faster.y) == 61
    assert faster.y[inner] == pytest.approx(expected[inner], abs=2e-4)
    assert faster.held[inner, 0] == pytest.approx(expected[inner, :3], abs=2e-4)
    assert faster.wind[inner] == pytest.approx(expected[inner, 9:], abs=1e-3)
    assert faster.poses[inner] == pytest.approx(turned(t, PACE, mirror)[inner], abs=1e-5)
    assert np.array_equal(faster.world, faster.poses[:, 0])


def test_at_its_own_pace_it_is_what_it_is():
    t = DT * np.arange(10)
    driven = Driven(way(t), turned(t)[:, 0], way(t)[:, 9:], np.empty((10, 0, 3)), np.empty((10, 0, 4, 4)))
    assert driven.faster(1.0, LAYOUT) is driven
    faster = driven.faster(3.0, LAYOUT)
    assert (faster.held.shape, faster.poses.shape) == ((4, 0, 3), (4, 0, 4, 4))
