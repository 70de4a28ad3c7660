"""Of computers that begin to bake at the same moment one chooses what moves, and the others wait for it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import synthetic

from neural_physics.baking.choice import candidates, choose
from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.baking.programs import Programs
from neural_physics.jobs.events import StopRequest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
TAKES, MOTIONS = 4, 6
# In place of Blender: how unsure a model is of a motion is said by its seed, after a moment.
SCORER = f"""
import os, sys, time
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}]
from neural_physics.baking.choice import read_scores, share_of, write_scores
from neural_physics.baking.plan import BakePlan
from neural_physics.jobs.events import StopRequest, print_event
plan, task, holder = BakePlan.read(Path(sys.argv[1])), sys.argv[2], int(sys.argv[4])
stop = StopRequest()
stop.follow(int(sys.argv[8]))
scores = read_scores(plan)
for take in share_of(plan, task):
    if take.seed not in scores:
        stop.check()
        time.sleep(0.1)
        scores[take.seed] = float(take.seed % 1000)
        write_scores(plan, task, holder, scores)
        with (plan.dataset / "scored").open("a") as file:
            file.write(f"{{holder}} {{take.seed}}\\n")
print_event({{"event": "result", "scored": len(scores)}})
"""
# A computer that loses patience sooner than others, as seen from which no process number means anything.
COMPUTER = f"""
import json, platform, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}]
name = sys.argv[2]
from neural_physics.jobs import leases
leases._this_computer = lambda: name
leases.PATIENCE, leases.RENEW_EVERY = 1.5, 0.2
platform.node = lambda: name
from neural_physics.baking.choice import choose
from neural_physics.baking.plan import BakePlan
from neural_physics.baking.programs import Programs
from neural_physics.jobs.events import StopRequest
programs, stages = Programs((sys.executable, "-c", {SCORER!r})), []
plan = BakePlan.of_dataset(Path(sys.argv[1]))
chosen = choose(plan, programs, lambda event: stages.append(event.get("stage", "")), StopRequest())
print(json.dumps([[take.seed for take in chosen.takes], list(chosen.notes), sorted(set(stages))]))
"""


@pytest.fixture
def plan(tmp_path) -> BakePlan:
    folder = tmp_path / "d"
    synthetic.make_dataset(folder, (), points=3)
    takes = plan_takes({}, TAKES, 5, 0)
    plan = BakePlan(folder, "Sheet", "Scene", "Layer", takes=takes, motions=MOTIONS, parallel=1)
    plan.write()
    return plan


def computer(plan: BakePlan, name: str) -> subprocess.Popen:
    words = [sys.executable, "-c", COMPUTER, str(plan.dataset), name]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def result(process: subprocess.Popen) -> tuple[list[int], list[str], list[str]]:
    """The seeds that it goes on with, the notes of its plan, and what it said that it was doing."""
    return tuple(json.loads(process.communicate(timeout=60)[0]))


def scored(plan: BakePlan) -> list[list[int]]:
    """Which chooser scored which motion, in order."""
    path = plan.dataset / "scored"
    lines = path.read_text().splitlines() if path.exists() else []
    return [[int(number) for number in line.split()] for line in lines]


def wait_until_scored(plan: BakePlan, count: int) -> None:
    until = time.monotonic() + 30.0
    while len(scored(plan)) < count:
        assert time.monotonic() < until
        time.sleep(0.02)


def least_sure(plan: BakePlan) -> set[int]:
    """Those that have the largest numbers, as many as there are takes for training."""
    asked = sorted((take.seed for take in candidates(plan)), key=lambda seed: -(seed % 1000))
    return set(asked[: sum(take.role == "training" for take in plan.takes)])


def check(plan: BakePlan, seeds: list[int]) -> None:
    """What is on disk is the choice, made once."""
    training = {seed for seed, take in zip(seeds, plan.takes, strict=True) if take.role == "training"}
    assert training == least_sure(plan)
    now = BakePlan.of_dataset(plan.dataset)
    assert [take.seed for take in now.takes] == seeds and now.motions == 1 and len(now.notes) == 1


def test_one_of_two_that_begin_together_chooses_and_the_other_waits_and_says_so(plan):
    first, second = map(result, [computer(plan, "Anna"), computer(plan, "Berta")])
    assert first[:2] == second[:2]
    check(plan, first[0])
    assert len(scored(plan)) == len(candidates(plan)) and {holder for holder, _ in scored(plan)} == {1}
    assert sorted([first[2], second[2]]) in (
        [["Choosing takes"], ["Waiting while Anna chooses takes"]],
        [["Choosing takes"], ["Waiting while Berta chooses takes"]],
    )


def test_who_takes_over_from_a_chooser_that_was_killed_goes_on_where_it_was(plan):
    killed = computer(plan, "Anna")
    wait_until_scored(plan, 3)
    waiting = computer(plan, "Berta")
    wait_until_scored(plan, 5)
    killed.kill()
    killed.communicate()
    seeds, _, stages = result(waiting)
    check(plan, seeds)
    assert stages == ["Choosing takes", "Waiting while Anna chooses takes"]
    holders = {holder for holder, _ in scored(plan)}
    assert holders == {1, 2}
    # One that its last worker was just at may have been scored by both.
    assert len(scored(plan)) <= len(candidates(plan)) + 1


def test_one_that_was_asleep_and_taken_over_goes_on_with_what_the_other_chose(plan):
    asleep = computer(plan, "Anna")
    wait_until_scored(plan, 2)
    asleep.send_signal(signal.SIGSTOP)
    awake = computer(plan, "Berta")
    seeds, notes, _ = result(awake)
    check(plan, seeds)
    asleep.send_signal(signal.SIGCONT)
    assert result(asleep)[:2] == (seeds, notes)
    check(plan, seeds)


def test_where_others_have_finished_the_bake_nothing_is_chosen_any_more(plan):
    plan.path.unlink()
    programs = Programs(("nothing that could be started",))
    assert choose(plan, programs, lambda event: None, StopRequest()).motions == 1
