"""Training motion keeps its promises: the box, the speed, the start, the seed."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.errors import Problem
from neural_physics.interaction.training_motion import (
    MotionBox,
    positions_at,
    random_keys,
    wander,
    wander_and_follow,
    wander_strength,
    wander_turn,
)

BOXES = st.builds(
    lambda low, size, shortest, more, fastest, rest: MotionBox(
        tuple(low),
        tuple(a + b for a, b in zip(low, size, strict=True)),
        shortest,
        shortest + more,
        fastest=fastest,
        rest_share=rest,
    ),
    low=st.lists(st.floats(-5, 5), min_size=3, max_size=3),
    size=st.lists(st.floats(0, 4), min_size=3, max_size=3),
    shortest=st.floats(0.05, 1),
    more=st.floats(0, 2),
    fastest=st.floats(0.1, 10),
    rest=st.floats(0, 1),
)


@given(BOXES, st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_motion_stays_in_the_box_and_below_the_fastest(box, seed):
    dt = 1 / 240
    path = wander(box, 2400, dt, np.random.default_rng(seed))
    assert (path >= np.array(box.low) - 1e-9).all() and (path <= np.array(box.high) + 1e-9).all()
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() / dt <= box.fastest * (1 + 1e-6)


def test_motion_comes_close_to_its_fastest_so_the_bound_is_not_idle():
    box = MotionBox((-5, -5, -5), (5, 5, 5), shortest=0.01, longest=0.02, fastest=3.0, rest_share=0.0)
    path = wander(box, 24000, 1 / 240, np.random.default_rng(0))
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() * 240 > 2.95


def test_motion_fills_its_box_and_rests_as_often_as_asked():
    box = MotionBox((-1, -2, 0), (1, 2, 3), fastest=50.0, rest_share=0.3)
    path = wander(box, 24 * 2000, 1 / 24, np.random.default_rng(1))
    assert (path.min(0) < np.array(box.low) + 0.05).all() and (path.max(0) > np.array(box.high) - 0.05).all()
    _, keys = random_keys(box, 40_000, 0.1, np.random.default_rng(2))
    assert np.mean(np.all(keys[1:] == keys[:-1], axis=1)) == pytest.approx(0.3, abs=0.03)


def test_a_seed_gives_the_same_motion_again_and_another_seed_another():
    box = MotionBox((-1, -1, -1), (1, 1, 1))
    first, again, other = (wander(box, 240, 1 / 24, np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert np.array_equal(first, again) and not np.allclose(first, other)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
def test_what_follows_a_path_does_so_for_its_share_of_the_time_and_does_not_jump(share):
    box, dt = MotionBox((-1, -1, -1), (1, 1, 1), fastest=2.0), 1 / 24
    turn = np.linspace(0, 2 * np.pi, 97)
    path = np.stack([0.5 * np.cos(turn), 0.5 * np.sin(turn), np.full(97, 1.2)], 1)  # above the box
    rng = np.random.default_rng(0)
    found = wander_and_follow(box, 40_000, dt, rng, start=(0.1, 0.2, 0.3), path=path, share=share)
    assert found.shape == (40_000, 3) and found[0] == pytest.approx([0.1, 0.2, 0.3])
    along = np.linalg.norm(np.diff(path, axis=0), axis=1).max() / dt
    assert np.linalg.norm(np.diff(found, axis=0), axis=1).max() / dt <= max(box.fastest, 1.25 * along) + 1e-9
    on_path = (found[:, 2] == 1.2) & (np.abs(np.hypot(found[:, 0], found[:, 1]) - 0.5) < 1e-2)
    assert on_path.mean() == pytest.approx(share, abs=0.03)


def test_motion_starts_where_the_object_is_without_a_jerk():
    box = MotionBox((-1, -1, -1), (1, 1, 1))
    path = wander(box, 2400, 1 / 2400, np.random.default_rng(3), start=(0.5, -0.25, 1.0))
    assert path[0] == pytest.approx([0.5, -0.25, 1.0])
    assert np.linalg.norm(path[1] - path[0]) < 1e-7


def test_more_frames_of_one_seed_begin_with_the_same_motion():
    box = MotionBox((-1, -1, -1), (1, 1, 1))
    short, long = (wander(box, n, 1 / 24, np.random.default_rng(5)) for n in (100, 1000))
    assert np.array_equal(short, long[:100])


def test_between_keys_motion_is_smooth_to_the_second_derivative():
    times, keys = np.array([0.0, 1.0, 1.5]), np.array([[0.0, 0, 0], [1, 2, 3], [0, 1, 0]])
    at = np.linspace(0, 1.5, 150_001)
    path = positions_at(times, keys, at)
    acceleration = np.diff(path, 2, axis=0) / (at[1] - at[0]) ** 2
    assert np.abs(np.diff(acceleration, axis=0)).max() < 0.1
    assert positions_at(times, keys, times) == pytest.approx(keys)


@given(st.floats(0.01, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_turns_start_at_none_and_never_exceed_the_most(most, seed):
    box = MotionBox((0, 0, 0), (1, 1, 1))
    turns = wander_turn(most, box, 600, 1 / 24, rng=np.random.default_rng(seed))
    assert not turns[0].any()
    assert np.linalg.norm(turns, axis=1).max() <= most * (1 + 1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turns_about_one_axis_reach_both_ways_and_leave_the_others(axis):
    box = MotionBox((0, 0, 0), (1, 1, 1))
    turns = wander_turn(1.2, box, 2000, 1 / 24, rng=np.random.default_rng(3), axis=axis)
    assert not np.delete(turns, axis, axis=1).any()
    assert -1.2 <= turns.min() < -0.9 and 0.9 < turns.max() <= 1.2


@given(st.floats(0, 500), st.floats(0, 500), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_strength_of_a_wind_stays_between_its_limits(least, more, seed):
    box = MotionBox((0, 0, 0), (1, 1, 1))
    strengths = wander_strength(least, least + more, box, 600, dt=1 / 24, rng=np.random.default_rng(seed))
    assert strengths.min() >= least - 1e-9 and strengths.max() <= least + more + 1e-9


@pytest.mark.parametrize(
    "box",
    [
        MotionBox((0, 0, 0), (1, -1, 1)),
        MotionBox((0, 0, 0), (1, 1, 1), shortest=0.0),
        MotionBox((0, 0, 0), (1, 1, 1), shortest=2.0, longest=1.0),
        MotionBox((0, 0, 0), (1, 1, 1), fastest=0.0),
    ],
)
def test_a_motion_box_that_allows_no_motion_is_refused(box):
    with pytest.raises(Problem, match="Ball") as raised:
        box.check("Ball")
    assert raised.value.code == "motion_box_empty"


def test_times_shorter_than_a_frame_take_no_more_keys_than_there_are_frames():
    """A settings' least time is 0.02 s, and a frame may be a second: a million of them filled memory."""
    box = MotionBox((0, 0, 0), (1, 1, 1), shortest=1e-3, longest=1e-3, fastest=1e6)
    times, keys = random_keys(box, 1000, 1.0, np.random.default_rng(4))
    assert len(times) == len(keys) <= 1002 and times[-1] >= 1000.0
    assert np.diff(times).min() >= 1.0 - 1e-9
    tracemalloc.start()
    found = wander(box, 1000, 1.0, np.random.default_rng(4))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.unique(found, axis=0).shape[0] > 800 and peak < 1 << 22


@pytest.mark.parametrize(("share", "far"), [(1e-12, 0.0), (0.5, 1e12), (1e-12, 1e12)])
def test_a_way_that_takes_longer_than_the_take_takes_no_more_memory_than_that(share, far):
    box, path = MotionBox((-1, -1, -1), (1, 1, 1), fastest=0.01), np.zeros((3, 3))
    path[:, 0] = far + np.arange(3)
    tracemalloc.start()
    found = wander_and_follow(
        box, 1000, 1 / 24, np.random.default_rng(1), start=(0.0, 0.0, 0.0), path=path, share=share
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.shape == (1000, 3) and np.isfinite(found).all() and peak < 1 << 22
