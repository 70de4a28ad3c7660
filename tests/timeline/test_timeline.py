"""Frames to states: whatever way a frame is reached, it is the same; other rates agree in seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.timeline.stepping import alone
from neural_physics.timeline.timeline import Timeline

DT = 1 / 24


@dataclass(frozen=True)
class SpringState:
    x: np.ndarray
    v: np.ndarray
    outside: float = 0.0


class Spring:
    """A damped mass pulled towards y by symplectic Euler: every step depends on all before it."""

    dt, look_ahead, extrapolates = DT, 0, False

    def start(self, y):
        return SpringState(np.zeros(1, np.float32), np.zeros(1, np.float32))

    def step(self, state, y, ahead=()):
        v = state.v + np.float32(DT) * (40 * (y - state.x) - 3 * state.v)
        return SpringState(state.x + np.float32(DT) * v, v)

    def positions(self, state, y, bases=None):
        return np.repeat(state.x[:, None], 3, axis=1)

    def shapes(self, states, ys, bases=None):
        return np.stack([self.positions(state, y, bases) for state, y in zip(states, ys, strict=True)])


class Foreseeing(Spring):
    """Shows y and the next two samples of it, once each, and what it has shown before."""

    look_ahead, extrapolates = 2, True

    def start(self, y):
        return SpringState(np.zeros(3, np.float32), np.zeros(3, np.float32))

    def step(self, state, y, ahead=()):
        shown = np.concatenate([y, *(ahead or 2 * [np.full(1, np.nan, np.float32)])])
        return SpringState(shown, (state.v + np.nan_to_num(shown)).astype(np.float32))

    def positions(self, state, y, bases=None):
        return np.stack([state.x, state.v, state.v], axis=1)


def hand(seconds):
    return np.array([np.sin(3.0 * seconds)], np.float32)


def recorded(frames, fps=24.0, start=1, method=None, **options):
    timeline = Timeline(method or Spring(), fps, start, **options)
    for frame in range(start, start + frames):
        timeline.record(frame, hand((frame - start) / fps))
    return timeline


def by_hand(frames):
    """The spring's place after each frame at the model's own rate, by a plain loop."""
    spring, places = Spring(), []
    state = spring.start(hand(0.0))
    for frame in range(frames):
        if frame:
            state = spring.step(state, hand(frame * DT))
        places.append(state.x[0])
    return places


def test_at_the_models_rate_each_frame_is_one_step():
    timeline = recorded(50)
    assert [timeline.positions(f)[0, 0] for f in range(1, 51)] == by_hand(50)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-5, 300), min_size=1, max_size=40), st.integers(300, 40_000))
def test_any_order_and_any_memory_show_the_same(frames, memory):
    timeline, expected = recorded(301, memory=memory), by_hand(301)
    for frame in frames:
        assert timeline.positions(frame)[0, 0] == expected[max(frame, 1) - 1]


def test_memory_stays_below_its_cap():
    timeline = recorded(5000, memory=20_000)
    for frame in [5000, *range(1, 5001, 7), *range(5000, 1, -13)]:
        timeline.at(frame)
        assert len(timeline._states) <= 20_000 // 432 + 1  # 432 bytes a state, and the one on show


def test_changing_y_forgets_what_follows_and_nothing_before():
    timeline = recorded(20)
    before = [timeline.positions(f)[0, 0] for f in range(1, 11)]
    timeline.record(11, np.array([5.0], np.float32))
    assert timeline.missing(20) == range(12, 20)
    assert [timeline.positions(f)[0, 0] for f in range(1, 11)] == before
    assert timeline.positions(11)[0, 0] != by_hand(11)[-1]


def test_recording_the_same_y_again_forgets_nothing():
    timeline = recorded(20)
    timeline.record(5, hand(4 * DT))
    assert not timeline.missing(21)


def test_a_frame_cannot_be_recorded_before_those_in_front_of_it():
    timeline = recorded(5)
    with pytest.raises(ValueError, match="frame 7"):
        timeline.record(7, hand(0.0))


def test_frames_before_the_start_show_the_start():
    timeline = recorded(5)
    assert timeline.positions(-3)[0, 0] == timeline.positions(1)[0, 0]
    assert timeline.positions(-3, 0.5)[0, 0] == timeline.positions(1)[0, 0]


def test_subframes_lie_between_whole_frames():
    timeline = recorded(10)
    a, b = timeline.positions(4).copy(), timeline.positions(5).copy()
    assert np.allclose(timeline.positions(4, 0.25), a + 0.25 * (b - a), atol=1e-7)


@pytest.mark.parametrize("fps", [12.0, 30.0, 48.0, 60.0, 24000 / 1001])
def test_other_frame_rates_agree_at_the_same_times(fps):
    """y between two frames is a chord: it is off by (dt/2)^2/2 times y's second derivative, 9, at most."""
    seconds = 4.0
    timeline = recorded(int(seconds * fps) + 2, fps)
    times = np.arange(0, seconds, DT)
    expected = np.array(by_hand(len(times)))
    frames = 1 + times * fps
    found = [timeline.positions(int(f + 1e-6), float(f - int(f + 1e-6)))[0, 0] for f in frames]
    chord = 9 / fps**2 / 8
    between = 9 * DT**2  # and a frame between two steps is itself shown on a chord
    assert np.abs(found - expected).max() < 2 * chord + between


def test_twice_the_rate_shows_the_same_at_every_other_frame():
    timeline = recorded(99, 48.0)
    found = [timeline.positions(f)[0, 0] for f in range(1, 100, 2)]
    assert np.allclose(found, by_hand(50), atol=1e-6)


def read_ahead(frames, fps=24.0, y=hand, start=1, **options):
    """A timeline that knows the first frames to come, of which none is recorded."""
    timeline = Timeline(Foreseeing(), fps, start, **options)
    timeline.look_ahead(True)
    for frame in range(start, start + frames):
        timeline.read_ahead(frame, y((frame - start) / fps))
    return timeline


def record(timeline, frames, fps=24.0, y=hand):
    for frame in frames:
        timeline.record(frame, y((frame - timeline.start_frame) / fps))


def same(a, b):
    """Whether two timelines show the same, bit for bit, as far as both are recorded."""
    frames = range(1, min(a.next_frame, b.next_frame))
    return all(np.array_equal(a.positions(f), b.positions(f), equal_nan=True) for f in frames)


def test_later_samples_are_those_of_the_next_steps_where_they_were_read():
    timeline = read_ahead(10, 48.0)
    record(timeline, range(1, 8), 48.0)
    # Frame 3 is step 1, at 1/24 s; steps 2 and 3 are at frames 5 and 7.
    assert timeline.at(3).state.x.tolist() == [hand(n * DT)[0] for n in (1, 2, 3)]
    # Frame 4 is halfway to step 2, which looks as far as frame 9.
    assert timeline.at(4).ahead.x == pytest.approx([hand(n * DT)[0] for n in (2, 3, 4)])
    assert list(timeline.unread(7)) == [11, 12, 13]


def test_nothing_is_known_of_later_where_nobody_looks_ahead():
    for timeline in (Timeline(Foreseeing(), 24.0, 1), Timeline(Spring(), 24.0, 1)):
        assert not timeline.look_ahead(timeline.method.look_ahead == 0)
        assert not timeline.unread(50)
        record(timeline, range(1, 6))
    timeline = Timeline(Foreseeing(), 24.0, 1)
    record(timeline, range(1, 6))
    assert np.isnan(timeline.at(3).state.x).tolist() == [False, True, True]


@pytest.mark.parametrize("fps", [12.0, 24.0, 30.0, 60.0, 24000 / 1001])
def test_enough_is_asked_for_and_no_more_than_a_few_frames(fps):
    timeline = Timeline(Foreseeing(), fps, 1)
    timeline.look_ahead(True)
    for frame in range(1, 80):
        for later in timeline.unread(frame):
            timeline.read_ahead(later, hand((later - 1) / fps))
        timeline.record(frame, hand((frame - 1) / fps))
        shown = timeline.at(frame)
        assert frame == 1 or not np.isnan((shown.ahead or shown.state).x).any()
    assert len(timeline.unread(81)) <= 2 + np.ceil(3 * fps * DT)


@pytest.mark.parametrize("fps", [24.0, 30.0])
def test_it_makes_no_difference_how_far_was_read_and_when(fps):
    whole, bit = read_ahead(100, fps), read_ahead(0, fps)
    for frame in range(1, 61):
        for later in bit.unread(frame):
            bit.read_ahead(later, hand((later - 1) / fps))
        for each in (whole, bit):
            record(each, [frame], fps)
            each.at(frame)
    late = read_ahead(0, fps, memory=2_000)
    record(late, range(1, 61), fps)
    late.at(60)  # without what it should have seen
    for later in late.unread(60):
        late.read_ahead(later, hand((later - 1) / fps))
    assert same(whole, bit) and same(whole, late)


def test_from_the_frame_on_that_is_not_as_read_nothing_later_is_believed():
    timeline, blind = read_ahead(60), Timeline(Foreseeing(), 24.0, 1)
    for each in (timeline, blind):
        record(each, range(1, 11))
        record(each, range(11, 15), y=lambda seconds: hand(seconds) + 1)
        record(each, range(15, 31))  # as read again, which may be chance
    assert timeline.broken_at() == 11 and not timeline.unread(70)
    assert timeline.at(10).state.x[2] == hand(11 * DT)[0]
    for frame in range(11, 31):
        assert np.array_equal(timeline.at(frame).state.x, blind.at(frame).state.x, equal_nan=True)


def test_what_was_posed_and_put_back_leaves_no_trace():
    timeline, other = read_ahead(60), read_ahead(60)
    record(other, range(1, 31))
    record(timeline, range(1, 21))
    timeline.at(20)
    record(timeline, [12], y=lambda seconds: hand(seconds) + 1)
    assert timeline.broken_at() == 12 and np.isnan(timeline.at(12).state.x[1])
    record(timeline, range(12, 31))
    assert timeline.broken_at() is None and same(timeline, other)


def test_another_animation_leaves_no_state_of_the_old_one():
    timeline = read_ahead(60)
    record(timeline, range(1, 31))
    timeline.at(30)
    timeline.forget_lookahead()
    assert list(timeline.unread(30)) == list(range(1, 33))
    for frame in range(1, 61):  # the same up to frame 20
        timeline.read_ahead(frame, hand((frame - 1) * DT) + np.float32(frame > 20))
    assert timeline.at(19).state.x[2] == hand(20 * DT)[0] + np.float32(1)
    assert timeline.broken_at() == 21


def test_frames_are_read_in_their_order():
    with pytest.raises(ValueError, match="frame 7"):
        read_ahead(5).read_ahead(7, hand(0.0))


@pytest.mark.parametrize("fps", [24.0, 30.0, 48.0])
@pytest.mark.parametrize("method", [Spring, Foreseeing])
@pytest.mark.parametrize("ahead", [False, True])
def test_a_frame_that_was_predicted_is_the_frame_and_costs_no_second_step(fps, method, ahead):
    plain, timeline = Timeline(method(), fps, 1), Timeline(method(), fps, 1)
    for each in (plain, timeline):
        each.look_ahead(ahead)
        for frame in range(1, 60) if each.looks_ahead else ():
            each.read_ahead(frame, hand((frame - 1) / fps))
        each.record(1, hand(0.0))
        each.at(1)
    for frame in range(2, 41):
        y = hand((frame - 1) / fps)
        ys = [hand((later - 1) / fps) for later in range(frame, frame + 3)]
        if timeline.at_hand(frame) is None:
            alone(timeline.predicting(ys))
        (predicted,) = timeline.shapes([timeline.at_hand(frame)], ys[:1])
        taken = timeline.steps_taken
        assert timeline.next_frame == frame and timeline.recorded(frame) is None
        for each in (plain, timeline):
            each.record(frame, y)
            assert np.array_equal(each.positions(frame), predicted, equal_nan=True)
        assert timeline.steps_taken == taken


def test_nothing_is_predicted_that_would_have_to_see_what_was_not_read():
    timeline = read_ahead(6)
    record(timeline, [1, 2])
    timeline.at(2)
    ys = [hand((frame - 1) * DT) for frame in range(3, 9)]
    assert len(alone(timeline.predicting(ys))) == 2  # frame 4 sees frame 6, the last one
    timeline.read_ahead(7, hand(6 * DT))
    record(timeline, [3, 4, 5])
    assert timeline.at(5).state.x[2] == hand(6 * DT)[0]


def test_what_was_predicted_wrongly_leaves_no_trace():
    timeline = Timeline(Spring(), 24.0, 1)
    for frame in range(1, 41):
        y = hand((frame - 1) * DT)
        guesses = [y + np.float32(1e-6), hand(frame * DT)]
        assert (alone(timeline.predicting(guesses)) == []) == (frame == 1)
        timeline.record(frame, y)
        timeline.at(frame)
    assert [timeline.positions(f)[0, 0] for f in range(1, 41)] == by_hand(40)


def test_a_prediction_does_not_outlive_what_it_follows_from():
    timeline, other = recorded(20), recorded(10)
    y = hand(0.3)
    timeline.at(20)
    assert alone(timeline.predicting([y, y]))
    timeline.forget_from(11)
    for frame in range(11, 21):
        other.record(frame, -y)
        timeline.record(frame, -y)
    for each in (other, timeline):
        each.record(21, y)
    assert np.array_equal(timeline.positions(21), other.positions(21))
