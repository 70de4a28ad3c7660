"""Level 0 against capsules that no take had: exact distances, closed forms, and a ball as it always was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic
from cloth_models import FABRIC, LAYOUT, cloth_model_file

from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model
from neural_physics.timeline.timeline import Timeline

FPS = 24
THICKNESS = FABRIC["thickness"]
HANGING = synthetic.sheet_mesh(17)
FLAT = replace(
    HANGING,
    rest_positions=np.ascontiguousarray(
        (HANGING.rest_positions + np.array([0, 0, 0.5]))[:, [0, 2, 1]], np.float32
    ),
    pins=np.zeros(len(HANGING.pins), np.float32),
)
AWAY = [0.0, 0.0, 50.0]


def capsules(count=1):
    return tuple(Channel(f"Capsule {k}", "capsule", 8) for k in range(count))


def method_with(mesh, count, **fabric):
    data = cloth_model_file(mesh, weights=0.0, fabric=FABRIC | fabric)
    return load_method(parse_model(data, "sheet"), capsules(count))


def y_of(*rows, hand=(0, 0, 0), stretch=FABRIC["stretch"]):
    """y with capsules of rows start, end, both radii."""
    return np.concatenate([hand, [stretch, FABRIC["bending"]], *rows]).astype(np.float32)


def distances(points, start, end, radii):
    """(n,) of points (n, 3) from the nearest of the balls between both ends: negative inside."""
    share = np.linspace(0, 1, 201)[:, None]
    middles = np.asarray(start) + share * np.subtract(end, start)
    sizes = radii[0] + share[:, 0] * (radii[1] - radii[0])
    return (np.linalg.norm(np.asarray(points)[:, None] - middles, axis=2) - sizes).min(axis=1)


@pytest.mark.parametrize("radii", [(0.15, 0.15), (0.2, 0.08)])
def test_cloth_dropped_on_a_capsule_is_never_inside_it_at_any_level(radii):
    method = method_with(FLAT, 1)
    start, end = [-0.4, 0.05, -0.4], [0.5, -0.05, -0.35]
    y = y_of([*start, *end, *radii])
    state, lowest = method.start(y), []
    for _ in range(60):
        state = method.step(state, y)
        shown = method.positions(state, y)
        for points in (state.positions, shown):
            nearest = distances(points, start, end, radii).min()
            assert nearest > THICKNESS - 1e-5
        lowest.append(nearest)
    assert lowest[0] > 0.1 and min(lowest) < THICKNESS + 1e-3  # it fell, and lies on it
    assert shown[:, 2].max() > -0.4 and shown[:, 2].min() < -0.5  # and hangs over it


def test_without_the_capsule_it_falls_past_where_that_was():
    method = method_with(FLAT, 0)
    y = y_of()
    state = method.start(y)
    for _ in range(30):
        state = method.step(state, y)
    assert (state.positions[:, 2] < -1.0).all()


def test_cloth_rests_a_radius_and_its_thickness_above_the_axis():
    method = method_with(FLAT, 1)
    y = y_of([-1, 0, -0.5, 1, 0, -0.5, 0.2, 0.2])
    state = method.start(y)
    for _ in range(150):
        state = method.step(state, y)
    ridge = np.abs(method.start(y).positions[:, 1]) < 1e-6
    assert ridge.sum() == 5
    assert state.positions[ridge, 2] == pytest.approx(np.full(5, -0.5 + 0.2 + THICKNESS), abs=1e-3)
    assert np.abs(state.velocities[ridge, 2]).max() < 0.05


@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_a_capsule_that_moves_along_itself_takes_cloth_along_by_friction_alone(friction):
    """It goes as fast as gravity times this friction could make anything, and faster than without it."""
    method = method_with(FLAT, 1, friction=friction)
    speed, begins = 0.5, 40

    def y_at(t):
        x = speed / FPS * max(t - begins, 0)
        return y_of([x - 3, 0, -0.35, x + 3, 0, -0.35, 0.3, 0.3])

    state = method.start(y_at(0))
    for t in range(begins + 48):
        state = method.step(state, y_at(t + 1))
        if t == begins - 1:
            before = state.positions[:, 0].mean()
    travelled = state.positions[:, 0].mean() - before
    assert travelled == pytest.approx(speed * 2.0 if friction else 0.0, abs=0.06)


def test_a_capsule_that_comes_from_the_side_pushes_hanging_cloth_away():
    method = method_with(HANGING, 1)

    def y_at(t):
        y = -0.6 + min(0.7, 1.0 * t / FPS)
        return y_of([-1, y, -0.6, 1, y, -0.6, 0.15, 0.15])

    state = method.start(y_at(0))
    for t in range(1, 41):
        state = method.step(state, y_at(t))
        shown = method.positions(state, y_at(t))
        assert distances(shown, y_at(t)[5:8], y_at(t)[8:11], (0.15, 0.15)).min() > THICKNESS - 1e-5
    beside = np.abs(shown[:, 2] + 0.6) < 0.05
    assert beside.sum() > 10 and (shown[beside, 1] > 0.1 + (0.15**2 - 0.05**2) ** 0.5).all()


def test_a_capsule_without_length_is_the_ball_that_a_position_channel_is():
    layout = ChannelLayout((*LAYOUT.channels, Channel("Ball", "position", 3)))
    ball = load_method(parse_model(cloth_model_file(FLAT, layout, colliders={"Ball": 0.25}), "sheet"))
    capsule = load_method(parse_model(cloth_model_file(FLAT), "sheet"), capsules())
    states = [ball.start(y_of(AWAY)), capsule.start(y_of(AWAY, AWAY, [0.25, 0.25]))]
    met = 0
    for t in range(60):
        at = np.array([0.1, 0.0, -0.5 + 0.3 * t / FPS])
        ys = y_of(at), y_of(at, at, [0.25, 0.25])
        states = [method.step(s, y) for method, s, y in zip((ball, capsule), states, ys, strict=True)]
        assert np.array_equal(states[0].positions, states[1].positions)
        assert np.array_equal(ball.positions(states[0], ys[0]), capsule.positions(states[1], ys[1]))
        met += np.linalg.norm(states[0].positions - at, axis=1).min() < 0.2541
    assert met > 10


def test_of_two_capsules_each_keeps_cloth_out():
    method = method_with(FLAT, 2)
    rows = [-0.25, -1, -0.3, -0.25, 1, -0.3, 0.1, 0.1], [0.25, -1, -0.3, 0.25, 1, -0.3, 0.1, 0.1]
    y = y_of(*rows)
    state = method.start(y)
    for _ in range(60):
        state = method.step(state, y)
        shown = method.positions(state, y)
        for row in rows:
            assert distances(shown, row[:3], row[3:6], row[6:]).min() > THICKNESS - 1e-5
    between = np.abs(shown[:, 0]) < 0.05
    assert shown[between, 2].max() < shown[:, 2].max() - 0.02  # it sags in between


def test_another_frame_rate_and_another_order_of_frames_show_the_same():
    method = method_with(HANGING, 1)

    def y_at(seconds):
        y = -0.5 + 0.8 * seconds
        return y_of([-1, y, -0.7, 1, y, -0.6, 0.15, 0.1])

    def timeline_at(fps):
        timeline = Timeline(method, fps, 1)
        for frame in range(1, fps + 2):
            timeline.record(frame, y_at((frame - 1) / fps))
        return timeline

    slow, fast = timeline_at(24), timeline_at(48)
    last = slow.positions(25).copy()
    assert np.abs(last - method.positions(method.start(y_at(0)), y_at(0))).max() > 0.1
    assert last == pytest.approx(fast.positions(49), abs=1e-4)
    slow.positions(3)
    assert np.array_equal(slow.positions(25), last)
