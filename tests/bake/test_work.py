"""The bake job with workers that need no Blender: in which order takes are baked, and what a crash costs."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
import synthetic

from neural_physics.baking import finishing, work, workers
from neural_physics.baking.gathering import states
from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.baking.programs import Programs
from neural_physics.baking.work import Work
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.leases import Observer
from neural_physics.jobs.process import is_written

ROOT = Path(__file__).resolve().parents[2]
FRAMES = 5
# Writes its take, unless it is said to crash: it then ends after two frames, as often as is said.
WORKER = f"""
import json, os, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
import numpy as np
from neural_physics.baking.handing_over import workplace
from neural_physics.baking.plan import BakePlan
from neural_physics.jobs.events import print_event
from neural_physics.datasets.dataset_info import Exclusion, TakeInfo
plan, name = BakePlan.read(Path(sys.argv[1])), sys.argv[2]
place = workplace(plan, name, int(sys.argv[4]))
dataset, take = place.dataset, plan.take(name)
with (dataset.path / "order").open("a") as file:
    file.write(name + " ")
crashes = json.loads((dataset.path / "crashes").read_text()).get(name, 0)
tried = (dataset.path / "order").read_text().split().count(name)
info = TakeInfo(take.frames, role=take.role)
with place.under_way().writer(name, info, may_write=place.may_write) as writer:
    for number in range(writer.count, take.frames):
        if number == 2 and tried <= crashes:
            os._exit(11)
        writer.append(dataset.mesh.rest_positions, np.ones(3))
    if name in plan.notes:  # then a frame of it cannot be learned from
        writer.exclude((Exclusion(1, 1, "torn"),))
print_event({{"event": "result", "take": name, "frames": writer.count}})
"""

# Records tracks, which are a number here; it crashes as often as is said, before they are written.
RECORDER = f"""
import json, os, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}]
from neural_physics.baking.handing_over import workplace
from neural_physics.baking.plan import BakePlan
from neural_physics.jobs.events import print_event
plan, name = BakePlan.read(Path(sys.argv[1])), sys.argv[2]
folder, place = plan.dataset, workplace(plan, name, int(sys.argv[4]))
with (folder / "order").open("a") as file:
    file.write("record:" + name + " ")
tried = (folder / "order").read_text().split().count("record:" + name)
if tried <= json.loads((folder / "crashes").read_text()).get("record:" + name, 0):
    os._exit(11)
print_event({{"event": "progress", "stage": name, "done": 99, "total": 99, "seconds_left": 0}})
if "forgets" not in plan.notes:
    place.tracks.write_text(name)
print_event({{"event": "result", "take": name}})
"""
# The solver: makes the body, then simulates takes whose tracks are there, as WORKER does.
SOLVER = (
    f"""
import sys, time
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}]
from neural_physics.baking.plan import BakePlan
from neural_physics.errors import Problem
from neural_physics.jobs.events import error_event, print_event
plan, name = BakePlan.read(Path(sys.argv[1])), sys.argv[2]
if name == "body":
    with (plan.dataset / "order").open("a") as file:
        file.write("body ")
    if "fills until all is recorded" in plan.notes:
        while len((plan.dataset / "order").read_text().split()) <= len(plan.takes):
            time.sleep(0.01)
    if "fills for ever" in plan.notes:
        time.sleep(1000)
    if "refuses" in plan.notes:
        print_event(error_event(Problem("dataset_missing", path="here")))
        sys.exit(1)
    print_event({{"event": "result", "body": "made"}})
    sys.exit()
from neural_physics.baking.handing_over import workplace
assert workplace(plan, name, int(sys.argv[4])).tracks.read_text() == name
"""
    + WORKER
)


def bake(path: Path, takes: int, *bad: str, emit: Emit = lambda event: None, **crashes: int) -> dict:
    """The result of a bake of so many takes, one at a time; bad: those of which a frame is no good.

    crashes: how often each take's worker does.
    """
    mesh = synthetic.sheet_mesh(3)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, channels=synthetic.LAYOUT)
    Dataset.create(path, info, mesh)
    (path / "crashes").write_text(json.dumps(crashes))
    planned = plan_takes({}, takes, FRAMES, 0)
    plan = BakePlan(path, "Sheet", "Scene", "Layer", takes=planned, parallel=1, notes=bad)
    plan.write()
    return Work(plan, Programs((sys.executable, "-c", WORKER)), emit, StopRequest()).run()


def test_takes_that_a_model_is_judged_by_are_baked_first_under_the_names_they_always_have(tmp_path):
    result = bake(tmp_path / "d", 8)
    assert (tmp_path / "d" / "order").read_text().split()[:3] == ["take_006", "take_007", "take_000"]
    roles = [take.info.role for take in Dataset.open(tmp_path / "d").outlines()]
    assert roles == ["training"] * 6 + ["validation", "test"]
    assert (result["takes"], result["frames"]) == (8, 8 * FRAMES)


@pytest.mark.parametrize(("asked", "given"), [(0, 2), (1, 1), (8, 8), (9, 8), (256, 8)])
def test_a_bake_has_no_more_processes_than_the_processor_has_work_for(monkeypatch, asked, given):
    monkeypatch.setattr(workers, "usable_cores", lambda: [0, 1])
    plan = BakePlan(Path("d"), "Sheet", "Scene", "Layer", takes=(), parallel=asked)
    assert workers.most_at_once(plan) == given
    assert workers.most_at_once(plan, 3) == 3


def test_what_is_left_out_of_takes_is_one_note_and_a_line_for_each_in_the_log(tmp_path):
    events: list[dict] = []
    bad = ("take_000", "take_002")
    *_, note = bake(tmp_path / "d", 3, *bad, emit=events.append)["notes"]
    assert note.startswith(f"In 2 of 3 takes, 2 of {3 * FRAMES} frames are left out of training (torn)")
    said = [event["text"] for event in events if event["event"] == "log"]
    assert said == [f"{name}: 1 of {FRAMES} frames are left out of training (torn)." for name in bad]
    one = bake(tmp_path / "e", 3, "take_001")["notes"]
    assert one == ["take_001", f"take_001: 1 of {FRAMES} frames are left out of training (torn)."]


def test_a_bake_whose_own_files_cannot_be_deleted_says_where_they_are(tmp_path, monkeypatch):
    with monkeypatch.context() as read_only:
        read_only.setattr(finishing, "clear_made_by_bakes", lambda *folders: None)
        result = bake(tmp_path / "d", 2)
    assert result["frames"] == 2 * FRAMES
    (note,) = result["notes"]
    assert str(tmp_path / "d" / "bake") in note and "not needed" in note
    again = bake(tmp_path / "d", 2)
    assert again["notes"] == [] and not (tmp_path / "d" / "bake").exists()


def test_a_worker_that_crashed_once_is_started_again_and_its_take_goes_on(tmp_path):
    assert bake(tmp_path / "d", 2, take_001=1)["frames"] == 2 * FRAMES
    assert (tmp_path / "d" / "order").read_text().split() == ["take_001", "take_000", "take_001"]
    assert not (tmp_path / "d" / "bake").exists()


def test_takes_that_crash_again_are_reported_once_all_others_are_baked(tmp_path):
    with pytest.raises(Problem) as raised:
        bake(tmp_path / "d", 4, take_000=3, take_002=9)
    assert raised.value.code == "bake_crashed"
    assert "take_000, take_002" in raised.value.message and "3.jsonl" in raised.value.message
    takes = {take.name: take.info.complete for take in Dataset.open(tmp_path / "d").outlines()}
    assert takes == {"take_000": False, "take_001": True, "take_002": False, "take_003": True}
    found = {state.take.name: state for state in states(BakePlan.of_dataset(tmp_path / "d"))}
    assert [state.phase for state in found.values()] == ["set aside", "complete"] * 2
    assert found["take_001"].sentence == f"take_001: complete, {FRAMES} of {FRAMES} frames"
    assert found["take_000"].sentence.startswith(f"take_000: set aside, 2 of {FRAMES} frames: ")
    assert len(found["take_000"].failures) == 3 and "3.jsonl" in found["take_000"].sentence
    assert all(failure.log.is_file() for state in found.values() for failure in state.failures)


def test_a_bake_too_short_for_the_clock_has_a_result(tmp_path, monkeypatch):
    monkeypatch.setattr(work.time, "monotonic", lambda: 7.0)
    assert bake(tmp_path / "d", 1)["frames_per_second"] == 0.0


def bake_with_solver(
    path: Path, takes: int, *notes: str, parallel: int = 1, stop: StopRequest | None = None, **crashes: int
) -> tuple[dict, list[dict]]:
    """The same with the bundled solver: its result and all its events."""
    mesh = synthetic.sheet_mesh(3)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, channels=synthetic.LAYOUT)
    Dataset.create(path, info, mesh)
    (path / "crashes").write_text(
        json.dumps({name.replace("record_", "record:"): n for name, n in crashes.items()})
    )
    python = (sys.executable, "-c")
    planned = plan_takes({}, takes, FRAMES, 0)
    recorder, solver = (*python, RECORDER), (*python, SOLVER)
    plan = BakePlan(
        path, "Sheet", "Scene", "Layer", takes=planned, by_solver=True, parallel=parallel, notes=notes
    )
    plan.write()
    events: list[dict] = []
    programs = Programs(recorder, solver)
    return Work(plan, programs, events.append, stop or StopRequest()).run(), events


def test_the_solver_makes_a_body_and_simulates_each_take_once_its_tracks_are_recorded(tmp_path):
    result, events = bake_with_solver(tmp_path / "d", 2)
    order = (tmp_path / "d" / "order").read_text().split()
    assert order == ["body", "record:take_001", "take_001", "record:take_000", "take_000"]
    assert result["frames"] == 2 * FRAMES
    assert max(event["done"] for event in events) == 2 * FRAMES  # what is recorded is not counted
    assert not (tmp_path / "d" / "bake").exists()


def test_tracks_are_recorded_while_the_body_is_made_and_nothing_is_simulated_before(tmp_path):
    waits = "fills until all is recorded"
    assert bake_with_solver(tmp_path / "d", 3, waits, parallel=2)[0]["frames"] == 3 * FRAMES
    order = (tmp_path / "d" / "order").read_text().split()
    recorded = [f"record:take_00{number}" for number in (2, 0, 1)]
    assert [word for word in order[:4] if word != "body"] == recorded and "body" in order
    # The take that a model is judged by is simulated first again.
    assert "take_002" in order[4:6] and len(order) == 7
    assert not (tmp_path / "d" / "bake").exists()


def test_who_comes_while_another_makes_the_body_records_tracks_for_both(tmp_path):
    """The other one is a lease here, held until all is recorded."""
    path, observer = tmp_path / "d", Observer()
    lease = observer.claim(path / "bake" / "body")
    assert lease is not None

    class Stop(StopRequest):
        def check(self) -> None:
            if (path / "order").exists() and len((path / "order").read_text().split()) == 2:
                lease.release()

    assert bake_with_solver(path, 2, stop=Stop())[0]["frames"] == 2 * FRAMES
    order = (path / "order").read_text().split()
    assert order == ["record:take_001", "record:take_000", "body", "take_001", "take_000"]


def test_recording_and_simulating_may_each_crash_once(tmp_path):
    assert bake_with_solver(tmp_path / "d", 1, record_take_000=1, take_000=1)[0]["frames"] == FRAMES
    order = (tmp_path / "d" / "order").read_text().split()
    assert order == ["body", "record:take_000", "record:take_000", "take_000", "take_000"]


def test_a_solver_that_crashes_again_is_reported_with_its_own_log(tmp_path):
    with pytest.raises(Problem, match=r"3\.jsonl") as raised:
        bake_with_solver(tmp_path / "d", 1, take_000=3)
    assert raised.value.code == "bake_crashed"
    left = tmp_path / "d" / "bake" / "take_000"
    assert (left / "3.jsonl").is_file() and not (left / "3" / "simulation.jsonl").exists()
    assert "result" in (left / "3" / "blender.jsonl").read_text()  # of the recording, which went well


def test_a_recorder_that_leaves_no_tracks_is_not_asked_for_ever(tmp_path):
    with pytest.raises(Problem) as raised:
        bake_with_solver(tmp_path / "d", 1, "forgets")
    assert raised.value.code == "bake_crashed"


def test_a_body_that_cannot_be_made_ends_the_bake_before_blender_is_started(tmp_path):
    with pytest.raises(Problem) as raised:
        bake_with_solver(tmp_path / "d", 2, "refuses")
    assert raised.value.code == "dataset_missing"
    assert (tmp_path / "d" / "order").read_text().split() == ["body"]


def test_a_stop_does_not_wait_for_a_body_that_hears_nothing(tmp_path):
    path = tmp_path / "d"

    class Stop(StopRequest):
        def asked(self) -> bool:
            return (path / "order").exists()

    began = time.monotonic()
    with pytest.raises(Problem) as raised:
        bake_with_solver(path, 1, "fills for ever", stop=Stop())
    assert raised.value.code == "stopped" and time.monotonic() - began < 60.0
    (log,) = path.glob("bake/body/*/body.jsonl")
    assert not is_written(log)
