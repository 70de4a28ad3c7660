"""Timelines that are stepped together show what each would alone; one that fails takes no other with it."""

from __future__ import annotations

import numpy as np
import pytest
from test_timeline import Foreseeing, Spring, hand

from neural_physics.timeline import stepping
from neural_physics.timeline.stepping import MOST_TOGETHER, OutOfTime, together
from neural_physics.timeline.timeline import Timeline


class Crowd(Spring):
    """A spring that can be stepped with others of the same kind, and counts how often that was done."""

    def __init__(self, kind="spring"):
        self.kind, self.calls = kind, []

    def another(self):
        return self

    @property
    def steps_with(self):
        return self.kind

    def step(self, state, y, ahead=()):
        if np.isnan(y).any():
            raise FloatingPointError("not a number")
        return super().step(state, y)

    def step_many(self, states, ys):
        self.calls.append(len(states))
        return [self.step(state, y) for state, y in zip(states, ys, strict=True)]


class Failing(Spring):
    def step(self, state, y, ahead=()):
        raise ArithmeticError("it cannot be")


def recorded(method, frames=30, fps=24.0, phase=0.0, start=1):
    timeline = Timeline(method, fps, start)
    for frame in range(start, start + frames):
        timeline.record(frame, hand((frame - start) / fps + phase))
    return timeline


def shapes(timeline, frames):
    return [timeline.positions(frame).copy() for frame in frames]


def reach(timelines, frame):
    found = together([timeline.reaching(frame) for timeline in timelines])
    assert all(at is timeline.at(frame) for at, timeline in zip(found, timelines, strict=True))


def test_they_are_where_each_would_be_alone():
    method = Crowd()
    timelines = [recorded(method, phase=0.3 * k) for k in range(5)]
    reach(timelines, 12)
    assert method.calls == 11 * [5]
    assert [timeline.steps_taken for timeline in timelines] == 5 * [11]
    for k, timeline in enumerate(timelines):
        alone = recorded(Spring(), phase=0.3 * k)
        assert np.array_equal(shapes(timeline, range(1, 13)), shapes(alone, range(1, 13)))
    assert method.calls == 11 * [5], "nothing was stepped again"


def test_those_that_are_elsewhere_in_time_go_along_as_far_as_they_have_to():
    method = Crowd()
    behind, ahead, there = (recorded(method, phase=0.2 * k) for k in range(3))
    ahead.at(9)
    there.at(12)
    reach([behind, ahead, there], 12)
    assert method.calls == 3 * [2], "the last eight steps of the one behind are its own"
    for k, timeline in enumerate((behind, ahead, there)):
        alone = recorded(Spring(), phase=0.2 * k)
        assert np.array_equal(shapes(timeline, [3, 12]), shapes(alone, [3, 12]))


def test_other_kinds_other_rates_and_those_that_look_ahead_are_not_mixed_up():
    first, second = Crowd(), Crowd("another")
    fast = recorded(first, 40, fps=48.0)
    eyed = recorded(Foreseeing())
    eyed.look_ahead(True)
    for frame in range(1, 31):
        eyed.read_ahead(frame, hand((frame - 1) / 24.0))
    group = [recorded(first), recorded(second), fast, eyed, recorded(Spring())]
    reach(group, 9)
    assert set(first.calls) == {2} and second.calls == [], "one alone is stepped alone"
    others = [recorded(Spring()), recorded(Spring()), recorded(Spring(), 40, fps=48.0)]
    for timeline, alone in zip([*group[:3], group[4]], [*others, others[0]], strict=True):
        assert np.array_equal(shapes(timeline, range(1, 10)), shapes(alone, range(1, 10)))
    assert eyed.at(9).state.x == pytest.approx([hand(n / 24.0)[0] for n in (8, 9, 10)])


def test_predictions_are_made_together_and_taken_over():
    method = Crowd()
    timelines = [recorded(method, 3, phase=0.3 * k) for k in range(4)]
    reach(timelines, 3)
    method.calls.clear()
    ys = [[hand(t / 24.0 + 0.3 * k) for t in (3, 4)] for k in range(4)]
    predicted = together([timeline.predicting(y) for timeline, y in zip(timelines, ys, strict=True)])
    assert method.calls == [4, 4]
    for k, (timeline, states) in enumerate(zip(timelines, predicted, strict=True)):
        assert timeline.next_frame == 4, "nothing is recorded yet"
        for frame, y, state in zip((4, 5), ys[k], states, strict=True):
            timeline.record(frame, y)
            assert timeline.at(frame) is state
        assert np.array_equal(shapes(timeline, [5]), shapes(recorded(Spring(), phase=0.3 * k), [5]))


def test_a_large_crowd_is_stepped_in_parts():
    method = Crowd()
    timelines = [recorded(method, 3, phase=0.01 * k) for k in range(MOST_TOGETHER + 3)]
    reach(timelines, 2)
    assert method.calls == [MOST_TOGETHER, 3]


def test_what_fails_alone_stops_nobody_else():
    method = Crowd()
    sound, failing = [recorded(method, phase=0.1), recorded(method)], recorded(Failing())
    found = together([timeline.reaching(5) for timeline in (sound[0], failing, sound[1])])
    assert isinstance(found[1], ArithmeticError)
    assert [found[0], found[2]] == [timeline.at(5) for timeline in sound]
    assert np.array_equal(shapes(sound[0], [5]), shapes(recorded(Spring(), phase=0.1), [5]))


def test_where_a_step_of_many_fails_each_is_taken_by_itself():
    method = Crowd()
    timelines = [recorded(method, 3, phase=0.1 * k) for k in range(3)]
    reach(timelines, 3)
    broken, sound = np.full(1, np.nan, np.float32), hand(3 / 24.0)
    found = together([t.predicting([y]) for t, y in zip(timelines, (sound, broken, sound), strict=True)])
    assert isinstance(found[1], FloatingPointError)
    for k in (0, 2):
        timelines[k].record(4, sound)
        assert timelines[k].at(4) is found[k][0]
    assert timelines[1].next_frame == 4 and timelines[1].recorded(4) is None, "it is as it was"
    timelines[1].record(4, hand(3 / 24.0 + 0.1))
    assert np.array_equal(shapes(timelines[1], [4]), shapes(recorded(Spring(), phase=0.1), [4]))


def ticking(monkeypatch):
    """Each look at the clock is a second later."""
    clock = iter(range(10**6))
    monkeypatch.setattr(stepping, "perf_counter", lambda: next(clock))


def test_what_there_is_no_time_for_is_left_and_what_was_stepped_to_is_kept(monkeypatch):
    ticking(monkeypatch)
    first, second = recorded(Spring()), recorded(Spring(), phase=0.4)
    found = together([first.reaching(20), second.reaching(20)], until=10.5)
    assert [type(each) for each in found] == [OutOfTime, OutOfTime]
    assert (first.unstepped(20), second.unstepped(20)) == (13, 14), "six and five of 19 were stepped to"
    taken = first.steps_taken
    together([first.reaching(20)], until=None)
    assert first.unstepped(20) == 0 and first.steps_taken - taken <= 15
    assert np.array_equal(shapes(first, [7, 20]), shapes(recorded(Spring()), [7, 20]))


def test_many_steps_of_one_frame_are_left_in_their_middle(monkeypatch):
    """A model of 2,400 steps a second has a hundred of them in a frame."""
    ticking(monkeypatch)
    method = Spring()
    method.dt = 1.0 / 2400.0
    timeline = recorded(method)
    (found,) = together([timeline.reaching(2)], until=10.5)
    assert isinstance(found, OutOfTime) and timeline.steps_taken == 12


def test_frames_that_were_guessed_in_time_are_believed(monkeypatch):
    ticking(monkeypatch)
    timeline = recorded(Spring(), frames=5)
    timeline.at(5)
    ys = [hand(frame / 24.0) for frame in range(5, 15)]
    (states,) = together([timeline.predicting(ys)], until=4.5)
    assert len(states) == 5
    timeline.record(6, ys[0])
    assert timeline.at(6) is states[0]
    assert together([timeline.predicting(ys[1:])], until=0.0) == [[]]
