"""Many workers on one dataset: each take is baked once, whatever happens to those that bake it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import synthetic
from lengths import at_length

from neural_physics.baking.gathering import states
from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.datasets.takes import Dataset

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WORKERS, TAKES, FRAMES = *at_length((24, 250), (64, 1000)), 4

# A computer of its own: its clock is hours off, its locks do nothing, and no process number of another one's
# means anything to it. What it bakes is done here, and not in a process of its own.
COMPUTER = f"""
import json, os, platform, sys, time
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
number, patience, slowly = int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
import fcntl
fcntl.flock = fcntl.lockf = lambda *_: None
import numpy as np
from neural_physics.jobs import leases
leases._this_computer = lambda: f"computer {{number}}"
leases.PATIENCE, leases.RENEW_EVERY = patience, patience / 6
platform.node = lambda: f"computer {{number}}"
from neural_physics.baking.handing_over import Workplace, is_complete
from neural_physics.datasets.take_folders import holders_folder
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
plan = BakePlan.of_dataset(Path(sys.argv[1]))
dataset = Dataset.open(plan.dataset)
observer = leases.Observer(lambda: time.monotonic() + 3600.0 * (number % 3))

def bake(take):
    lease = observer.claim(holders_folder(plan.dataset, take.name))
    if lease is None:
        return
    place = Workplace(dataset, take.name, lease)
    try:
        if not place.take_up():
            return
        info = TakeInfo(take.frames, role=take.role, seed=take.seed)
        with place.under_way().writer(take.name, info, may_write=place.may_write) as writer:
            for index in range(writer.count, take.frames):
                lease.renew()
                time.sleep(slowly)
                rng = np.random.default_rng([take.seed, index])
                shape = (dataset.info.vertex_count, 3)
                writer.append(rng.random(shape), rng.random(dataset.info.channels.size))
        place.hand_in()
    except Problem as problem:
        if problem.code != "taken_over":
            raise
        print("taken over", take.name, flush=True)
    else:
        print("done", take.name, flush=True)

left = list(plan.takes)
while left:
    left = [take for take in left if not is_complete(plan.dataset, take.name)]
    for take in left[number * len(left) // {WORKERS} :] + left[: number * len(left) // {WORKERS}]:
        bake(take)
    time.sleep(0.2)
"""


def prepared(folder: Path, takes: int, frames: int) -> BakePlan:
    synthetic.make_dataset(folder, (), points=3)
    plan = BakePlan(folder, "Sheet", "Scene", "Layer", takes=plan_takes({}, takes, frames, 0))
    plan.write()
    return plan


def computer(folder: Path, number: int, patience: float = 60.0, slowly: float = 0.0) -> subprocess.Popen:
    words = [sys.executable, "-c", COMPUTER, str(folder), str(number), str(patience), str(slowly)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )


def check(plan: BakePlan) -> None:
    """Every frame is there once, and the one that it should be."""
    dataset = Dataset.open(plan.dataset)
    assert dataset.take_names() == sorted(take.name for take in plan.takes)
    for planned in plan.takes:
        take = dataset.take(planned.name)
        assert take.info.complete and len(take.positions) == planned.frames
        for index in range(planned.frames):
            rng = np.random.default_rng([planned.seed, index])
            expected = rng.random((dataset.info.vertex_count, 3)).astype(np.float32)
            assert np.array_equal(take.positions[index], expected), (planned.name, index)


def test_takes_are_drained_by_many_workers_and_none_is_done_twice(tmp_path):
    plan = prepared(tmp_path / "d", TAKES, FRAMES)
    workers = [computer(plan.dataset, number) for number in range(WORKERS)]
    said = [line for worker in workers for line in worker.communicate(timeout=600)[0].splitlines()]
    assert sorted(said) == [f"done {take.name}" for take in plan.takes]
    check(plan)
    assert {state.phase for state in states(plan)} == {"complete"}


def test_fifty_kills_and_sleeps_cost_no_frame_and_mix_none(tmp_path):
    """Workers are killed, or stopped for longer than others are patient, and then wake up."""
    chance = random.Random(7)
    plan = prepared(tmp_path / "d", 12, 120)
    workers = {number: computer(plan.dataset, number, 0.6, 0.01) for number in range(4)}
    asleep: dict[int, float] = {}
    events = 0
    while not all(worker.poll() is not None for worker in workers.values()):
        time.sleep(chance.uniform(0.05, 0.4))
        for number in [number for number, until in asleep.items() if until < time.monotonic()]:
            del asleep[number]
            if workers[number].poll() is None:
                workers[number].send_signal(signal.SIGCONT)
        awake = [n for n, worker in workers.items() if n not in asleep and worker.poll() is None]
        if events >= 50 or not awake:
            continue
        number = chance.choice(awake)
        events += 1
        if chance.random() < 0.5:
            workers[number].kill()
            workers[number].communicate()
            workers[number] = computer(plan.dataset, number, 0.6, 0.01)
        else:
            workers[number].send_signal(signal.SIGSTOP)
            asleep[number] = time.monotonic() + chance.uniform(0.5, 2.0)
    assert events >= 20
    assert all(worker.wait() == 0 for worker in workers.values())
    check(plan)
