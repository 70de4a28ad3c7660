"""What acts at another pace, against motions that are known at all times."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ml_backend.methods.latent_dynamics.acting_frames import TURN, Driven, to_and_fro
from neural_physics.interaction.channels import Channel, ChannelLayout, frame_kinematics

pytestmark = pytest.mark.torch
DT, PACE = 1 / 30, 1.5
KINDS = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")
LAYOUT = ChannelLayout(
    (
        Channel("Bar", "position", 3, "Bar"),
        *(Channel(f"Frame {kind}", kind, 3, "Bar") for kind in KINDS),
        Channel("Wind", "wind", 3, "Wind"),
    )
)


def way(t):
    """Position, velocities and accelerations of the frame, and a wind that turns, (T, 18)."""
    a = 3.0 * np.asarray(t)[:, None] + np.array([0.0, 1.0, 2.0])
    last = (turned(np.asarray(t) - k * DT)[:, 0] for k in range(3))
    motions = [frame_kinematics(matrices, DT) for matrices in zip(*last, strict=True)]
    kinematics = [[getattr(one, kind) for kind in KINDS] for one in motions]
    return np.concatenate([np.sin(a), np.reshape(kinematics, (len(a), 12)), 5.0 * np.cos(a)], 1)


def turned(t, mirror=1.0):
    """(T, 1, 4, 4) of an object twice as long as wide, that turns about an axis and moves."""
    t = np.asarray(t)
    matrices = np.tile(np.eye(4), (len(t), 1, 1, 1))
    turns = Rotation.from_rotvec(np.outer(2.0 * t, [0.6, 0.0, 0.8])).as_matrix()
    matrices[:, 0, :3, :3] = turns @ np.diag([mirror, 1.0, 2.0])
    matrices[:, 0, :3, 3] = np.stack([np.sin(t), t, 0 * t], 1)
    return matrices


def driven(t, mirror=1.0):
    return Driven(way(t), turned(t)[:, 0], way(t)[:, 15:], way(t)[:, None, :3], poses=turned(t, mirror))


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_faster_it_is_the_same_motion_with_time_running_faster(mirror):
    found = driven(DT * np.arange(91), mirror).at(PACE * np.arange(61), LAYOUT, DT)
    t = PACE * DT * np.arange(2, 61)
    inner = slice(3, -3)  # where a spline knows what comes on both sides
    assert len(found.y) == 59
    assert found.y[inner][:, [0, 1, 2, 15, 16, 17]] == pytest.approx(
        way(t)[inner][:, [0, 1, 2, 15, 16, 17]], abs=1e-3
    )
    assert found.held[inner, 0] == pytest.approx(way(t)[inner, :3], abs=2e-4)
    assert found.wind[inner] == pytest.approx(way(t)[inner, 15:], abs=1e-3)
    assert found.poses[inner] == pytest.approx(turned(t, mirror)[inner], abs=1e-5)
    assert found.world[inner] == pytest.approx(turned(t)[inner, 0], abs=1e-5)


@pytest.mark.parametrize("pace", [1.0, PACE, -1.0])
def test_velocities_are_those_of_the_frame_as_it_moves_then(pace):
    """Backwards, too, where they are not the same numbers with another sign: they are taken from the past."""
    times = pace * np.arange(61) + (90.0 if pace < 0.0 else 0.0)
    found = driven(DT * np.arange(91)).at(times, LAYOUT, DT)
    places = turned(DT * times)[:, 0]
    motions = [frame_kinematics((places[t], places[t - 1], places[t - 2]), DT) for t in range(2, 61)]
    for number, kind in enumerate(KINDS):
        expected = np.array([getattr(one, kind) for one in motions])
        where = slice(3 + 3 * number, 6 + 3 * number)
        assert found.y[3:-3, where] == pytest.approx(expected[3:-3], abs=0.02)


def test_at_its_own_times_it_is_what_it_is():
    t = DT * np.arange(10)
    own = driven(t)
    found = own.at(np.arange(10.0), LAYOUT, DT)
    for name in ("y", "world", "wind", "held", "poses"):
        assert getattr(found, name) == pytest.approx(getattr(own, name)[2:], abs=1e-9)
    nothing = Driven(own.y, own.world, own.wind, np.empty((10, 0, 3)), poses=np.empty((10, 0, 4, 4)))
    found = nothing.at(np.arange(6.0), LAYOUT, DT)
    assert (found.held.shape, found.poses.shape) == ((4, 0, 3), (4, 0, 4, 4))


def test_to_and_fro_goes_everywhere_and_turns_slowly():
    times = to_and_fro(201, 700, PACE)
    speeds = np.diff(times)
    assert times.min() >= 0.0
    assert times.max() <= 200.0
    assert np.ptp(times) > 200.0 - PACE * (TURN + 2) / 2
    assert np.abs(speeds).max() == pytest.approx(PACE)
    assert np.abs(np.diff(speeds)).max() < 2.5 * PACE / TURN
    assert np.count_nonzero(np.diff(np.sign(speeds))) == 5
