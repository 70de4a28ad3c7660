"""A round reports whatever goes wrong in it: shown with commands that go wrong on purpose."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("rich")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="a soak finds its processes in /proc"),
]

from tools.soak.activities import Activity
from tools.soak.commands import CommandRun
from tools.soak.contents import read_folder
from tools.soak.faults import KILLS, KINDS, Fault
from tools.soak.marks import BEGINS, kill_all, marked, wait_for_none
from tools.soak.moments import Moment, Times
from tools.soak.places import Place
from tools.soak.reference import Reference
from tools.soak.report import Report
from tools.soak.rounds import Bench, Round

# Writes its result whole, after a moment; what is to go wrong is put in place of {wrong}.
SCRIPT = f"""
import os, pathlib, subprocess, sys, time
work = pathlib.Path(sys.argv[1])
print({BEGINS!r}, flush=True)
again = (work / "begun.json").exists()
(work / "begun.json").write_text("1")
time.sleep(0.3)
{{wrong}}
(work / "result.json.new").write_text("[1, 2]")
(work / "result.json.new").rename(work / "result.json")
"""
SLEEPER = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)"


@pytest.fixture
def place(tmp_path, monkeypatch) -> Place:
    monkeypatch.setattr("tools.soak.rounds.ENDS_WITHIN", 0.5)
    monkeypatch.setattr("tools.soak.rounds.LONGEST_RUN", 5.0)
    return Place.make(tmp_path / "lane")


def round_of(place: Place, tmp_path: Path, wrong: str, kinds: tuple[str, ...] = ("kill all",)) -> Round:
    """A round that breaks the script in its middle."""

    def command(script: str):
        return lambda folder: [sys.executable, "-c", script, str(folder)]

    activity = Activity("write", command(SCRIPT.format(wrong=wrong)), {})
    begin, end = tmp_path / "begin", tmp_path / "end"
    begin.mkdir()
    end.mkdir()
    (begin / "before.json").write_text("0")
    for name, text in (("before.json", "0"), ("begun.json", "1"), ("result.json", "[1, 2]")):
        (end / name).write_text(text)
    reference = Reference(begin, read_folder(end, json.loads), Times(0.1, 0.3))
    report = Report(1, 0.0)
    bench = Bench(1, {"write": reference}, [activity], json.loads, report, tmp_path / "violations")
    made = Round(bench, place, 0)
    made.faults = [Fault(kind, Moment("working", 0.5), 0.0, at_once=False) for kind in kinds]
    return made


def said(made: Round) -> str:
    return "\n".join(violation.what for violation in made.run())


def test_what_goes_on_after_kills_as_it_should_is_no_violation(place, tmp_path):
    made = round_of(place, tmp_path, "pass", ("kill all", "kill one", "kill the command"))
    assert made.run() == []
    assert made.bench.report.kills == 3 and made.runs == 4
    assert marked(made.mark) == []


# This script does not say why it failed, as one must that is ended politely or has no room left.
@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(KILLS) - {"terminate", "full disk"}))
def test_other_faults_are_undone(kind, place, tmp_path):
    assert round_of(place, tmp_path, "pass", (kind,)).run() == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("if again: (work / 'result.json').write_text('[1, 3]'); sys.exit()", "not the same as after"),
        ("if again: (work / 'before.json').unlink()", "before.json is missing at the end"),
        ("if again: (work / 'before.json').write_text('{')", "before.json cannot be read"),
        ("if again: (work / 'x.new').touch()", "x.new was left over"),
        ("if again: sys.exit()", "result.json is missing at the end"),
        ("if again: sys.exit(1)", "without a Problem's sentence"),
        ("if again: raise KeyError('x')", "printed a traceback"),
        ("if again: print('The job ended unexpectedly (status -9, x); what it finished is kept: resume it.');"
         " sys.exit(1)", "nobody had killed it"),
        ("if again: os.kill(os.getpid(), 11)", "ended by signal 11, which nobody sent"),
        (f"if again: {SLEEPER}", "still running"),
        ("if again: time.sleep(60)", "does not end within"),
    ],
)  # fmt: skip
def test_what_goes_wrong_after_a_kill_is_reported(wrong, sentence, place, tmp_path):
    made = round_of(place, tmp_path, wrong)
    found = said(made)
    assert sentence in found
    assert marked(made.mark) == []


def test_what_was_finished_and_is_lost_by_a_kill_is_reported(place, tmp_path):
    made = round_of(place, tmp_path, "(work / 'before.json').unlink(); time.sleep(1)")
    made.faults = [replace(fault, moment=Moment("writing", 0.03)) for fault in made.faults]
    assert "before.json was finished and is gone" in said(made)


def test_a_violation_says_how_to_have_it_again(place, tmp_path):
    made = round_of(place, tmp_path, "if again: (work / 'x.new').touch()")
    (violation,) = made.run()
    assert (violation.seed, violation.round, violation.activity, violation.run) == (1, 0, "write", 1)
    (fault,) = violation.faults
    assert fault["kind"] == "kill all" and fault["run"] == 0 and fault["seconds"] > 0.0
    assert (Path(violation.evidence) / "x.new").exists()
    report = made.bench.report
    report.write(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["violations"][0]["what"] == violation.what
    assert any("SEED=1 ROUND=0" in line for line in report.summary())


def test_the_same_seed_and_number_draw_the_same_round(place, tmp_path):
    bench = round_of(place, tmp_path, "pass").bench
    assert Round(bench, place, 5).faults == Round(bench, place, 5).faults
    drawn = [fault for number in range(400) for fault in Round(bench, place, number).faults]
    assert {fault.kind for fault in drawn} == set(KINDS)
    assert sum(fault.kind in KILLS for fault in drawn) > 0.7 * len(drawn)
    assert sum(fault.moment.stage == "starting" for fault in drawn) < 0.2 * len(drawn)


def test_processes_are_found_by_their_mark_whoever_started_them(place, tmp_path):
    place.work.mkdir()
    script = f"import subprocess, sys; {SLEEPER}; {SLEEPER}"
    activity = Activity("start", lambda _: [sys.executable, "-c", script], {})
    assert CommandRun(activity, place, "mine").wait(20.0) == 0
    deadline = time.monotonic() + 5.0
    while len(marked("mine")) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(marked("mine")) == 2 and marked("another") == []
    assert wait_for_none("mine", 0.1) == marked("mine")
    assert kill_all("mine") == 2 and wait_for_none("mine", 5.0) == []


def test_a_mistake_of_the_soak_itself_is_a_violation(place, tmp_path):
    made = round_of(place, tmp_path, "pass")
    assert "KeyError" in made.failed("KeyError: 'x'").what
    assert made.bench.report.violations == made.wrong != []
