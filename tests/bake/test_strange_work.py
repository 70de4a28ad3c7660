"""What several computers bake lies in a folder where others may write: what that cannot do."""

from __future__ import annotations

import argparse
import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic

from neural_physics.baking import handing_over, workers
from neural_physics.baking.choice import _least_sure, candidates, choose, open_takes, read_scores, write_guide
from neural_physics.baking.finishing import finish
from neural_physics.baking.gathering import states
from neural_physics.baking.handing_over import gather
from neural_physics.baking.plan import BakePlan, PlannedTake, check_own_folders, plan_takes
from neural_physics.baking.programs import Programs
from neural_physics.baking.work import Work
from neural_physics.baking.workers import number_of_takes
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.status import dataset_status
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs import leases
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.process import JobFiles, JobProcess

FRAMES, THERE = 9, 5
# What says that a take may be gone on with, of no matter which computer.
LET_GO = json.dumps({"released": True})


def prepared(folder, count=1, **more):
    """The plan of a bake of so many takes."""
    synthetic.make_dataset(folder, (), points=3)
    plan = BakePlan(folder, "Sheet", "Scene", "Layer", takes=plan_takes({}, count, FRAMES, 0), **more)
    plan.write()
    return plan


def begin(folder):
    """The take with some of its frames, where nobody goes on with it yet."""
    dataset = Dataset.open(folder)
    with dataset.writer("take_000", TakeInfo(FRAMES)) as writer:
        for _ in range(THERE):
            writer.append(dataset.mesh.rest_positions, [0.0, 0.0, 0.0])


def files_in(folder):
    """What is in each file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def silent(event):
    """Nothing listens."""


def work(plan):
    """What the command `work` does, with a program that makes nothing."""
    there = BakePlan.of_dataset(plan.dataset)
    Work(there, Programs(("false",), makes="this kind"), silent, StopRequest()).run()


def end(plan):
    """What the command `finish` does."""
    finish(BakePlan.of_dataset(plan.dataset), silent, StopRequest())


def take_in(plan):
    """What Bake and Train do with takes that are under way."""
    check_own_folders(plan.dataset)
    gather(Dataset.open(plan.dataset), ["take_000"])


LINKS = {
    "takes": "takes",
    "takes/take_000": "takes/take_000",
    "bake": "bake",
    "bake/take_000": "",
    "bake/take_000/7": "",
    "bake/take_000/7/takes": "takes",
    "bake/take_000/7/takes/take_000": "takes/take_000",
}


@pytest.mark.parametrize("act", [work, end, take_in])
@pytest.mark.parametrize("place", LINKS)
def test_no_take_is_moved_deleted_or_written_through_a_link(place, act, tmp_path):
    """Such as one to the artist's other dataset, whose take was moved away, gone on with, or deleted."""
    other = prepared(tmp_path / "other").dataset
    begin(other)
    plan = prepared(tmp_path / "theirs")
    link = plan.dataset / place
    if place == "bake":
        (other / "bake" / "bake.json").write_bytes(plan.path.read_bytes())
        shutil.rmtree(link)
    elif place != "bake/take_000":
        (plan.folder / "take_000" / "7").mkdir(parents=True)
        (plan.folder / "take_000" / "holder_000001.json").write_text(LET_GO)
        (plan.folder / "take_000" / "7" / "made_by").write_text("another kind")
    if link.is_dir():
        shutil.rmtree(link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(other / LINKS[place])
    before = files_in(other)
    with pytest.raises(Problem) as raised:
        act(plan)
    assert raised.value.code == "place_is_link"
    assert files_in(other) == before


OF_A_TAKE = ("tracks.npz", "state.npz", "take.blend", "made_by", "takes/take_000/body.pc2", "takes/else")


@pytest.mark.parametrize("act", [work, end, take_in])
@pytest.mark.parametrize("kind", ["undisturbed", "handed in"])
@pytest.mark.parametrize("name", OF_A_TAKE)
def test_nothing_of_a_begun_take_is_gone_on_with_through_a_link(name, kind, act, tmp_path):
    """The tracks of a private dataset came into one that is sent back."""
    private = tmp_path / "private"
    private.write_bytes(b"nobody else's")
    plan = prepared(tmp_path / "theirs")
    begin(plan.dataset)
    holder = plan.folder / "take_000" / "1"
    (holder / "takes").mkdir(parents=True)
    (holder.parent / "holder_000001.json").write_text(LET_GO)
    handed_in = plan.dataset / "takes" / "take_000"
    if kind == "undisturbed":
        handed_in.rename(holder / "takes" / "take_000")
    place = holder / name
    if kind == "handed in" and name.startswith("takes/take_000"):
        place = handed_in / place.name
    place.symlink_to(private)
    with pytest.raises(Problem) as raised:
        act(plan)
    assert raised.value.code == "place_is_link" and place.name in raised.value.message
    assert private.read_bytes() == b"nobody else's"
    landed = [path for path in plan.dataset.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not any(path.read_bytes() == b"nobody else's" for path in landed)


@pytest.mark.parametrize("name", ["a\\b", "/".join(["d" * 180] * 4)], ids=["backslash", "long"])
@pytest.mark.parametrize("act", [work, end])
def test_no_take_is_baked_where_blender_means_another_place(name, act, tmp_path):
    """A prepared dataset was moved there: Blender would save its scenes, and their caches, beside that."""
    plan, moved = prepared(tmp_path / "theirs"), tmp_path / name
    moved.parent.mkdir(parents=True, exist_ok=True)
    plan.dataset.rename(moved)
    before = files_in(moved)
    with pytest.raises(Problem) as raised:
        act(replace(plan, dataset=moved))
    assert raised.value.code == "place_not_blenders"
    assert files_in(moved) == before


def test_no_take_is_handed_in_among_somebodys_own_files(tmp_path):
    """A folder that is no take, which a link leads to: files of the same names were replaced in it."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "positions.pc2").write_text("somebody's own")
    plan = prepared(tmp_path / "theirs")
    begin(plan.dataset)
    holder = plan.folder / "take_000" / "1"
    (holder / "takes").mkdir(parents=True)
    (plan.dataset / "takes" / "take_000").rename(holder / "takes" / "take_000")
    (holder.parent / "holder_000001.json").write_text(LET_GO)
    (plan.dataset / "takes" / "take_000").symlink_to(own)
    with pytest.raises(Problem, match="is a link"):
        end(plan)
    assert [path.name for path in own.iterdir()] == ["positions.pc2"]
    assert (own / "positions.pc2").read_text() == "somebody's own"


@pytest.mark.parametrize("where", ["bake", "bake/take_000"])
def test_a_folder_of_countless_files_is_not_looked_through(where, tmp_path):
    plan = prepared(tmp_path / "d")
    folder = plan.dataset / where
    folder.mkdir(exist_ok=True)
    for number in range(10_001):
        (folder / f"{number}.failed").touch()
    for look in (work, end, lambda plan: states(BakePlan.of_dataset(plan.dataset))):
        with pytest.raises(Problem, match="more than 10,000 files") as raised:
            look(plan)
        assert raised.value.code == "dataset_damaged"
    assert dataset_status(plan.dataset).trouble.code == "dataset_damaged"


def test_countless_scores_of_motions_are_not_read(tmp_path):
    plan = prepared(tmp_path / "d", motions=8)
    folder = plan.folder / "choice" / "1"
    folder.mkdir(parents=True)
    for number in range(10_001):
        (folder / f"choice_{number}.scores").touch()
    for look in (read_scores, lambda plan: write_guide(plan, b"another model")):
        with pytest.raises(Problem, match="more than 10,000 files") as raised:
            look(plan)
        assert raised.value.code == "dataset_damaged"


def test_of_countless_failures_a_few_are_read(tmp_path):
    plan = prepared(tmp_path / "d")
    (plan.folder / "take_000").mkdir()
    for number in range(1000):
        (plan.folder / "take_000" / f"{number}.failed").write_text("{}")
    (state,) = states(plan)
    assert state.phase == "set aside" and len(state.failures) <= 10


def test_folders_within_folders_without_end_are_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "PATIENCE", 2.0)  # until its silent holder is taken for gone
    plan = prepared(tmp_path / "d")
    holder = plan.folder / "take_000" / "1"
    holder.mkdir(parents=True)
    here = Path.cwd()
    try:
        os.chdir(holder)
        for _ in range(1200):
            Path("f").mkdir()
            os.chdir("f")
    finally:
        os.chdir(here)
    try:
        if sys.version_info < (3, 13):  # later ones delete what is that deep
            with pytest.raises(Problem, match="too many deep"):
                work(plan)
        holder.rename(holder.with_name("7"))
        with pytest.raises(Problem, match=r"too many deep|too long"):
            work(plan)
    finally:
        subprocess.run(["rm", "-rf", str(plan.dataset)], check=True)  # pytest could not


def test_what_fills_the_disk_when_a_take_is_taken_over_is_deleted_again(tmp_path, monkeypatch):
    """A file with holes may claim more than the disk has, and whoever tries again would fill it again."""

    def copy(folder, target, **about):
        target.mkdir()
        (target / "positions.pc2").write_bytes(b"0" * 1000)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(handing_over, "copy_living_folder", copy)
    plan = prepared(tmp_path / "d")
    (plan.folder / "take_000" / "7" / "takes").mkdir(parents=True)
    with pytest.raises(Problem) as raised:
        work(plan)
    assert raised.value.code == "disk_full"
    assert {path.name for path in (plan.folder / "take_000").iterdir()} == {"7", "holder_000001.json"}


def test_motions_of_which_nothing_was_found_are_not_chosen_from(tmp_path):
    """Somebody else's file of scores, or another computer that has begun a take meanwhile."""
    plan = prepared(tmp_path / "d", motions=8)
    (plan.folder / "choice_0_of_1.scores").write_text('{"1": NaN, "2": 1e400, "3": -1}')
    says = "import json; print(json.dumps({'event': 'result', 'done': 1}))"
    chosen = choose(plan, Programs((sys.executable, "-c", says)), silent, StopRequest())
    assert chosen.takes == plan.takes and "could not be chosen" in chosen.notes[-1]


class StopsLater(StopRequest):
    """Asked to stop at the look after so many."""

    def __init__(self, looks):
        super().__init__()
        self._looks = looks

    def asked(self):
        self._looks -= 1
        return self._looks < 0


def test_a_choice_among_motions_without_end_is_stopped_before_they_are_drawn(tmp_path):
    """No worker was started yet, nor was the last of the takes looked at."""
    plan = prepared(tmp_path / "d", count=50, motions=100)
    programs = Programs((sys.executable, "-c", f"open({str(tmp_path / 'began')!r}, 'w')"))
    with pytest.raises(Problem) as caught:
        choose(plan, programs, silent, StopsLater(20))
    assert caught.value.code == "stopped" and not (tmp_path / "began").exists()


def test_choosing_among_many_motions_does_not_compare_each_with_each(tmp_path, monkeypatch):
    """With 5,000 takes and 100 motions for each, which a plan may have, it never came to an end."""
    plan = prepared(tmp_path / "d", count=100, motions=20)
    compared = []
    same = PlannedTake.__eq__
    monkeypatch.setattr(PlannedTake, "__eq__", lambda a, b: compared.append(1) or same(a, b))
    asked = candidates(plan)
    scores = {take.seed: float(number % 7) for number, take in enumerate(asked)}
    picked = _least_sure(plan, asked, scores)
    assert len(compared) < len(asked) == 1600
    monkeypatch.undo()
    most = sorted(asked, key=lambda take: -scores[take.seed])[: len(open_takes(plan))]
    assert picked == [take for take in asked if take in most]


NEVER_LOOKS = """
import sys, time
from pathlib import Path
time.sleep(20)
Path(sys.argv[1]).touch()
"""


def test_a_process_that_never_looks_whether_it_is_to_stop_is_ended(tmp_path, monkeypatch):
    """As one that a scene of somebody else's keeps busy: `work` waited for it for ever, after Ctrl-C, too."""
    monkeypatch.setattr(workers, "PATIENCE", 0.3)
    busy = JobProcess(JobFiles(tmp_path / "job", "blender"))
    busy.start([sys.executable, "-c", NEVER_LOOKS, str(tmp_path / "went on")], os.environ)
    workers.end([busy])
    assert busy.state.phase == "stopped" and not (tmp_path / "went on").exists()


@pytest.mark.parametrize("text", ["-1", "two", "1.5", "\u0663", "9" * 5000, ""])
def test_what_is_no_number_of_takes_is_no_bake_without_end(text):
    """With -1 at a time, it waited for ever for one of them to end."""
    with pytest.raises(argparse.ArgumentTypeError):
        number_of_takes(text)
    assert number_of_takes("12") == 12
