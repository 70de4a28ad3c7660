"""Datasets on disk: no whole frame is lost, and what others wrote wrongly is refused with a reason."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import synthetic
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.datasets import take_writer, takes
from neural_physics.datasets.dataset_info import DatasetInfo, Exclusion, TakeInfo, check_info, read_take_info
from neural_physics.datasets.point_caches import PC2_HEADER
from neural_physics.datasets.rest_mesh import Mesh, read_mesh, write_mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout

ROOT = Path(__file__).resolve().parents[2]
FRAMED = "Rig/neck"  # a reference frame, so that all three files are written


def make(path: Path, reference_frame: str = "") -> Dataset:
    mesh = synthetic.sheet_mesh(4)
    info = DatasetInfo(
        "Sheet",
        mesh.topology(),
        mesh.vertex_count,
        24.0,
        channels=synthetic.LAYOUT,
        reference_frame=reference_frame,
    )
    return Dataset.create(path, info, mesh)


def frame(number: int, vertices: int = 16) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the writers below write as frame `number`: different for every frame."""
    rng = np.random.default_rng(number)
    return rng.normal(size=(vertices, 3)), rng.normal(size=3), rng.normal(size=(4, 4))


def assert_holds(dataset: Dataset, name: str, count: int) -> None:
    take = dataset.take(name)
    assert len(take.positions) == len(take.interaction) == len(take.frames) == count
    for number in range(count):
        positions, y, matrix = frame(number)
        assert np.array_equal(take.positions[number], positions.astype(np.float32))
        assert np.array_equal(take.interaction[number], y.astype(np.float32))
        assert np.array_equal(take.frames[number], matrix.astype(np.float32))


WRITER = """
import sys, time
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}, {tests!r} + "/.."]
from test_takes import frame
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.takes import Dataset
dataset = Dataset.open(Path({path!r}))
writer = dataset.writer("take_000", TakeInfo(100000))
print(writer.count, flush=True)
for number in range(writer.count, 100000):
    writer.append(*frame(number))
    print(number + 1, flush=True)
"""


def test_whatever_moment_the_writer_is_killed_at_every_frame_it_reported_is_there(tmp_path):
    dataset = make(tmp_path / "d", FRAMED)
    script = WRITER.format(root=str(ROOT), tests=str(Path(__file__).parent), path=str(dataset.path))
    rng, before = np.random.default_rng(8), 0
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        began_with = int(process.stdout.readline())
        assert began_with >= before, "frames that were whole before are gone"
        for _ in range(int(rng.integers(1, 90))):
            process.stdout.readline()
        time.sleep(rng.uniform(0, 0.002))
        process.send_signal(signal.SIGKILL)
        reported = [int(line) for line in process.communicate()[0].split()]
        found = len(dataset.take("take_000").positions)
        assert found >= max(reported, default=began_with)
        before = found
    assert_holds(dataset, "take_000", before)


@settings(max_examples=60, deadline=None)
@given(cuts=st.tuples(*[st.integers(0, 400)] * 3))
def test_torn_frames_are_dropped_wherever_each_file_was_cut_and_writing_goes_on(tmp_path_factory, cuts):
    path = tmp_path_factory.mktemp("cut")
    dataset = make(path / "d", FRAMED)
    with dataset.writer("take_000", TakeInfo(9)) as writer:
        for number in range(4):
            writer.append(*frame(number))
    for name, cut in zip(("positions.pc2", "interaction.npy", "frames.npy"), cuts, strict=True):
        file = dataset.path / "takes" / "take_000" / name
        os.truncate(file, max(0, file.stat().st_size - cut))
    with dataset.writer("take_000", TakeInfo(9)) as writer:
        assert writer.count <= 4
        lost = [-(-cut // size) for cut, size in zip(cuts, (16 * 12, 12, 64), strict=True)]
        assert writer.count == max(0, 4 - max(lost))
        for number in range(writer.count, 9):
            writer.append(*frame(number))
    assert_holds(dataset, "take_000", 9)
    assert dataset.take("take_000").info.complete
    shutil.rmtree(path)


def test_other_programs_see_all_frames_once_a_take_is_closed(tmp_path):
    """NumPy's own reader and the count in the PC2 header, not this library's view of the file size."""
    dataset = make(tmp_path / "d", FRAMED)
    with dataset.writer("take_000", TakeInfo(70)) as writer:
        for number in range(70):
            writer.append(*frame(number))
            if number == 65:  # past a checkpoint: what was on disk then is announced
                folder = writer.folder
                assert PC2_HEADER.unpack((folder / "positions.pc2").read_bytes()[:32])[5] == 64
                assert np.load(folder / "interaction.npy").shape == (64, 3)
    assert PC2_HEADER.unpack((folder / "positions.pc2").read_bytes()[:32])[5] == 70
    assert np.load(folder / "frames.npy").shape == (70, 16)
    assert np.array_equal(np.load(folder / "interaction.npy")[69], frame(69)[1].astype(np.float32))


LIMITED = """
import resource, signal, sys
sys.path[:0] = [{root!r}, {tests!r}, {tests!r} + "/.."]
from pathlib import Path
from test_takes import frame
from neural_physics.errors import Problem
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.takes import Dataset
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = Dataset.open(Path({path!r})).writer("take_000", TakeInfo(50))
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
try:
    for number in range(50):
        writer.append(*frame(number))
except Problem as problem:
    print(problem.code, writer.count)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system has no limit on file sizes")
def test_a_write_that_is_cut_short_by_the_system_is_reported_and_leaves_whole_frames(tmp_path):
    """The kernel writes half a frame and reports it as success; only the next write fails."""
    dataset = make(tmp_path / "d", FRAMED)
    limit = 32 + 10 * 16 * 12 + 77
    values = {
        "root": str(ROOT),
        "tests": str(Path(__file__).parent),
        "path": str(dataset.path),
        "limit": limit,
    }
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(**values)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["folder_not_writable", "10"]
    assert_holds(dataset, "take_000", 10)
    with dataset.writer("take_000", TakeInfo(12)) as writer:
        for number in range(writer.count, 12):
            writer.append(*frame(number))
    assert_holds(dataset, "take_000", 12)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with 300 kB."""
    place = tmp_path / "small"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(["mount", *options], check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_reported_and_the_take_keeps_whole_frames_and_can_be_resumed(small_disk):
    dataset = make(small_disk / "d", FRAMED)
    with pytest.raises(Problem) as raised, dataset.writer("take_000", TakeInfo(9000)) as writer:
        for number in range(9000):
            writer.append(*frame(number))
    assert raised.value.code == "disk_full"
    count = writer.count
    assert 500 < count < 1500
    assert_holds(dataset, "take_000", count)
    for name in ("positions.pc2", "interaction.npy", "frames.npy"):
        assert (writer.folder / name).is_file()
    subprocess.run(["mount", "-o", "remount,size=2m", str(small_disk)], check=True)
    with dataset.writer("take_000", TakeInfo(count + 5)) as writer:
        assert writer.count == count
        for number in range(count, count + 5):
            writer.append(*frame(number))
    assert_holds(dataset, "take_000", count + 5)
    assert dataset.take("take_000").info.complete


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Problem) as raised:
        make(tmp_path / "file" / "d")
    assert raised.value.code == "folder_not_writable"


def test_another_mesh_and_other_channels_do_not_get_into_a_dataset(tmp_path):
    dataset = make(tmp_path / "d")
    other_mesh = synthetic.sheet_mesh(5)
    with pytest.raises(Problem, match="different vertices or faces") as raised:
        Dataset.create(tmp_path / "d", replace(dataset.info, topology=other_mesh.topology()), other_mesh)
    assert raised.value.code == "dataset_other_object"
    foot = ChannelLayout((Channel("Foot", "position", 3),))
    with pytest.raises(Problem, match=r"\(Hand: .*\(Foot: ") as raised:
        Dataset.create(tmp_path / "d", replace(dataset.info, channels=foot), dataset.mesh)
    assert raised.value.code == "dataset_other_channels"
    with pytest.raises(Problem, match=r"\(Hand: position, 3 numbers\).*seen from Rig/neck") as raised:
        Dataset.create(tmp_path / "d", replace(dataset.info, reference_frame="Rig/neck"), dataset.mesh)
    assert raised.value.code == "dataset_other_channels"
    assert Dataset.create(tmp_path / "d", dataset.info, dataset.mesh).info == dataset.info


def test_the_hash_of_the_faces_sees_order_and_grouping_but_not_shape():
    mesh = synthetic.sheet_mesh(4)
    moved = replace(mesh, rest_positions=mesh.rest_positions + 1, pins=1 - mesh.pins)
    assert moved.topology() == mesh.topology()
    split = Mesh(mesh.rest_positions, mesh.corners, np.full(12, 3, np.int32), mesh.pins)
    assert split.topology() != mesh.topology()
    assert replace(mesh, corners=mesh.corners[::-1]).topology() != mesh.topology()


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=6))
def test_segments_are_the_longest_runs_without_an_excluded_frame(dataset, runs):
    take = dataset.take("take_000")
    excluded = tuple(Exclusion(first, first + more, "torn") for first, more in runs)
    segments = replace(take, info=replace(take.info, excluded=excluded)).segments()
    usable = [not any(e.first <= t <= e.last for e in excluded) for t in range(120)]
    covered = [any(start <= t < stop for start, stop in segments) for t in range(120)]
    assert covered == usable
    assert all(start < stop for start, stop in segments)
    assert all(a[1] < b[0] for a, b in pairwise(segments))


def test_a_status_and_the_takes_of_one_role_need_few_open_files(tmp_path):
    """Bound by the process's limit, which a thousand takes would be beyond."""
    dataset = make(tmp_path / "d", FRAMED)
    excluded = (Exclusion(1, 2, "torn"),)
    roles = ["validation", *["training"] * 29]
    for number, role in enumerate(roles):
        info = TakeInfo(4, role=role, excluded=excluded)
        with dataset.writer(f"take_{number:03d}", info) as writer:
            for count in range(4):
                writer.append(*frame(count))
    with (writer.folder / "frames.npy").open("ab") as file:
        file.write(b"torn")
    os.truncate(writer.folder / "interaction.npy", 128 + 3 * 12 + 5)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 12, before[1]))
    try:
        outlines, validation = dataset.outlines(), dataset.takes("validation")
        with pytest.raises(OSError):
            dataset.takes()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [take.name for take in validation] == ["take_000"]
    for outline, take in zip(outlines, dataset.takes(), strict=True):
        assert (outline.name, outline.info) == (take.name, take.info)
        assert outline.frame_count == len(take.positions) == (3 if take.name == "take_029" else 4)
        assert outline.usable_frames == take.usable_frames == len(take.positions) - 2


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A dataset of one take with all three files."""
    dataset = make(tmp_path_factory.mktemp("bytes") / "d", FRAMED)
    with dataset.writer("take_000", TakeInfo(3)) as writer:
        for number in range(3):
            writer.append(*frame(number))
    return dataset.path


@given(st.integers(0, 200), st.binary(min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_a_dataset_with_changed_bytes_opens_or_is_refused_and_never_crashes(written, where, change):
    for file in (path for path in written.rglob("*") if path.is_file()):
        whole = file.read_bytes()
        damaged = bytearray(whole)
        at = where * len(whole) // 200
        damaged[at : at + len(change)] = change
        file.write_bytes(damaged)
        try:
            for take in Dataset.open(written).takes():
                take.segments()
        except Problem as problem:
            assert str(written) in problem.message
        finally:
            file.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema": 2}, "dataset_newer"),
        ({"fps": 0}, "dataset_damaged"),
        ({"fps": float("nan")}, "dataset_damaged"),
        ({"fps": "24"}, "dataset_damaged"),
        ({"vertex_count": 17}, "dataset_damaged"),
        ({"vertex_count": 16.5}, "dataset_damaged"),
        ({"topology": "0" * 32}, "dataset_damaged"),
        ({"channels": []}, "dataset_damaged"),
        ({"channels": [{"name": "Hand", "kind": "position", "size": 4}]}, "dataset_damaged"),
        ({"channels": [{"name": "Hand", "kind": "smell", "size": 3}]}, "dataset_damaged"),
        ({"gravity": [0, 0]}, "dataset_damaged"),
        ({"colliders": {"Ball": 1.0}}, "dataset_damaged"),
        ({"colliders": {"Hand": -1.0}}, "dataset_damaged"),
        ({"colliders": {"Hand": float("inf")}}, "dataset_damaged"),
        ({"colliders": []}, "dataset_damaged"),
        ({"colliders": ""}, "dataset_damaged"),
        ({"provenance": 3}, "dataset_damaged"),
        ({"gravity": [0, 0, float("nan")]}, "dataset_damaged"),
        ({"gravity": [0, 0, 10**400]}, "dataset_damaged"),
        ({"unknown": 1}, "dataset_damaged"),
    ],
)
def test_invalid_values_in_dataset_json_are_refused(tmp_path, change, code):
    path = make(tmp_path / "d").path
    item = json.loads((path / "dataset.json").read_text())
    (path / "dataset.json").write_text(json.dumps(item | change))
    with pytest.raises(Problem) as raised:
        Dataset.open(path)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema": 2}, "dataset_newer"),
        ({"role": "trainig"}, "dataset_damaged"),
        ({"kind": "slow"}, "dataset_damaged"),
        ({"frames": "12"}, "dataset_damaged"),
        ({"excluded": [[5, 2, "torn"]]}, "dataset_damaged"),
        ({"excluded": [[-5, 2, "torn"]]}, "dataset_damaged"),
        ({"excluded": [[5]]}, "dataset_damaged"),
        ({"excluded": [[float("inf"), 2, "x"]]}, "dataset_damaged"),
    ],
)
def test_invalid_values_in_take_json_are_refused(tmp_path, change, code):
    dataset = make(tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(1)) as writer:
        writer.append(*frame(0)[:2])
    item = json.loads((writer.folder / "take.json").read_text())
    (writer.folder / "take.json").write_text(json.dumps(item | change))
    with pytest.raises(Problem) as raised:
        read_take_info(writer.folder)
    assert raised.value.code == code


@pytest.mark.parametrize("name", ["dataset.json", "take.json"])
def test_json_nested_too_deeply_to_be_read_is_refused(tmp_path, name):
    dataset = make(tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(1)) as writer:
        writer.append(*frame(0)[:2])
    path = dataset.path / name if name == "dataset.json" else writer.folder / name
    path.write_text('{"a":' * 100_000)
    with pytest.raises(Problem) as raised:
        Dataset.open(dataset.path).takes()
    assert raised.value.code == "dataset_damaged"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fps": 0.0}, "fps"),
        ({"fps": float("nan")}, "fps"),
        ({"colliders": {"Han": 0.3}}, r"“Han” .*\(Hand\)"),
        ({"colliders": {"Hand": -1.0}}, "“Hand”"),
        ({"gravity": (0.0, 0.0, float("inf"))}, "gravity"),
    ],
)
def test_a_dataset_that_could_not_be_opened_is_not_made(tmp_path, change, said):
    mesh = synthetic.sheet_mesh(4)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, channels=synthetic.LAYOUT)
    with pytest.raises(Problem, match=said) as raised:
        Dataset.create(tmp_path / "d", replace(info, **change), mesh)
    assert raised.value.code == "dataset_settings_unusable" and not (tmp_path / "d").exists()


def test_a_mesh_whose_faces_name_missing_vertices_is_refused(tmp_path):
    mesh = synthetic.sheet_mesh(4)
    corners = mesh.corners.copy()
    corners[3] = 16
    wrong = replace(mesh, corners=corners)
    info = DatasetInfo("Sheet", wrong.topology(), 16, 24.0, channels=synthetic.LAYOUT)
    Dataset.create(tmp_path / "d", info, wrong)
    with pytest.raises(Problem, match="vertex indices"):
        Dataset.open(tmp_path / "d")


def test_a_take_that_was_left_by_an_error_is_not_complete_though_all_frames_are_there(tmp_path):
    dataset = make(tmp_path / "d", FRAMED)
    with pytest.raises(KeyboardInterrupt), dataset.writer("take_000", TakeInfo(3)) as writer:
        for number in range(3):
            writer.append(*frame(number))
        raise KeyboardInterrupt  # before its frames were checked
    assert len(dataset.take("take_000").positions) == 3
    assert not dataset.take("take_000").info.complete


def test_room_that_a_failing_power_left_at_the_end_is_no_frames(tmp_path):
    dataset = make(tmp_path / "d", FRAMED)
    with dataset.writer("take_000", TakeInfo(9)) as writer:
        for number in range(4):
            writer.append(*frame(number))
    for name, row in (("positions.pc2", 16 * 12), ("interaction.npy", 12), ("frames.npy", 64)):
        with (writer.folder / name).open("ab") as file:
            file.write(bytes(3 * row))
    with dataset.writer("take_000", TakeInfo(9)) as writer:
        assert writer.count == 4
        for number in range(4, 9):
            writer.append(*frame(number))
    assert_holds(dataset, "take_000", 9)


def test_checkpoints_and_what_is_replaced_wait_for_the_disk_itself(tmp_path, monkeypatch):
    """Recorded in the order of the calls: nothing takes a file's place, and no take is complete, before."""
    calls, sync, replace_file = [], os.fsync, Path.replace

    def recorded_sync(number):
        calls.append(Path(f"/proc/self/fd/{number}").readlink().name)
        sync(number)

    def recorded_replace(path, target):
        calls.append(f"-> {Path(target).name}")
        return replace_file(path, target)

    monkeypatch.setattr(os, "fsync", recorded_sync)
    monkeypatch.setattr(Path, "replace", recorded_replace)
    monkeypatch.setattr(take_writer, "SYNC_EVERY", 0.0)
    dataset = make(tmp_path / "d", FRAMED)
    json_at_last = ["dataset.json.new", "-> dataset.json"]
    assert calls == ["mesh.npz.new", "-> mesh.npz", *json_at_last]
    writer, files = (
        dataset.writer("take_000", TakeInfo(70)),
        ["positions.pc2", "interaction.npy", "frames.npy"],
    )
    calls.clear()
    for number in range(70):
        writer.append(*frame(number))
        assert calls == (files if number >= 63 else [])
    writer.close()
    assert calls == [*files, *files, "take.json.new", "-> take.json"]


def test_edges_are_those_of_the_faces_each_once():
    mesh = Mesh(
        np.zeros((5, 3), np.float32),
        np.array([0, 1, 2, 2, 1, 3, 4], np.int32),
        np.array([3, 4], np.int32),
        np.zeros(5, np.float32),
    )
    assert {tuple(edge) for edge in mesh.edges()} == {(0, 1), (1, 2), (0, 2), (1, 3), (3, 4), (2, 4)}


def test_loose_edges_are_kept_and_change_the_hash_and_older_meshes_have_none(tmp_path):
    faces = synthetic.sheet_mesh(4)
    hair = replace(faces, corners=faces.corners[:0], face_sizes=faces.face_sizes[:0])
    strands = replace(hair, loose_edges=np.array([[0, 1], [2, 1], [4, 5]], np.int32))
    assert strands.topology() != hair.topology()
    write_mesh(tmp_path / "mesh.npz", strands)
    assert read_mesh(tmp_path / "mesh.npz").edges().tolist() == [[0, 1], [1, 2], [4, 5]]
    write_mesh(tmp_path / "mesh.npz", faces)
    with np.load(tmp_path / "mesh.npz") as arrays:
        assert sorted(arrays) == ["corners", "face_sizes", "pins", "rest_positions"]
    assert read_mesh(tmp_path / "mesh.npz").topology() == faces.topology()
    write_mesh(tmp_path / "mesh.npz", replace(strands, loose_edges=np.array([[0, 16]], np.int32)))
    with pytest.raises(Problem, match="pairs of vertex indices"):
        read_mesh(tmp_path / "mesh.npz")


def test_a_mesh_whose_vertices_are_out_of_reach_is_refused(tmp_path, sheet_mesh):
    far = sheet_mesh.rest_positions.copy()
    far[3, 1] = 2e9
    write_mesh(tmp_path / "mesh.npz", replace(sheet_mesh, rest_positions=far))
    with pytest.raises(Problem, match=r"mesh\.npz"):
        read_mesh(tmp_path / "mesh.npz")


def test_the_runs_of_a_take_are_found_once_for_all_who_ask(monkeypatch):
    """A take may have thousands of exclusions, and a panel asks many times in a redraw."""
    info = replace(TakeInfo(frames=40), excluded=tuple(Exclusion(k, k, "torn") for k in range(1, 40, 2)))
    outline = takes.TakeOutline("a", info, 40)
    asked, own = [], takes._segments
    monkeypatch.setattr(takes, "_segments", lambda *given: asked.append(1) or own(*given))
    for _ in range(3):
        assert outline.usable_frames == len(outline.planned_runs) == 20
    assert len(asked) == 2


@pytest.mark.parametrize("at", ["exclude", "close"])
def test_a_take_that_was_taken_over_between_the_look_and_the_write_is_told_to_be(tmp_path, at):
    """And not that its folder cannot be written to: another computer has moved it away."""
    dataset = synthetic.make_dataset(tmp_path / "dataset", ("training",))
    mine = [True, True]

    def may_write():
        if not mine.pop():
            raise Problem("taken_over", path=dataset.path)

    writer = dataset.writer("take_009", TakeInfo(3), may_write=may_write)
    y = np.zeros(dataset.info.channels.size, np.float32)
    writer.append(dataset.mesh.rest_positions, y)
    mine[:] = [False, True]  # for the next write: then another one's
    writer.folder.rename(tmp_path / "another's")
    with pytest.raises(Problem) as caught:
        writer.close() if at == "close" else writer.exclude(())
    assert caught.value.code == "taken_over"


def test_no_more_balls_than_a_list_has_lines(tmp_path):
    info = make(tmp_path / "d").info
    names = [f"Ball {k}" for k in range(201)]
    layout = ChannelLayout(tuple(Channel(name, "position", 3) for name in names))
    check_info(replace(info, channels=layout, colliders=dict.fromkeys(names[:200], 1.0)))
    with pytest.raises(ValueError, match="201 colliders"):
        check_info(replace(info, channels=layout, colliders=dict.fromkeys(names, 1.0)))
