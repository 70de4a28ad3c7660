"""Frames to states: whatever way a frame is reached, it is the same; other rates agree in seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.timeline import Timeline

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


class Foresight(Spring):
    """Shows the next two samples of y that it was told of."""

    look_ahead = 2

    def start(self, y):
        return SpringState(np.zeros(3, np.float32), np.zeros(1, np.float32))

    def step(self, state, y, ahead=()):
        return SpringState(np.concatenate([y, *ahead]), state.v)


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


def test_later_samples_are_those_of_the_next_steps_and_repeat_the_last_known():
    timeline = recorded(5, 48.0, method=Foresight())
    # Frame 3 is step 1, at 1/24 s; steps 2 and 3 are at frames 5 and 7, of which 7 is not known.
    y, later, last = timeline.at(3).state.x
    assert (y, later, last) == (hand(DT)[0], hand(2 * DT)[0], hand(2 * DT)[0])


@pytest.mark.parametrize("fps", [24.0, 30.0, 48.0])
@pytest.mark.parametrize("method", [Spring, Foresight])
def test_a_frame_that_was_foretold_is_the_frame_and_costs_no_second_step(fps, method):
    plain, timeline = Timeline(method(), fps, 1), Timeline(method(), fps, 1)
    for each in (plain, timeline):
        each.record(1, hand(0.0))
        each.at(1)
    for frame in range(2, 41):
        y = hand((frame - 1) / fps)
        ys = [hand((later - 1) / fps) for later in range(frame, frame + 3)]
        if timeline.at_hand(frame) is None:
            timeline.foretell(ys)
        (foretold,) = timeline.shapes([timeline.at_hand(frame)], ys[:1])
        taken = timeline.steps_taken
        assert timeline.next_frame == frame and timeline.recorded(frame) is None
        for each in (plain, timeline):
            each.record(frame, y)
            assert np.array_equal(each.positions(frame), foretold)
        assert timeline.steps_taken == taken


def test_what_was_foretold_wrongly_leaves_no_trace():
    timeline = Timeline(Spring(), 24.0, 1)
    for frame in range(1, 41):
        y = hand((frame - 1) * DT)
        guesses = [y + np.float32(1e-6), hand(frame * DT)]
        assert (timeline.foretell(guesses) == []) == (frame == 1)
        timeline.record(frame, y)
        timeline.at(frame)
    assert [timeline.positions(f)[0, 0] for f in range(1, 41)] == by_hand(40)


def test_what_was_foretold_does_not_outlive_what_it_follows_from():
    timeline, other = recorded(20), recorded(10)
    y = hand(0.3)
    timeline.at(20)
    assert timeline.foretell([y, y])
    timeline.forget_from(11)
    for frame in range(11, 21):
        other.record(frame, -y)
        timeline.record(frame, -y)
    for each in (other, timeline):
        each.record(21, y)
    assert np.array_equal(timeline.positions(21), other.positions(21))
