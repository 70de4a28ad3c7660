"""What is seen of a bake from the shared folder: who works, what failed, and how long it will take."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import synthetic

from neural_physics.baking.failures import failures, forget_failures, note_failure
from neural_physics.baking.handing_over import Workplace
from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.baking.watching import Watch
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.take_folders import holders_folder
from neural_physics.jobs import leases
from neural_physics.jobs.leases import PATIENCE, RENEW_EVERY, Observer

FRAMES = 50


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    """As if each holder were on another computer, of which nothing can be asked."""
    monkeypatch.setattr(leases, "_this_computer", iter(map(str, range(10_000))).__next__)


@pytest.fixture
def plan(tmp_path):
    dataset = synthetic.make_dataset(tmp_path / "dataset", (), points=3)
    plan = BakePlan(dataset.path, "Sheet", "Scene", "Layer", takes=plan_takes({}, 3, FRAMES, 0))
    plan.write()
    return plan


class Computer:
    """One that bakes a take."""

    def __init__(self, plan, take, host, monkeypatch):
        self.clock = Clock()
        monkeypatch.setattr("platform.node", lambda: host)
        dataset = synthetic.Dataset.open(plan.dataset)
        lease = Observer(self.clock).claim(holders_folder(plan.dataset, take), host)
        self.place = Workplace(dataset, take, lease)
        self.place.take_up()
        info = TakeInfo(FRAMES, role="training", seed=1)
        self.writer = self.place.under_way().writer(take, info, may_write=lease.check)

    def bake(self, count):
        rest = self.place.dataset.mesh.rest_positions
        for _ in range(count):
            self.writer.append(rest, [0.0, 0.0, 0.0])

    def says_that_it_is_there(self):
        self.clock.now += RENEW_EVERY
        self.place.lease.renew()

    def fails(self, reason):
        self.writer.close()
        log = self.place.folder / "blender.jsonl"
        log.write_text(f"what led to {reason}")
        lease = self.place.lease
        note_failure(self.place.dataset.path, lease.folder, lease.number, reason=reason, log=log)
        self.place.leave()


def test_nothing_is_seen_where_nothing_was_prepared(tmp_path):
    assert Watch(tmp_path / "nowhere").look() is None


def test_computers_their_takes_and_the_time_left(plan, monkeypatch):
    clock = Clock()
    watch = Watch(plan.dataset, clock)
    for clock.now in (-1000.0, -500.0, -10.0, 0.0):  # nobody has begun
        seen = watch.look()
        assert (seen.frames, seen.planned, seen.complete, seen.workers) == (0, 3 * FRAMES, 0, {})
    one, two = (Computer(plan, f"take_00{n}", f"box {n}", monkeypatch) for n in (0, 1))
    one.bake(4)
    clock.now = 2.0
    assert watch.look().seconds_left is None, "too few to tell a speed by"
    one.bake(16)
    clock.now = 10.0
    seen = watch.look()
    assert seen.workers == {"box 0": ["take_000"], "box 1": ["take_001"]}
    assert seen.frames == 20 and seen.seconds_left == pytest.approx(130 / 2.0)
    one.bake(30)
    one.writer.close()
    one.place.hand_in()
    two.bake(10)
    clock.now = 20.0
    seen = watch.look()
    assert (seen.complete, seen.workers) == (1, {"box 1": ["take_001"]})
    assert seen.frames == 60 and seen.seconds_left == pytest.approx(90 / 3.0)


def test_a_computer_that_is_silent_for_a_minute_is_not_taken_to_work(plan, monkeypatch):
    clock = Clock()
    watch, one = Watch(plan.dataset, clock), Computer(plan, "take_000", "box", monkeypatch)
    one.bake(5)
    watch.look()
    clock.now += PATIENCE - 1.0
    one.says_that_it_is_there()
    assert watch.look().workers
    clock.now += PATIENCE - 1.0
    assert watch.look().workers
    clock.now += 2.0
    seen = watch.look()
    assert not seen.workers and seen.seconds_left is None and seen.frames == 5


def test_takes_that_failed_are_told_with_logs_that_lie_in_the_shared_folder(plan, monkeypatch):
    for number in range(3):
        Computer(plan, "take_001", f"box {number}", monkeypatch).fails(f"crash {number}")
    Computer(plan, "take_000", "other", monkeypatch).fails("once")
    working = Computer(plan, "take_002", "other", monkeypatch)
    clock = Clock()
    watch = Watch(plan.dataset, clock)
    watch.look()
    working.bake(10)
    clock.now = 10.0
    seen = watch.look()
    assert [state.take.name for state in seen.failed] == ["take_001", "take_000"]
    assert [state.phase for state in seen.failed] == ["set aside", "waiting"]
    assert [each.reason for each in seen.failed[0].failures] == ["crash 0", "crash 1", "crash 2"]
    assert [each.host for each in seen.failed[0].failures] == ["box 0", "box 1", "box 2"]
    for state in seen.failed:
        for each in state.failures:
            assert each.log.read_text() == f"what led to {each.reason}"
            assert each.log.is_relative_to(plan.dataset)
    # What was set aside is not waited for.
    assert seen.seconds_left == pytest.approx(40 + 50)
    folder = holders_folder(plan.dataset, "take_001")
    forget_failures(plan.dataset, folder)
    assert not failures(folder) and not list(folder.glob("*.jsonl"))


def test_what_a_stranger_wrote_is_told_in_a_line_or_passed_over(plan):
    folder = holders_folder(plan.dataset, "take_000")
    folder.mkdir(parents=True)
    (folder / "10.failed").write_text(
        json.dumps({"host": "a\nb\x1b[31m", "reason": "x" * 5000, "log": "/etc/passwd"})
    )
    (folder / "2.failed").write_text("[" * 100_000)
    for name in ("٣.failed", "-1.failed", "x\n.failed"):
        (folder / name).write_text("{}")
    (folder / "holder_000001.json").write_text(json.dumps({"host": "c\rd" * 1000}))
    (state, *_) = Watch(plan.dataset).look().takes
    assert [each.log for each in state.failures] == [folder / "2.jsonl", folder / "10.jsonl"]
    last = state.failures[-1]
    assert last.host == "a b [31m" and len(last.reason) <= 300
    assert state.sentence.isprintable() and len(state.host) <= 300


def test_a_plan_that_changes_is_read_anew_and_one_that_cannot_be_read_is_passed_over(plan):
    watch = Watch(plan.dataset)
    assert len(watch.look().takes) == 3
    replace(plan, takes=plan_takes({}, 12, FRAMES, 0)).write()
    assert len(watch.look().takes) == 12
    plan.path.write_text("{")
    assert watch.look() is None
    plan.path.unlink()
    assert watch.look() is None
