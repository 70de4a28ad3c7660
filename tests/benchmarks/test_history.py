"""A run beside the last release: what is kept of earlier ones, and which side of a ratio is the worse one."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from benchmarks.declaration import Benchmark, Figure, Quick
from benchmarks.history import HISTORY, Run, append, last_release
from benchmarks.ratios import Ratio, lines, ratio_of, written
from neural_physics.methods.registry import SPECIFICATIONS

TIME, SPEED_UP = Figure("step", "µs", timed=True), Figure("times faster", better="higher")
ERROR = Figure("error")
FIGURES = {"error": ERROR, "step_us": TIME, "speed_up": SPEED_UP}
KNOWN = {"springs": Benchmark("springs", Quick("nowhere", None, FIGURES))}


def run(version: str, *, step_us: float = 50.0, calibration: float = 10.0, **changed) -> Run:
    figures = {"springs": {"error": 0.2, "step_us": step_us, "speed_up": 5000.0 / step_us}}
    box = {"cores": 2, "processor": "P", "python": "3.11.9", "numpy": "1.26.4"}
    one = Run(
        "2026-01-01T00:00:00+00:00", version, "abc", box, {"springs": calibration}, {"springs": "1"}, figures
    )
    return replace(one, **changed)


def test_later_runs_are_compared_with_the_newest_release(tmp_path):
    history = tmp_path / "history.jsonl"
    assert last_release(history) is None
    for one in (run("0.1", release=True), run("0.2"), run("0.3", release=True), run("0.4", dirty=True)):
        append(one, history)
    assert last_release(history) == run("0.3", release=True)


def test_a_history_without_a_release_has_nothing_to_compare_with(tmp_path):
    append(run("0.1"), tmp_path / "history.jsonl")
    assert last_release(tmp_path / "history.jsonl") is None
    text = written(KNOWN, run("0.2"), None)
    assert "| springs | step, µs | 50 |  |  |  |" in text and "no release in the history" in text


def test_a_run_after_one_that_was_killed_has_a_line_of_its_own(tmp_path):
    history = tmp_path / "history.jsonl"
    append(run("0.1", release=True), history)
    torn = json.dumps(asdict(run("0.2", release=True)))[:70]
    with history.open("a", encoding="utf-8") as file:
        file.write(torn)
    assert last_release(history) == run("0.1", release=True)
    append(run("0.3", release=True), history)
    assert last_release(history) == run("0.3", release=True)
    assert history.read_text(encoding="utf-8").splitlines()[1] == torn


def test_fields_of_later_versions_are_passed_over_and_lines_without_the_known_ones_too(tmp_path):
    history = tmp_path / "history.jsonl"
    line = {**asdict(run("0.1", release=True)), "weather": "fair"}
    lacking = {name: value for name, value in line.items() if name != "figures"}
    history.write_text(f"{json.dumps(line)}\n{json.dumps(lacking)}\n[]\n", encoding="utf-8")
    assert last_release(history) == run("0.1", release=True)


@pytest.mark.parametrize(
    ("figure", "now", "then", "expected"),
    [
        (TIME, 100.0, 80.0, "now: 0.80"),
        (TIME, 80.0, 100.0, "0.1: 0.80"),
        (SPEED_UP, 100.0, 80.0, "0.1: 0.80"),
        (SPEED_UP, 80.0, 100.0, "now: 0.80"),
        (ERROR, 0.25, 0.2, "now: 0.80"),
        (ERROR, 0.2, 0.2, "same"),
        (TIME, 100.0, 99.9, "same"),
    ],
)
def test_a_ratio_says_how_well_the_worse_side_does(figure, now, then, expected):
    assert str(ratio_of(figure, now, then, then_name="0.1")) == expected


def test_nothing_is_divided_by_nothing():
    assert ratio_of(ERROR, 0.0, 0.2, then_name="0.1") is None


def test_a_slower_box_is_distinguished_from_a_slower_program():
    """All takes twice as long on the box, and the step four times as long."""
    now, then = run("0.2", step_us=200.0, calibration=20.0), run("0.1")
    error, step, speed_up = lines(KNOWN, now, then)
    assert step.ratio == Ratio(0.25, "now") and step.equal_box == Ratio(0.5, "now")
    assert error.equal_box is None and speed_up.equal_box is None
    assert "takes 20 ms, and took 10 ms: now: 0.50" in written(KNOWN, now, then)


def test_other_sizes_are_not_compared():
    now = run("0.2", settings={"springs": "2"})
    assert all(line.ratio is None for line in lines(KNOWN, now, run("0.1")))
    assert "not compared: springs" in written(KNOWN, now, run("0.1"))


def test_a_pace_that_changed_during_the_run_is_reported():
    steady, busy = ({"springs": 10.0, "cloth": ms} for ms in (10.5, 14.0))
    warning = "box's pace changed"
    assert warning not in written(KNOWN, run("0.2", calibration_ms=steady), run("0.1", calibration_ms=steady))
    assert warning in written(KNOWN, run("0.2", calibration_ms=busy), None)
    assert warning in written(KNOWN, run("0.2", calibration_ms=steady), run("0.1", calibration_ms=busy))


def test_the_history_has_a_release_that_was_measured_on_its_own_commit():
    release = last_release(HISTORY)
    assert release is not None and release.commit and not release.dirty
    assert set(release.figures) == set(release.settings) == set(release.calibration_ms)
    assert set(release.figures) >= set(SPECIFICATIONS)
    assert all(value > 0.0 for figures in release.figures.values() for value in figures.values())
