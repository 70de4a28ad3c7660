"""A dataset folder whose files are pipes or links: nothing waits, and nothing is written anywhere else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import synthetic

from neural_physics.baking.plan import BakePlan, PlannedTake, check_own_folders
from neural_physics.baking.watching import Watch
from neural_physics.datasets import status, take_writer, takes
from neural_physics.datasets.dataset_info import MOST_FRAMES, DatasetInfo, Exclusion, TakeInfo
from neural_physics.datasets.status import dataset_status, forget
from neural_physics.datasets.takes import Dataset, Take, is_there
from neural_physics.errors import Problem
from neural_physics.jobs import process
from neural_physics.jobs.events import parse_event
from neural_physics.jobs.process import JobFiles, JobProcess


@pytest.fixture
def dataset(tmp_path):
    mesh = synthetic.sheet_mesh(4)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, channels=synthetic.LAYOUT)
    dataset = Dataset.create(tmp_path / "dataset", info, mesh)
    with dataset.writer("take_000", TakeInfo(4)) as writer:
        for _ in range(2):
            writer.append(np.ones((16, 3)), np.zeros(3))
    return dataset


@pytest.fixture
def elsewhere(tmp_path):
    """A folder that nobody has named, and what it holds."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("positions.pc2", "interaction.npy", "take.json", "bake.json", "train.jsonl"):
        (folder / name).write_text(f"{name} of somebody's own")
    yield folder
    for path in folder.iterdir():
        assert path.read_text() == f"{path.name} of somebody's own"


@pytest.mark.parametrize(
    "name", ["dataset.json", "mesh.npz", "body.npz", "take.json", "positions.pc2", "interaction.npy"]
)
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_is_not_waited_for(dataset, name, kind):
    of_take = name in ("take.json", "positions.pc2", "interaction.npy")
    path = dataset.path / "takes" / "take_000" / name if of_take else dataset.path / name
    path.unlink(missing_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    if name in ("dataset.json", "body.npz", "take.json"):  # then as good as absent
        try:
            takes = Dataset.open(dataset.path).takes()
        except Problem as problem:
            assert problem.code == ("place_is_link" if kind == "endless" else "dataset_missing")
            return
        assert kind == "pipe" and [len(take.positions) for take in takes] == ([] if of_take else [2])
        return
    with pytest.raises(Problem, match=r"not a file|not a PC2|a link") as raised:
        Dataset.open(dataset.path).takes()
    assert raised.value.code in {"pipe": ("dataset_damaged", "cache_not_pc2")}.get(kind, ("place_is_link",))


@pytest.mark.parametrize(
    "name", ["dataset.json", "mesh.npz", "takes", "take_000", "positions.pc2", "interaction.npy"]
)
def test_nothing_is_read_through_a_link_within_a_dataset(dataset, tmp_path, name):
    """Else what somebody else may not read is learned, and copied into the report of an evaluation."""
    private = tmp_path / "private"
    shutil.copytree(dataset.path, private)
    places = {"takes": "takes", "take_000": "takes/take_000"}
    of_take = name in ("positions.pc2", "interaction.npy")
    place = places.get(name, f"takes/take_000/{name}" if of_take else name)
    found = dataset.path / place
    shutil.rmtree(found) if found.is_dir() else found.unlink()
    found.symlink_to(private / place)
    with pytest.raises(Problem) as raised:
        Dataset.open(dataset.path).takes()
    assert raised.value.code == "place_is_link" and str(found) in raised.value.message


@pytest.fixture
def asked(monkeypatch):
    """What the system was asked for through links, from now on."""
    found, stat, scandir, opens = [], os.stat, os.scandir, os.open

    def note(path):
        if isinstance(path, str | os.PathLike) and "server/share" in os.path.realpath(path):
            found.append(str(path))

    def stat_noted(path, *args, follow_symlinks=True, **more):
        if follow_symlinks:
            note(path)
        return stat(path, *args, follow_symlinks=follow_symlinks, **more)

    monkeypatch.setattr(os, "stat", stat_noted)
    monkeypatch.setattr(os, "scandir", lambda path: note(path) or scandir(path))
    monkeypatch.setattr(os, "open", lambda path, *args, **more: note(path) or opens(path, *args, **more))
    return found


IN_A_TAKE = ("take.json", "positions.pc2", "interaction.npy")
IN_A_DATASET = ("dataset.json", "mesh.npz", "body.npz", "pace.json", "takes", "takes/take_000", "bake")
BEGUN = "bake/take_001/1/takes/take_001"
LOOKED_AT = [
    *IN_A_DATASET,
    *("bake/take_001", "bake/take_001/1", "bake/take_001/1/takes", BEGUN),
    *(f"{take}/{name}" for take in ("takes/take_000", BEGUN) for name in (*IN_A_TAKE, "frames.npy")),
]


@pytest.mark.parametrize("there", [True, False], ids=["there", "gone"])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_panel_does_not_look_where_a_link_within_a_dataset_leads(dataset, tmp_path, asked, name, there):
    """On Windows that would tell a stranger's server who draws it, without a click."""
    begun = dataset.path / BEGUN
    shutil.copytree(dataset.path / "takes" / "take_000", begun)
    place, server = dataset.path / name, tmp_path / "server" / "share"
    server.parent.mkdir()
    if place.exists() and there:
        place.rename(server)
    elif place.exists():
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(server)
    asked.clear()
    forget()
    found = dataset_status(dataset.path)
    is_there(dataset.path)
    assert asked == []
    if name == "pace.json":
        assert found.trouble is None and found.seconds_per_frame == 0.0
    elif name.startswith(f"{BEGUN}/") and not name.endswith("take.json"):  # as one that was just handed in
        assert found.trouble is None and found.takes == 1
    else:
        assert found.trouble.code == "place_is_link" and str(place) in found.trouble.message


WATCHED = ["", "/bake.json", "/take_001", "/take_001/1.failed", "/take_001/holder_000001.json", "/take_001/1"]


@pytest.mark.parametrize("name", WATCHED)
def test_what_watches_a_bake_does_not_look_there_either(dataset, tmp_path, asked, name):
    """Nor where the link came after the plan was read."""
    plan = BakePlan(dataset.path, "Sheet", "Scene", "Layer", (PlannedTake("take_001", 4, 0, "training"),))
    plan.write()
    watch = Watch(dataset.path)
    assert len(watch.look().takes) == 1
    place, server = dataset.path / f"bake{name}", tmp_path / "server" / "share"
    server.parent.mkdir()
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(server)
    place.symlink_to(server)
    asked.clear()
    for look in (watch.look, Watch(dataset.path).look):
        look()
    assert asked == []


@pytest.mark.parametrize("there", [True, False], ids=["there", "gone"])
@pytest.mark.parametrize("name", ["", "/train.json", "/train.jsonl", "/train.stop"])
def test_who_shows_a_job_does_not_look_through_its_links(dataset, tmp_path, asked, name, there):
    files, server = JobFiles(dataset.path / "jobs", "train"), tmp_path / "server" / "share"
    files.folder.mkdir()
    files.about.write_text(json.dumps({"pid": 1, "host": "", "argv": ["train"], "delivered": False}))
    files.log.write_text('{"event": "result", "take": "take_000"}\n')
    files.stop.touch()
    place = Path(f"{files.folder}{name}")
    server.parent.mkdir()
    place.rename(server if there else tmp_path / "was_there")
    place.symlink_to(server)
    asked.clear()
    JobProcess(files).poll()
    assert asked == []


def test_looking_at_many_takes_asks_little_of_the_system(dataset, monkeypatch):
    """Each second, while a panel is drawn: of 5,000 takes."""
    for number in range(1, 20):
        shutil.copytree(dataset.path / "takes" / "take_000", dataset.path / "takes" / f"take_{number:03d}")
    dataset_status(dataset.path)
    asked, lstat = [], os.lstat
    monkeypatch.setattr(os, "lstat", lambda path, **more: asked.append(path) or lstat(path, **more))
    status._stamp(dataset.path)
    assert len(asked) <= 20 * (len(status.READ) + 1) + 10


def test_a_dataset_may_lie_behind_a_link_that_somebody_named(dataset, tmp_path):
    named = tmp_path / "named"
    named.symlink_to(dataset.path)
    assert len(Dataset.open(named).takes()) == 1


@pytest.mark.parametrize("name", ["takes", "take_000", "positions.pc2", "interaction.npy"])
def test_a_take_does_not_go_on_through_a_link(dataset, elsewhere, name):
    take = dataset.path / "takes" / "take_000"
    place = {"takes": take.parent, "take_000": take}.get(name, take / name)
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(elsewhere / name if "." in name else elsewhere)
    with pytest.raises(Problem) as raised:
        dataset.writer("take_000", TakeInfo(4))
    assert raised.value.code == "place_is_link"


@pytest.mark.parametrize("name", ["positions.pc2", "interaction.npy"])
@pytest.mark.parametrize("kind", ["second name", "pipe"])
def test_a_take_does_not_go_on_in_a_file_that_is_somebody_elses(dataset, elsewhere, name, kind):
    place = dataset.path / "takes" / "take_000" / name
    place.unlink()
    place.hardlink_to(elsewhere / name) if kind == "second name" else os.mkfifo(place)
    with pytest.raises(Problem) as raised:
        dataset.writer("take_000", TakeInfo(4))
    assert raised.value.code == "place_not_own_file"


def test_neither_a_plan_nor_a_job_is_written_through_a_link(dataset, elsewhere):
    for name in ("bake", "jobs"):
        (dataset.path / name).symlink_to(elsewhere)
    plan = BakePlan(dataset.path, "Sheet", "Scene", "ViewLayer", (PlannedTake("a", 1, 2, "test"),))
    job = JobProcess(JobFiles(dataset.path / "jobs", "train"))
    for write in (plan.write, lambda: job.start(["false"], {}), lambda: check_own_folders(dataset.path)):
        with pytest.raises(Problem) as raised:
            write()
        assert raised.value.code == "place_is_link"


def test_a_log_without_end_is_not_read_to_it(tmp_path, monkeypatch):
    """Its beginning is passed over; how it ended is in its last line."""
    monkeypatch.setattr(process, "MOST_READ", 1000)
    monkeypatch.setattr(process, "LONGEST_LINE", 500)
    files = JobFiles(tmp_path, "train")
    files.about.write_text("{}")
    files.log.write_text('{"event": "log", "text": "much"}\n' * 1000 + '{"event": "result", "model": "m"}\n')
    job = JobProcess(files)
    assert job.state.phase == "finished" and job.state.result["model"] == "m"


@pytest.mark.parametrize("line", ["1", "", "a\r" * 10, '{"event": "log", "text": "much"}'])
def test_of_a_log_of_countless_lines_the_last_ones_are_followed(tmp_path, monkeypatch, line):
    """Each takes microseconds, and a panel waits for all of them."""
    monkeypatch.setattr(process, "MOST_LINES", 50)
    looked = []
    files = JobFiles(tmp_path, "train")
    files.about.write_text("{}")
    files.log.write_text(f"{line}\n" * 1000 + '{"event": "result", "model": "m"}\n')
    monkeypatch.setattr(process, "parse_event", lambda said: looked.append(said) or parse_event(said))
    job = JobProcess(files)
    assert job.state.phase == "finished" and job.state.result["model"] == "m" and len(looked) <= 51


def test_a_file_with_holes_costs_no_memory_to_look_at(dataset):
    """A few kilobytes that say they are a billion frames."""
    take = dataset.path / "takes" / "take_000"
    for name, frame in (("positions.pc2", 16 * 12), ("interaction.npy", 3 * 4)):
        os.truncate(take / name, (1 << 30) * frame)
    forget()
    tracemalloc.start()
    found = dataset_status(dataset.path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.frames == pytest.approx(1 << 30, rel=1e-6) and found.excluded == 0 and peak < 1 << 26


def claim(dataset, rows):
    """Let a begun take have room for so many frames, of which none beyond its own was written."""
    take = dataset.path / "takes" / "take_000"
    for name, header, frame in (("positions.pc2", 32, 16 * 12), ("interaction.npy", 128, 3 * 4)):
        os.truncate(take / name, header + rows * frame)
    return take


def test_frames_that_were_not_written_are_dropped_many_at_a_time(dataset, monkeypatch):
    claim(dataset, 100_000)
    looked, written = [], take_writer.TakeWriter._written
    monkeypatch.setattr(
        take_writer.TakeWriter, "_written", lambda *args: looked.append(args) or written(*args)
    )
    with dataset.writer("take_000", TakeInfo(4)) as writer:
        assert writer.count == 2
    assert len(looked) <= 3
    assert np.array_equal(dataset.take("take_000").positions, np.ones((2, 16, 3)))


@pytest.mark.parametrize("rows", [MOST_FRAMES + 1, 3000])
def test_more_room_for_frames_than_can_be_is_not_gone_through(dataset, rows, monkeypatch):
    monkeypatch.setattr(take_writer, "BLOCK", 1 << 16)
    monkeypatch.setattr(take_writer, "MOST_BLANK", 1 << 18)
    take = claim(dataset, rows)
    before = (take / "positions.pc2").stat().st_size
    with pytest.raises(Problem) as caught:
        dataset.writer("take_000", TakeInfo(4))
    assert caught.value.code == "dataset_damaged"
    assert (take / "positions.pc2").stat().st_size == before


@pytest.mark.parametrize(
    ("excluded", "usable"),
    [
        ([], [(0, 10)]),
        ([(0, 9)], []),
        ([(3, 4), (2, 3)], [(0, 2), (5, 10)]),
        ([(8, 99)], [(0, 8)]),
        ([(50, 60)], [(0, 10)]),
        ([(0, 0), (5, 5), (2, 8)], [(1, 2), (9, 10)]),
    ],
)
def test_what_is_not_excluded_is_learned_from(excluded, usable):
    runs = tuple(Exclusion(first, last, "") for first, last in excluded)
    take = Take("a", TakeInfo(10, excluded=runs), np.zeros((10, 1, 3)), np.zeros((10, 1)), frames=None)
    assert take.segments() == usable


def test_a_dataset_of_more_takes_than_anybody_bakes_is_not_looked_through(dataset, monkeypatch):
    for module in (takes, status):
        monkeypatch.setattr(module, "MOST_TAKES", 3)
    for number in range(1, 4):
        (dataset.path / "takes" / f"take_{number:03d}").mkdir()
    forget()
    assert dataset_status(dataset.path).trouble.code == "dataset_damaged"
    with pytest.raises(Problem, match="more than 3 takes"):
        Dataset.open(dataset.path).takes()


@pytest.mark.parametrize("begun", [False, True])
def test_takes_that_say_more_than_anybody_reads_are_not_read(dataset, monkeypatch, begun):
    """Each within its own limit, and all the same file: 5,000 such took minutes, at each look."""
    if begun:
        shutil.copytree(dataset.path / "takes" / "take_000", dataset.path / BEGUN)
    said = sum(path.stat().st_size for path in dataset.path.glob("takes/*/take.json"))
    monkeypatch.setattr(takes, "LARGEST_SAID", said - 1)
    forget()
    assert dataset_status(dataset.path).trouble.code == "dataset_damaged"
    with pytest.raises(Problem, match="say more than"):
        Dataset.open(dataset.path).outlines()
    monkeypatch.setattr(takes, "LARGEST_SAID", said)
    forget()
    assert dataset_status(dataset.path).takes == 1 + begun


@pytest.mark.parametrize("name", ["takes", "bake", "bake/take_000", "body.npz", "dataset.json"])
def test_a_link_to_itself_in_a_dataset_is_told_as_such(dataset, name):
    place = dataset.path / name
    shutil.rmtree(place, ignore_errors=True)
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(place.name)
    forget()
    trouble = dataset_status(dataset.path).trouble
    assert trouble.code == "place_is_link" and str(place) in trouble.message
    place.unlink()
    if name in ("bake", "body.npz"):
        forget()
        assert dataset_status(dataset.path).trouble is None


def test_a_dataset_of_a_name_that_no_disk_has_is_told_as_such(tmp_path):
    forget()
    assert dataset_status(tmp_path / ("a" * 300)).trouble.code == "place_not_readable"


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="only root without its rights is refused")
@pytest.mark.parametrize("name", ["", "takes", "takes/take_000"])
def test_a_folder_that_nobody_may_read_is_told_as_such(dataset, name):
    place = dataset.path / name
    place.chmod(0)
    said = f"""
from pathlib import Path
from neural_physics.datasets.status import dataset_status
print(dataset_status(Path({str(dataset.path)!r})).trouble.message)
"""
    rights = "-dac_override,-dac_read_search"
    without = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"] if os.geteuid() == 0 else []
    try:
        asked = subprocess.run(
            [*without, sys.executable, "-c", said], check=False, capture_output=True, text=True
        )
    finally:
        place.chmod(0o700)
    assert "cannot be read (Permission denied)" in asked.stdout, asked.stderr


def test_a_folder_that_answers_slowly_is_asked_less_often(dataset, monkeypatch):
    """Panels ask whenever they are drawn, and wait for the answer."""
    now, asked, stamp = [0.0], [], status._stamp

    def slowly(path):
        now[0] += 0.5
        asked.append(now[0])
        return stamp(path)

    monkeypatch.setattr(status, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(status, "_stamp", slowly)
    forget()
    while now[0] < 100.0:
        assert dataset_status(dataset.path).takes == 1
        now[0] += 0.1
    assert len(asked) * 0.5 < 0.06 * 100.0
    (dataset.path / "takes" / "take_000" / "take.json").unlink()
    now[0] += 20.0
    assert dataset_status(dataset.path).takes == 0
    forget()


def test_a_line_without_end_is_no_event(tmp_path, monkeypatch):
    """What JSON becomes takes many times as much memory."""
    monkeypatch.setattr(process, "LONGEST_LINE", 1000)
    files = JobFiles(tmp_path, "train")
    files.about.write_text("{}")
    said = {"event": "progress", "stage": "a", "done": 1, "total": 2, "seconds_left": None}
    files.log.write_text(json.dumps({**said, "x": [0] * 1000}))
    assert JobProcess(files).state.stage == "Starting"


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("takes/take_000/take.json", {"excluded": [[0, 0, ""]] * 20_000}),
        ("takes/take_000/take.json", {"excluded": [[0, 0, "x" * 2_000_000]]}),
        ("takes/take_000/take.json", {"seed": {}}),
        ("dataset.json", {"provenance": {"made_with": [1]}}),
        ("dataset.json", {"provenance": {"made_with": 10**400}}),
    ],
)
def test_a_dataset_that_says_too_much_or_what_is_no_text_is_refused(dataset, file, change):
    path = dataset.path / file
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(Problem) as raised:
        Dataset.open(dataset.path).outlines()
    assert raised.value.code == "dataset_damaged"


def test_a_pace_that_no_float_can_be_is_not_known(dataset):
    (dataset.path / "pace.json").write_text(json.dumps({"seconds_per_frame": 10**400}))
    assert dataset_status(dataset.path).seconds_per_frame == 0.0
