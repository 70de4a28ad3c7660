"""The life of a job: every event in every phase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neural_physics.jobs.events import parse_event
from neural_physics.jobs.life_cycle import (
    Exited,
    JobState,
    Reported,
    Start,
    Stop,
    advance,
    number_in,
    text_in,
)
from neural_physics.jobs.wording import progress

PROGRESS = Reported({"event": "progress", "stage": "Baking", "done": 5, "total": 20, "seconds_left": 30.0})
RESULT = Reported({"event": "result", "takes": 3})
STOPPED = Reported({"event": "error", "code": "stopped", "message": "Stopped as asked."})
FULL = Reported({"event": "error", "code": "disk_full", "message": "The disk is full."})
LOG = Reported({"event": "log", "text": "hello"})


def life(*events) -> tuple[JobState, list[str]]:
    """The state after events, and all that was to be done."""
    state, effects = JobState(), []
    for event in events:
        state, todo = advance(state, event)
        effects += todo
    return state, effects


@pytest.mark.parametrize(
    ("events", "phase", "effects"),
    [
        ([], "idle", []),
        ([Start()], "running", []),
        ([Start(), Start()], "running", []),
        ([Start(), PROGRESS, RESULT, Exited(0)], "finished", ["deliver"]),
        ([Start(), Stop(), STOPPED, Exited(1)], "stopped", ["ask_to_stop"]),
        ([Start(), Stop(), Exited(-15)], "stopped", ["ask_to_stop"]),
        ([Start(), Stop(), Stop(), Exited(-9)], "stopped", ["ask_to_stop", "kill"]),
        ([Start(), Stop(), RESULT, Exited(0)], "finished", ["ask_to_stop", "deliver"]),
        ([Start(), FULL, Exited(1)], "failed", []),
        ([Start(), Stop(), FULL, Exited(1)], "failed", ["ask_to_stop"]),
        ([Start(), STOPPED, Exited(1)], "stopped", []),
        ([Start(), Exited(-11)], "failed", []),
        ([Start(), Exited(0)], "failed", []),
        ([Start(), RESULT, Exited(1)], "failed", []),
        ([Start(), FULL, Exited(1), Start()], "running", []),
        ([Start(), Start(), Stop(), Start()], "stopping", ["ask_to_stop"]),
        ([Stop(), PROGRESS, RESULT, Exited(0)], "idle", []),
        ([Start(), RESULT, Exited(0), Stop(), PROGRESS, Exited(1)], "finished", ["deliver"]),
    ],
)
def test_every_way_a_job_can_go(events, phase, effects):
    state, done = life(*events)
    assert (state.phase, done) == (phase, effects)


def test_a_new_start_remembers_nothing_of_the_last_end():
    state, _ = life(Start(), LOG, FULL, Exited(1), Start())
    assert (state.code, state.message, state.log, state.result) == ("", "", (), {})


def test_what_a_job_reported_is_kept_and_how_it_ended_is_explained():
    state, _ = life(Start(), PROGRESS, LOG)
    assert (state.stage, state.share, state.seconds_left, state.log) == ("Baking", 0.25, 30.0, ("hello",))
    assert life(Start(), FULL, Exited(1))[0].message == "The disk is full."
    assert life(Start(), Stop(), FULL, Exited(1))[0].code == "disk_full"
    crashed = life(Start(), LOG, Exited(-11))[0]
    assert "-11" in crashed.message and "hello" in crashed.message and "resume" in crashed.message


def test_a_job_that_stops_promises_no_time_in_which_all_would_be_done():
    assert progress(life(Start(), PROGRESS)[0]) == "Baking, 30 s left"
    assert progress(life(Start(), PROGRESS, Stop())[0]) == "Stopping at the next checkpoint"


@pytest.mark.parametrize(
    "change",
    [
        {"stage": None}, {"done": None}, {"done": "many"}, {"total": []}, {"seconds_left": "soon"},
        {"loss": "none"}, {"loss": 1.0, "validation": {}}, {"done": 10**400},
    ],
)  # fmt: skip
def test_progress_that_is_none_is_passed_over(change):
    before, _ = life(Start(), PROGRESS)
    said = {key: value for key, value in (PROGRESS.event | change).items() if value is not None}
    assert advance(before, Reported(said))[0] == before


def test_losses_become_the_points_of_a_plot_and_only_the_latest_are_kept():
    losses = [
        Reported({"event": "progress", "stage": "", "done": i, "total": 9, "loss": 1 / (i + 1)})
        for i in range(3000)
    ]
    state, _ = life(Start(), *losses, *[LOG] * 500)
    assert len(state.history) == 2000 and state.history[-1][:2] == (2999, 1 / 3000)
    assert len(state.log) == 200


def test_the_plot_is_of_the_network_that_is_being_learned():
    def learned(stage: str, done: int) -> Reported:
        return Reported({"event": "progress", "stage": stage, "done": done, "total": 9, "loss": 0.5})

    both = [learned("Shapes", 1), learned("Shapes", 2), PROGRESS, learned("Motion", 1), PROGRESS]
    shapes, motion = life(Start(), *both[:3])[0], life(Start(), *both)[0]
    assert [point[0] for point in shapes.history] == [1, 2], "what reports no loss removes nothing"
    assert [point[0] for point in motion.history] == [1]


@given(
    st.lists(st.sampled_from([Start(), Stop(), PROGRESS, RESULT, STOPPED, FULL, LOG, Exited(0), Exited(1)]))
)
def test_whatever_happens_a_job_runs_from_its_start_to_its_exit_and_ends_are_final(events):
    state, runs = JobState(), False
    for event in events:
        before, (state, effects) = state, advance(state, event)
        runs = (runs or isinstance(event, Start)) and not isinstance(event, Exited)
        assert state.active == runs
        if not before.active and not isinstance(event, Start):
            assert state == before and not effects
        assert ("deliver" in effects) == (before.active and state.phase == "finished")


@pytest.mark.parametrize("name", ["done", "total", "seconds_left", "step", "metres"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e300, "many", [1]])
def test_progress_in_numbers_that_nothing_is_counted_to_is_passed_over(name, value):
    known, _ = life(Start(), PROGRESS)
    event = PROGRESS.event | {"loss": 0.5, "step": 3, "metres": 0.1, name: value}
    assert advance(known, Reported(event)) == (known, ())


def test_an_error_below_nothing_is_no_progress_and_no_share_is_below_it():
    known, _ = life(Start(), PROGRESS)
    assert advance(known, Reported(PROGRESS.event | {"loss": 1.0, "validation": -1.0})) == (known, ())
    backwards, _ = life(Start(), Reported(PROGRESS.event | {"total": -3.0}))
    assert backwards.share == 0.0


def test_a_line_with_half_a_character_is_what_was_printed_and_no_event():
    assert parse_event('{"event": "log", "text": "\\ud83d"}') is None
    assert parse_event('{"event": "log", "text": "\\ud83d\\ude00"}') == {"event": "log", "text": "😀"}


@pytest.mark.parametrize(
    "value", ["0.1", [1], {"a": 1}, True, None, float("nan"), float("inf"), 1e308, 10**400]
)
def test_what_is_no_number_to_be_shown_is_none_in_a_result(value):
    state, _ = life(Start(), Reported({"event": "result", "rollout_error": value}), Exited(0))
    assert number_in(state.result, "rollout_error") is None
    assert number_in({"rollout_error": 2}, "rollout_error") == 2.0


@pytest.mark.parametrize("value", [0.1, [1], {"a": 1}, True, None])
def test_what_is_no_text_is_none_in_a_result_and_texts_are_as_they_can_be_shown(value):
    assert text_in({"verdict": value}, "verdict") == ""
    assert text_in({"verdict": "Good\x1b[2J\nof course"}, "verdict") == "Good [2J of course"
    assert len(text_in({"verdict": "x" * 1_000_000}, "verdict")) == 3000
