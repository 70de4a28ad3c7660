"""Takes from other programs: from files that this project did not write."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import synthetic
from test_body import dataset_with, solid
from test_point_caches import mdd_bytes, pc2_bytes

from neural_physics.datasets import frame_checks, importing
from neural_physics.datasets.dataset_info import MOST_FRAMES
from neural_physics.datasets.importing import import_take, layout_of_columns, read_interaction
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.files.row_files import npy_header
from neural_physics.interaction.channels import Channel
from neural_physics.steps import to_the_end

ROOT = Path(__file__).resolve().parents[2]
MESH = synthetic.sheet_mesh()
HAND = synthetic.hand_motion(40, 3)
SHAPES = synthetic.simulate(MESH, HAND)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with the same motion as PC2 and MDD, its interaction as CSV and .npy, and its mesh."""
    (tmp_path / "sheet.pc2").write_bytes(pc2_bytes(SHAPES))
    (tmp_path / "sheet.mdd").write_bytes(mdd_bytes(SHAPES))
    np.save(tmp_path / "hand.npy", HAND.astype(float))
    with (tmp_path / "hand.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["Hand.x", "Hand.y", "Hand.z"], *HAND.tolist()])
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in MESH.rest_positions]
    lines += ["f " + " ".join(f"{c + 1}//1" for c in face) for face in MESH.corners.reshape(-1, 4)]
    (tmp_path / "sheet.obj").write_text("# a sheet\no Sheet\n" + "\n".join(lines) + "\n")
    return tmp_path


def add(
    files: Path, cache: str = "sheet.pc2", y: str = "hand.csv", visited=lambda step: None, fps=24.0, **more
) -> str:
    steps = import_take(files / "d", MESH, "Sheet", files / cache, source=files / y, fps=fps, **more)
    return to_the_end(steps, visited)


@pytest.mark.parametrize("cache", ["sheet.pc2", "sheet.mdd"])
def test_frames_and_channels_arrive_as_they_were(files, cache):
    assert add(files, cache) == "take_000"
    dataset = Dataset.open(files / "d")
    take = dataset.take("take_000")
    assert np.array_equal(take.positions, SHAPES) and np.array_equal(take.interaction, HAND)
    assert dataset.info.channels.channels == (Channel("Hand", "position", 3, "Hand"),)
    assert take.info.complete and take.segments() == [(0, 40)]


def test_takes_are_added_one_after_the_other_and_an_npy_takes_the_names_of_the_dataset(files):
    add(files)
    assert add(files, y="hand.npy", role="test") == "take_001"
    assert add(files, "sheet.mdd", name="mine", colliders={"Hand": 0.1}) == "mine"
    takes = Dataset.open(files / "d").takes()
    assert [(t.name, t.info.role) for t in takes] == [
        ("mine", "training"),
        ("take_000", "training"),
        ("take_001", "test"),
    ]


def test_an_exploding_simulation_is_imported_but_left_out(files):
    shapes = SHAPES.copy()
    shapes[20, 5] = np.nan
    (files / "bad.pc2").write_bytes(pc2_bytes(shapes))
    add(files, "bad.pc2")
    take = Dataset.open(files / "d").take("take_000")
    assert all(not start <= 20 < stop for start, stop in take.segments())
    assert "stopped giving numbers" in take.info.excluded[0].reason


def test_an_import_that_is_stopped_leaves_no_take(files):
    def stop(step: tuple[int, int]) -> None:
        if step[0] == 12:
            raise Problem("stopped")

    with pytest.raises(Problem):
        add(files, visited=stop)
    assert Dataset.open(files / "d").take_names() == []
    assert add(files) == "take_000"


def test_files_that_claim_frames_without_end_are_refused_before_anything_is_written(files):
    frames = MOST_FRAMES + 1
    os.truncate(files / "sheet.pc2", 32 + frames * MESH.vertex_count * 12)
    with pytest.raises(Problem, match="has 1,000,001 frames, but a take has at most 1,000,000") as raised:
        add(files)
    assert raised.value.code == "cache_too_long" and not (files / "d").exists()
    (files / "hand.npy").write_bytes(npy_header(frames, 3))
    os.truncate(files / "hand.npy", 128 + frames * 12)
    with pytest.raises(Problem, match="holds 1,000,001 rows") as raised:
        add(files, "sheet.mdd", "hand.npy", columns=["Hand.x", "Hand.y", "Hand.z"])
    assert raised.value.code == "interaction_shape" and not (files / "d").exists()


def test_a_take_that_the_disk_has_no_room_for_is_not_begun(files, monkeypatch):
    needed = SHAPES.nbytes + HAND.nbytes
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=needed - 1))
    visited = []
    with pytest.raises(Problem) as raised:
        add(files, visited=visited.append)
    assert raised.value.code == "disk_full" and not visited
    assert Dataset.open(files / "d").take_names() == []
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=needed))
    assert add(files) == "take_000"


def test_checking_what_was_imported_can_be_stopped_too(files, monkeypatch):
    monkeypatch.setattr(frame_checks, "CHUNK", MESH.vertex_count)  # one frame after the other
    visited = []
    add(files, visited=visited.append)
    assert visited[:40] == [(number, 40) for number in range(1, 41)]
    assert len(visited) >= 80 and set(visited[40:]) == {(40, 40)}


def test_an_import_that_is_killed_leaves_no_take_and_the_next_one_nothing_of_it(files):
    started, killed = os.fork(), 12
    if not started:
        add(files, visited=lambda step: os.kill(os.getpid(), signal.SIGKILL) if step[0] == killed else None)
    assert os.waitpid(started, 0)[1] == signal.SIGKILL
    assert Dataset.open(files / "d").take_names() == []
    assert add(files) == "take_000"
    assert sorted(path.name for path in (files / "d").iterdir()) == ["dataset.json", "mesh.npz", "takes"]
    assert [path.name for path in (files / "d" / "takes").iterdir()] == ["take_000"]


def test_what_an_import_did_not_write_is_left_where_it_writes(files):
    (files / "d" / "import.new").mkdir(parents=True)
    (files / "d" / "import.new" / "thesis.odt").write_text("mine")
    with pytest.raises(Problem) as caught:
        add(files)
    assert caught.value.code == "file_not_ours"
    assert (files / "d" / "import.new" / "thesis.odt").read_text() == "mine"


def test_imports_at_the_same_time_wait_for_each_other_and_all_arrive(files):
    add(files)
    started = []
    for _ in range(2):
        started.append(os.fork())
        if not started[-1]:
            add(files, visited=lambda *_: time.sleep(0.005))
            os._exit(0)
    assert [os.waitpid(pid, 0)[1] for pid in started] == [0, 0]
    dataset = Dataset.open(files / "d")
    assert [len(take.positions) for take in dataset.takes()] == [40, 40, 40]


def test_a_cache_is_not_added_to_takes_of_a_solid_whose_inside_it_does_not_have(files):
    dataset = dataset_with(solid(MESH.vertex_count), files / "d", MESH)
    assert dataset.keeps_body
    with pytest.raises(Problem, match="the inside of Sheet") as raised:
        add(files)
    assert raised.value.code == "import_lacks_body" and dataset.take_names() == []


ELSEWHERE = ["..", ".", "../../mine", "mine/", "a\\b", "C:mine", "a\0b", "{absolute}", "long" * 80]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_leads_out_of_the_dataset_is_refused_and_destroys_nothing(files, name):
    mine = files / "mine"
    mine.mkdir()
    (mine / "novel.txt").write_text("all my work")
    with pytest.raises(Problem) as raised:
        add(files, name=name.format(absolute=mine))
    assert raised.value.code == "take_name_unusable"
    assert (mine / "novel.txt").read_text() == "all my work" and not (files / "d").exists()


def test_only_an_unfinished_take_makes_room_for_one_of_the_same_name(files):
    add(files)
    takes = files / "d" / "takes"
    (takes / "notes").mkdir()
    (takes / "notes" / "novel.txt").write_text("all my work")
    with pytest.raises(Problem) as raised:
        add(files, name="notes")
    assert raised.value.code == "take_exists" and (takes / "notes" / "novel.txt").is_file()
    (takes / "take_001").mkdir()  # a take is being begun there
    assert add(files) == "take_002"
    about = json.loads((takes / "take_002" / "take.json").read_text())
    (takes / "take_002" / "take.json").write_text(json.dumps(about | {"complete": False}))
    assert add(files, name="take_002") == "take_002"
    assert len(Dataset.open(files / "d").take("take_002").positions) == 40


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Ball.x Ball.y Ball.z", [Channel("Ball", "position", 3, "Ball")]),
        ("Ball.001.x Ball.001.y Ball.001.z", [Channel("Ball.001", "position", 3, "Ball.001")]),
        ("wind:Breeze.x wind:Breeze.y wind:Breeze.z", [Channel("Breeze", "wind", 3, "Breeze")]),
        ("Heat Pressure.0 Pressure.1", [Channel("Heat", "value", 1), Channel("Pressure", "value", 2)]),
        ("ground:G.0 ground:G.1 ground:G.2 ground:G.3", [Channel("G", "ground", 4, "G")]),
        (
            " ".join(f"joints:Rig/{bone}.{axis}" for bone in ("hip", "L.knee") for axis in "xyz"),
            [Channel("Rig", "joints", 6, "Rig", parts=("hip", "L.knee"))],
        ),
        ("A/B Ball.001 12:30", [Channel(n, "value", 1) for n in ("A/B", "Ball.001", "12:30")]),
    ],
)  # fmt: skip
def test_columns_become_channels(header, expected):
    assert layout_of_columns(header.split(" "), Path("y.csv")).channels == tuple(expected)


@pytest.mark.parametrize(
    "header",
    [
        "Ball.x Ball.y",
        "Ball.y Ball.x Ball.z",
        "A B A",
        "P.1 P.0",
        "ground:G.0",
        "Ball.x Ball.y Ball.z Ball.x",
        "A\nB",
        "A\u2028B",
        pytest.param("A" * 1001, id="a name without end"),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(header):
    with pytest.raises(Problem) as raised:
        layout_of_columns(header.split(" "), Path("y.csv"))
    assert raised.value.code == "interaction_columns"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", "interaction_columns", "missing"),
        ("Hand.x,Hand.y,Hand.z\n1,2,3\n", "interaction_shape", "holds 1 rows"),
        ("Hand.x,Hand.y,Hand.z\n" + "1,2,3\n" * 39 + "1,2\n", "interaction_shape", "row 41"),
        ("Hand.x,Hand.y,Hand.z\n" + "1,2,3\n" * 39 + "1,two,3\n", "interaction_not_numbers", "row 41"),
        ("Hand.x,Hand.y,Hand.z\n" + "1,2,3\n" * 4 + "1,nan,3\n" * 36, "interaction_not_numbers", "row 6"),
        ("Foot.x,Foot.y,Foot.z\n" + "1,2,3\n" * 40, "interaction_other_channels", "wrong.csv has .*Foot"),
        ("1,2,3\n" * 40, "interaction_columns", "holds numbers instead of names"),
        ('"Hand\nof mine.x"\n' + "1\n" * 40, "interaction_columns", "column 1 has a line break"),
        pytest.param(
            '"' + "/" * 100_000 + '\nx"\n' + "1\n" * 40,
            *("interaction_columns", "column 1 has a line break"),
            id="countless slashes",
        ),
        ("\ufeffHand.x;Hand.y;Hand.z\n" + "1;2;3\n" * 40, "interaction_shape", "semicolons"),
    ],
)
def test_tables_that_do_not_fit_are_refused_with_the_reason(files, text, code, said):
    add(files)
    (files / "wrong.csv").write_text(text, encoding="utf-8")
    with pytest.raises(Problem, match=said) as raised:
        add(files, y="wrong.csv")
    assert raised.value.code == code
    assert Dataset.open(files / "d").take_names() == ["take_000"]


def test_arrays_that_do_not_fit_are_refused(files):
    np.save(files / "flat.npy", HAND.ravel())
    np.save(files / "objects.npy", np.array([{}], object))
    (files / "empty.npy").write_bytes(b"")
    np.savez(files / "several.npz", hand=HAND)
    (files / "several.npz").rename(files / "several.npy")
    (files / "cut.npy").write_bytes((files / "several.npy").read_bytes()[:50])
    for name in ("flat", "objects", "empty", "several", "cut"):
        with pytest.raises(Problem) as raised:
            read_interaction(files / f"{name}.npy", ["Hand.x", "Hand.y", "Hand.z"], frames=len(HAND))
        assert raised.value.code == "interaction_shape"
    with pytest.raises(Problem) as raised:
        add(files, y="hand.npy")
    assert raised.value.code == "interaction_unnamed"


@pytest.mark.parametrize("shape", [(1_000_000, 3), (len(HAND), 1_000_000)])
def test_what_an_array_of_another_shape_claims_is_not_read(files, monkeypatch, shape):
    """A file of holes may claim any number of rows and columns."""
    with (files / "holes.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
        file.truncate(file.tell() + 4 * shape[0] * shape[1])
    monkeypatch.setattr(importing, "_read_npy", lambda *_: pytest.fail("it is read"))
    with pytest.raises(Problem) as raised:
        read_interaction(files / "holes.npy", ["Hand.x", "Hand.y", "Hand.z"], frames=len(HAND))
    assert raised.value.code == "interaction_shape"


def test_other_meshes_other_frame_rates_and_taken_names_are_refused(files):
    add(files, name="mine")
    (files / "fewer.pc2").write_bytes(pc2_bytes(SHAPES[:, :-1]))
    for code, change in (
        ("cache_vertex_count", {"cache": "fewer.pc2"}),
        ("take_exists", {"name": "mine"}),
        ("file_missing", {"cache": "missing.pc2"}),
        ("file_missing", {"y": "missing.csv"}),
        ("cache_not_pc2", {"cache": "sheet.obj"}),
    ):
        with pytest.raises(Problem) as raised:
            add(files, **change)
        assert raised.value.code == code
    with pytest.raises(Problem) as raised:
        add(files, fps=30.0)
    assert raised.value.code == "dataset_other_fps"


def command(*words: object) -> tuple[int, dict]:
    """One command of the back end; its exit status and last event."""
    done = subprocess.run(
        [sys.executable, "-m", "ml_backend", *map(str, words), "--json"],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.torch
def test_by_command_from_an_obj_and_then_checked(files):
    pytest.importorskip("rich")
    words = [
        "--mesh",
        files / "sheet.obj",
        "--interaction",
        files / "hand.csv",
        "--fps",
        24,
        "--out",
        files / "d",
    ]
    for role in ("training", "training", "validation"):
        status, last = command(
            "import", files / "sheet.mdd", *words, "--role", role, "--collider", "Hand=0.2"
        )
        assert (status, last["event"], last["frames"]) == (0, "result", 40)
    dataset = Dataset.open(files / "d")
    assert dataset.info.topology == MESH.topology() and dataset.info.colliders == {"Hand": 0.2}
    assert dataset.mesh.rest_positions == pytest.approx(MESH.rest_positions, abs=1e-7)
    status, last = command("check", files / "d")
    assert (status, last["takes"], last["training_frames"], last["validation_frames"]) == (0, 3, 80, 40)
    status, last = command("import", files / "sheet.obj", *words)
    assert (status, last["code"]) == (1, "cache_not_pc2")


@pytest.mark.torch
def test_check_finds_every_fault_of_a_dataset_written_by_others(files):
    pytest.importorskip("rich")
    for _ in range(3):
        add(files)
    first, second = (files / "d" / "takes" / f"take_00{n}" for n in (0, 1))
    take = json.loads((first / "take.json").read_text())
    (first / "take.json").write_text(json.dumps(take | {"frames": 99, "role": "training"}))
    (second / "take.json").write_text("{")
    values = np.load(files / "d" / "takes" / "take_002" / "interaction.npy")
    values[7] = np.inf
    np.save(files / "d" / "takes" / "take_002" / "interaction.npy", values)
    status, last = command("check", files / "d")
    assert (status, last["code"]) == (1, "dataset_faulty") and "3 faults" in last["message"]


@pytest.mark.torch
def test_more_takes_are_mapped_than_a_process_may_have_files_open_at_first(tmp_path):
    pytest.importorskip("rich")
    path = synthetic.make_dataset(tmp_path / "d", ("training", "validation") * 20, frames=40).path
    script = (
        "import resource, runpy, sys; most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, most)); "
        f"sys.argv = ['ml_backend', 'check', {str(path)!r}, '--json']; "
        "runpy.run_module('ml_backend', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["takes"] == 40


@pytest.mark.torch
@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian", "obj from the end"])
def test_meshes_are_read_in_every_form(tmp_path, form):
    from learning.commands.mesh_files import read_mesh_file

    faces = MESH.corners.reshape(-1, 4)
    path = tmp_path / ("m.obj" if form.startswith("obj") else "m.ply")
    if path.suffix == ".obj":
        lines = [f"v {x:.9g} {y:.9g} {z:.9g} 1.0" for x, y, z in MESH.rest_positions]
        lines += ["f " + " ".join(f"{c - len(MESH.rest_positions)}/1/2" for c in face) for face in faces]
        path.write_text("\n".join(lines))
    else:
        head = f"ply\nformat {form} 1.0\ncomment made by hand\nelement vertex {len(MESH.rest_positions)}\n"
        head += "property float x\nproperty float y\nproperty float z\nproperty uchar red\n"
        head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
        if form == "ascii":
            body = "".join(f"{x:.9g} {y:.9g} {z:.9g} 7\n" for x, y, z in MESH.rest_positions)
            body = (body + "".join("4 " + " ".join(map(str, face)) + "\n" for face in faces)).encode()
        else:
            order = "<" if "little" in form else ">"
            body = b"".join(p.astype(order + "f4").tobytes() + b"\x07" for p in MESH.rest_positions)
            body += b"".join(b"\x04" + face.astype(order + "i4").tobytes() for face in faces)
        path.write_bytes(head.encode() + body)
    found = read_mesh_file(path)
    assert found.topology() == MESH.topology()
    assert found.rest_positions == pytest.approx(MESH.rest_positions, abs=1e-7)


A_TRIANGLE = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list int int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)
NO_VERTICES = "ply\nformat ascii 1.0\nelement vertex 0\n"


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.obj", "v 0 0 0\nf 1 1 99999999999"), ("m.obj", "v 0 0 0\nf 1 1 -99999999999"),
        ("m.obj", "v 0 0 0\n" * 3 + "f 1 2 4294967299"), ("m.obj", "v 0 0 0\nf 1 1 " + "9" * 30),
        ("m.ply", "ply\nformat ascii 1.0\nelement vertex 1000000000000\nend_header\n"),
        ("m.ply", NO_VERTICES + "element face 1\nproperty list int int vertex_index\nend_header\n3 0 inf 1"),
        ("m.obj", ""), ("m.obj", "v 0 0\nf 1 1 1"), ("m.obj", "v 0 0 0\nf 1 2 3"), ("m.obj", "v a b c"),
        ("m.ply", "ply"), ("m.ply", "ply\nformat ascii 1.0\nelement vertex 3\nend_header\n"),
        ("m.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n1 2"),
        ("m.ply", A_TRIANGLE.replace("end_header", "element x 20\nend_header")),
        ("m.stl", "solid"), ("m.npz", "PK"),
    ],
)  # fmt: skip
def test_meshes_that_cannot_be_read_are_refused(tmp_path, name, text):
    from learning.commands.mesh_files import read_mesh_file

    (tmp_path / name).write_text(text)
    with pytest.raises(Problem) as raised:
        read_mesh_file(tmp_path / name)
    assert raised.value.code in ("mesh_unreadable", "dataset_damaged")


def test_a_take_whose_name_differs_from_another_by_capitals_alone_is_refused(files):
    """On macOS and Windows they would be one folder, and the second would go on with the first."""
    add(files, name="Walk")
    with pytest.raises(Problem, match="Walk") as raised:
        add(files, name="wALK")
    assert raised.value.code == "take_exists" and "Walk" in raised.value.message
    assert [path.name for path in (files / "d" / "takes").iterdir()] == ["Walk"]
