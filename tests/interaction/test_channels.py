"""Channels and the kinematics of moving frames, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.interaction.channels import Channel, ChannelLayout, frame_kinematics

LAYOUT = ChannelLayout(
    (
        Channel("Ball", "position", 3, "Sphere"),
        Channel("Rig", "joints", 6, "Armature", parts=("hip", "knee")),
        Channel("Ground", "ground", 4),
        Channel("Pressure", "value", 1),
    )
)


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' rotation matrix about a unit axis."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def frame(rotation: np.ndarray, origin: np.ndarray, scale: np.ndarray | float = 1.0) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation * scale, origin
    return matrix


def test_on_a_circle_the_frame_sees_constant_speed_inward_pull_and_turning():
    """Radius 2 m, 3 rad/s, facing along the path: v forward, v^2/r to the left, omega about up."""
    radius, speed, dt = 2.0, 3.0, 1e-4
    up = np.array([0.0, 0.0, 1.0])

    def at(t: float) -> np.ndarray:
        a = speed * t
        return frame(turned(up, a), radius * np.array([np.sin(a), -np.cos(a), 0.0]))

    seen = frame_kinematics([at(0.7), at(0.7 - dt), at(0.7 - 2 * dt)], dt)
    assert seen.velocity == pytest.approx([radius * speed, 0, 0], abs=2e-3)
    assert seen.acceleration == pytest.approx([0, radius * speed**2, 0], abs=1e-2)
    assert seen.angular_velocity == pytest.approx([0, 0, speed], abs=1e-6)
    assert seen.angular_acceleration == pytest.approx([0, 0, 0], abs=1e-3)


def test_spinning_up_about_a_tilted_axis_is_seen_about_that_axis():
    """omega = 4 t rad/s about a fixed axis: the angle is 2 t^2, the frame's own axes agree on the axis."""
    axis, dt, t = np.array([1.0, 2.0, -2.0]) / 3, 1e-4, 0.9
    matrices = [frame(turned(axis, 2 * s * s), np.zeros(3)) for s in (t, t - dt, t - 2 * dt)]
    seen = frame_kinematics(matrices, dt)
    assert seen.angular_velocity == pytest.approx(axis * 4 * t, abs=1e-3)
    assert seen.angular_acceleration == pytest.approx(axis * 4, abs=1e-2)


def test_free_fall_is_gravity_in_the_axes_of_the_frame_and_scale_does_not_matter():
    rotation, dt = turned(np.array([0.6, 0.0, 0.8]), 1.1), 1 / 24
    for scale in (1.0, np.array([0.2, 3.0, 1.5])):
        matrices = [
            frame(rotation, np.array([1.0, 2.0, -4.9 * t * t]), scale) for t in (1.0, 1 - dt, 1 - 2 * dt)
        ]
        seen = frame_kinematics(matrices, dt)
        assert seen.acceleration == pytest.approx(rotation.T @ [0, 0, -9.8], abs=1e-6)
        assert seen.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize("angle", [1e-9, 1e-5, 0.5, 3.0, 3.14])
def test_small_and_large_turns_in_one_step_are_measured(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3
    matrices = [frame(turned(axis, k * angle), np.zeros(3)) for k in (2, 1, 0)]
    assert frame_kinematics(matrices, 1.0).angular_velocity == pytest.approx(
        axis * angle, rel=1e-6, abs=1e-12
    )


def test_values_lie_in_y_where_the_layout_says_and_come_back_from_json():
    y = LAYOUT.pack(
        {"Ground": [0, 0, 1, 2], "Ball": (5, 6, 7), "Rig": np.arange(6).reshape(2, 3), "Pressure": [8]}
    )
    assert y.tolist() == [5, 6, 7, 0, 1, 2, 3, 4, 5, 0, 0, 1, 2, 8]
    assert LAYOUT.size == 14 and LAYOUT.slices()["Ground"] == slice(9, 13)
    assert LAYOUT.names()[:4] == ["Ball.0", "Ball.1", "Ball.2", "Rig.0"]
    assert ChannelLayout.from_json(LAYOUT.to_json()) == LAYOUT


@pytest.mark.parametrize(
    "change",
    [{"name": "Rig"}, {"size": 2}, {"size": 0}, {"size": True}, {"kind": "smell"}, {"kind": ["wind"]}],
)
def test_a_layout_that_contradicts_itself_is_refused(change):
    items = LAYOUT.to_json()
    items[0] |= change
    with pytest.raises((KeyError, TypeError, ValueError)):
        ChannelLayout.from_json(items)
