"""What is shown between two steps, at other frame rates than the model's: a spline through its own steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neural_physics.methods.between_steps import parabola
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.timeline.lookahead import between
from neural_physics.timeline.timeline import Timeline

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "neural_physics" / "blender" / "examples" / "models" / "ball_and_sheet.safetensors"
SECONDS, SETTLED = 6, 1.0


def ball(seconds):
    """A ball that goes round inside the trained range, quicker and slower."""
    t = np.asarray(seconds, np.float64)[..., None]
    speed = 2 * np.pi * np.array([0.61, 0.47, 0.83])
    middle, reach = np.array([0.0, -0.15, 0.1]), np.array([0.4, 0.6, 0.3])
    return (middle + reach * np.sin(speed * t + np.array([0.0, 1.0, 2.0]))).astype(np.float32)


def shown_at(method, fps):
    """Times (n,) and what is shown then (n, V, 3), as far as the motion goes."""
    times = np.arange(round(SECONDS * fps) + 1) / fps
    timeline = Timeline(method, fps, 0)
    for frame, y in enumerate(ball(times)):
        timeline.record(frame, y)
    return times, np.stack([timeline.positions(frame).copy() for frame in range(len(times))])


def off(shapes, truth):
    return np.sqrt(np.square(shapes - truth).sum(-1).mean())


@pytest.mark.parametrize(("fps", "share"), [(30.0, 0.5), (60.0, 0.5), (120.0, 0.5)])
def test_it_is_as_near_to_the_spline_through_the_model_s_own_shapes_as_plain_interpolation(fps, share):
    interpolate = pytest.importorskip("scipy.interpolate")
    method = load_method(read_model(SHIPPED))
    steps, own = shown_at(method, 24.0)
    spline = interpolate.CubicSpline(steps, own.reshape(len(own), -1))
    times, found = shown_at(method, fps)
    between = (times > SETTLED) & (np.abs(times * 24.0 - np.round(times * 24.0)) > 1e-3)
    truth = spline(times[between]).reshape(-1, *own.shape[1:])
    at = times[between] * 24.0
    k, passed = at.astype(int), (at % 1.0)[:, None, None]
    plain = (1.0 - passed) * own[k] + passed * own[k + 1]
    assert 0.0 < off(found[between], truth) < share * off(plain, truth)


def test_what_speeds_up_evenly_is_where_it_is_between_frames_too():
    def place(frame):
        return np.array([0.3 * frame - 0.02 * frame**2, 1.0], np.float32)

    ys = {frame: place(frame) for frame in range(4)}
    assert between(ys, 2.3) == pytest.approx(place(2.3), abs=1e-6)
    np.testing.assert_array_equal(between(ys, 2.0), ys[2])
    assert between(ys, 0.5) == pytest.approx((ys[0] + ys[1]) / 2)  # nothing is known of what was before


def test_a_parabola_is_followed_exactly_and_steps_are_met():
    def motion(t):
        return np.array([1.0 + 2.0 * t - 3.0 * t * t, 4.0 * t], np.float32)

    for share in (0.0, 0.3, 1.0):
        found = parabola(motion(-1.0), motion(0.0), motion(1.0), share)
        assert found == pytest.approx(motion(share), abs=1e-6)
