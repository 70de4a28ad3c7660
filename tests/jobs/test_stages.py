"""Several stages as one bar: it never goes back, and always says how long is left."""

import pytest

from neural_physics.jobs.life_cycle import JobState, Reported, Start, advance
from neural_physics.jobs.stages import Whole

SECONDS = {"Preparing": 10.0, "Training": 80.0, "Normals": 10.0}


def said(*events: tuple[str, float, float | None], seconds=SECONDS) -> list[dict]:
    """What is passed on of stages, how much of each is done, and the time that each says is left of it."""
    passed: list[dict] = []
    whole = Whole(passed.append, seconds)
    for stage, done, left in events:
        whole({"event": "progress", "stage": stage, "done": done, "total": 4, "seconds_left": left})
    return passed


def test_it_starts_before_any_stage_does():
    (first,) = said()
    assert (first["stage"], first["done"], first["total"], first["seconds_left"]) == (
        "Preparing",
        0,
        100,
        100,
    )


def test_each_stage_has_the_part_of_the_bar_that_it_takes_of_the_time():
    passed = said(
        ("Preparing", 0, None), ("Preparing", 2, 6.0), ("Preparing", 4, 0.0), ("Training", 0, None),
        ("Training", 1, 90.0), ("Training", 4, 0.0), ("Normals", 2, 3.0), ("Normals", 4, 0.0),
    )  # fmt: skip
    assert [event["done"] for event in passed] == pytest.approx([0, 0, 5, 10, 10, 30, 90, 95, 100])
    assert [event["seconds_left"] for event in passed] == pytest.approx([100, 100, 96, 90, 90, 100, 10, 3, 0])


def test_it_does_not_go_back_where_a_stage_repeats_or_is_not_expected():
    passed = said(("Training", 3, 20.0), ("Preparing", 1, 1.0), ("Something", 0, None), ("Training", 4, 0.0))
    done = [event["done"] for event in passed]
    assert done == sorted(done) and done[-1] == 90
    assert all(event["seconds_left"] is not None for event in passed)


def test_a_stage_that_is_passed_over_is_done():
    """A resumed training need not prepare again, and one may end early."""
    passed = said(("Training", 2, 40.0), ("Normals", 0, None))
    assert [event["done"] for event in passed] == [0, 50, 90]


def test_other_events_and_what_goes_along_are_left_alone():
    passed: list[dict] = []
    whole = Whole(passed.append, SECONDS)
    log = {"event": "log", "text": "hello"}
    whole(log)
    whole({"event": "progress", "stage": "Training", "done": 1, "total": 2, "seconds_left": 1.0, "loss": 0.5})
    assert passed[1] is log and passed[2]["loss"] == 0.5


def test_the_panel_s_bar_is_the_whole_s():
    state, _ = advance(JobState(), Start())
    shares = []
    for event in said(("Preparing", 4, 0.0), ("Training", 0, None), ("Normals", 4, 0.0)):
        state, _ = advance(state, Reported(event))
        shares.append(state.share)
    assert shares == pytest.approx([0.0, 0.1, 0.1, 1.0])
