"""What a job reports, and how it learns that it should stop."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neural_physics.errors import Problem
from neural_physics.jobs import events as reporting
from neural_physics.jobs.events import Progress, StopRequest, error_event, parse_event, print_event

ROOT = Path(__file__).resolve().parents[2]


def test_an_event_printed_is_the_event_read(capsys):
    event = {"event": "progress", "stage": "Bäking\n", "done": 0.5, "total": 2, "loss": float("inf")}
    print_event(event)
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1 and parse_event(printed) == event


@given(st.text().map(lambda text: text.replace("{", "(")))
def test_what_has_no_braces_is_no_event(line):
    assert parse_event(line) is None


@pytest.mark.parametrize(
    "line", ["", "Blender 4.5", "3", "[1]", '{"a": 1}', '["event"]', '"event"', "[" * 100_000]
)
def test_other_lines_are_no_events(line):
    assert parse_event(line) is None


def test_an_error_is_reported_with_its_own_message_or_as_unexpected_with_its_reason():
    event = error_event(Problem("disk_full", path="/d"))
    assert event["code"] == "disk_full" and event["message"].startswith("The disk of /d is full")
    event = error_event(ZeroDivisionError("division by zero"), "the.log")
    assert (
        event["code"] == "unexpected"
        and "division by zero" in event["message"]
        and "the.log" in event["message"]
    )


def test_progress_is_reported_at_most_four_times_a_second_but_always_at_the_end(monkeypatch):
    now, events = [100.0], []
    monkeypatch.setattr(reporting.time, "monotonic", lambda: now[0])
    progress = Progress(events.append, "Rolling", 1000)
    for done in range(1, 1001):
        now[0] += 0.01
        progress.at(done)
    times = 10.0 / reporting.PROGRESS_EVERY
    assert 0.9 * times <= len(events) <= times + 2
    assert events[-1]["done"] == 1000 and events[-1]["seconds_left"] == 0.0
    middle = events[len(events) // 2]
    assert middle["seconds_left"] == pytest.approx((1000 - middle["done"]) * 0.01, rel=1e-6)


def test_the_time_left_of_a_resumed_job_counts_only_what_was_done_since(monkeypatch):
    now, events = [0.0], []
    monkeypatch.setattr(reporting.time, "monotonic", lambda: now[0])
    progress = Progress(events.append, "Baking", 1000, done=900)
    now[0] = 10.0
    progress.at(950)
    assert events[-1]["seconds_left"] == pytest.approx(10.0)


def test_a_stop_file_asks_to_stop_the_moment_it_is_there(tmp_path):
    stop = StopRequest(tmp_path / "stop")
    stop.check()
    (tmp_path / "stop").touch()
    with pytest.raises(Problem) as raised:
        stop.check()
    assert raised.value.code == "stopped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_a_polite_kill_stop_at_the_next_check(number):
    script = (
        "import time; from neural_physics.jobs.events import *\n"
        "stop = StopRequest(); stop.listen(); print('ready', flush=True)\n"
        "while not stop.asked(): time.sleep(0.01)\n"
        "print('saved')"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)
    process.send_signal(number)
    assert process.communicate(timeout=20)[0] == "saved\n" and process.returncode == 0
