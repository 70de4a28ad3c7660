"""The checks of a soak: a damaged result is reported, whatever is damaged in it, and a sound one is not."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synthetic

pytest.importorskip("rich")

from neural_physics.errors import PROBLEMS, Problem
from neural_physics.files.tensor_file import format_tensors, parse_tensors
from neural_physics.models.model_file import METADATA_KEY
from tools.soak import checks
from tools.soak.contents import Contents, read_folder

BLEND = {"objects": {"Sheet": {"playing": False}}, "model": None}


def blends(path: Path) -> dict:
    """In place of Blender: what the file holds is written in it."""
    return json.loads(path.read_text())


def model_bytes(seconds: float = 1.0, seed: int = 0) -> bytes:
    mesh = synthetic.sheet_mesh()
    info = synthetic.make_model_info(mesh, training={"seed": seed, "seconds": seconds})
    about = {METADATA_KEY: json.dumps({"training": info.training, "method": info.method})}
    return format_tensors(synthetic.make_model_tensors(mesh, seed=seed), about)


@pytest.fixture
def folder(tmp_path) -> Path:
    """As an activity leaves it: takes, a model, an evaluation and a scene."""
    work = tmp_path / "work"
    synthetic.make_dataset(work / "dataset", frames=12)
    (work / "dataset" / "jobs").mkdir()
    (work / "dataset" / "jobs" / "bake.json").write_text('{"pid": 1}')
    (work / "dataset" / "pace.json").write_text('{"seconds_per_frame": 0.1}')
    (work / "model.safetensors").write_bytes(model_bytes())
    (work / "report.json").write_text('{"rollout_error": 0.5, "step_us": 3.0}')
    (work / "report.html").write_text("<html>a report</html>\n")
    (work / "scene.blend").write_text(json.dumps(BLEND))
    return work


def wrong(folder: Path, whole: Contents) -> list[str]:
    return checks.same_end(read_folder(folder, blends), whole)


@pytest.fixture
def whole(folder) -> Contents:
    return read_folder(folder, blends)


def test_what_differs_in_each_run_is_no_difference(folder, whole):
    (folder / "dataset" / "jobs" / "bake.json").write_text('{"pid": 2}')
    (folder / "dataset" / "pace.json").unlink()
    (folder / "model.safetensors").write_bytes(model_bytes(seconds=2.0))
    (folder / "report.json").write_text('{"rollout_error": 0.5, "step_us": 4.0}')
    (folder / "report.html").write_text("<html>another report</html>\n")
    os.utime(folder / "scene.blend", (0, 0))
    assert whole.damaged == () and wrong(folder, whole) == []
    quicker = replace(whole, digests={n: d for n, d in whole.digests.items() if n != "dataset/pace.json"})
    (folder / "dataset" / "pace.json").write_text("{}")
    assert wrong(folder, quicker) == []


@pytest.mark.parametrize(
    "name",
    [
        "dataset/dataset.json",
        "dataset/mesh.npz",
        "dataset/jobs/bake.json",
        "dataset/takes/take_000/take.json",
        "dataset/takes/take_000/positions.pc2",
        "dataset/takes/take_001/interaction.npy",
        "model.safetensors",
        "report.json",
        "report.html",
        "scene.blend",
    ],
)
def test_a_file_that_is_gone_or_cut_in_half_is_reported(name, folder, whole):
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    assert any(sentence.startswith(name) for sentence in wrong(folder, whole))
    (folder / name).unlink()
    assert f"{name} is missing at the end" in wrong(folder, whole)


@pytest.mark.parametrize(
    "name",
    [
        "dataset/takes/take_000/positions.pc2",
        "dataset/takes/take_001/interaction.npy",
        "model.safetensors",
    ],
)
def test_one_bit_that_differs_is_reported(name, folder, whole):
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / name).write_bytes(data)
    assert wrong(folder, whole) == [f"{name} is not the same as after an uninterrupted run"]


def test_a_number_of_an_evaluation_or_a_setting_of_a_scene_that_differs_is_reported(folder, whole):
    (folder / "report.json").write_text('{"rollout_error": 0.51, "step_us": 3.0}')
    (folder / "scene.blend").write_text(json.dumps({**BLEND, "objects": {"Sheet": {"playing": True}}}))
    assert len(wrong(folder, whole)) == 2


def test_a_training_that_says_something_else_than_its_seconds_is_reported(folder, whole):
    tensors, about = parse_tensors(model_bytes())
    info = json.loads(about[METADATA_KEY])
    info["training"]["seed"] = 1
    (folder / "model.safetensors").write_bytes(format_tensors(tensors, {METADATA_KEY: json.dumps(info)}))
    assert wrong(folder, whole) == ["model.safetensors is not the same as after an uninterrupted run"]


@pytest.mark.parametrize("name", ["model.safetensors.new", "dataset/takes/take_000/take.json.new", "x/y"])
def test_what_is_left_over_is_reported(name, folder, whole):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    assert wrong(folder, whole) == [f"{name} was left over"]


def test_an_empty_folder_that_is_left_over_is_reported(folder, whole):
    (folder / "evaluation.new").mkdir()
    assert wrong(folder, whole) == ["evaluation.new/ was left over"]


def test_what_is_finished_must_stay_and_be_right(folder, whole):
    before = checks.finished(folder, whole, blends)
    assert "dataset/takes/take_000/positions.pc2" in before and "model.safetensors" in before
    assert checks.kept(before, checks.finished(folder, whole, blends), whole) == []
    (folder / "model.safetensors").write_bytes(model_bytes(seed=1))
    shutil.rmtree(folder / "dataset" / "takes" / "take_001")
    (folder / "scene.blend").write_text("half a scene")
    said = checks.kept(before, checks.finished(folder, whole, blends), whole)
    assert "model.safetensors was finished and is another one now" in said
    assert "dataset/takes/take_001/positions.pc2 was finished and is gone" in said
    assert any(sentence.startswith("scene.blend is damaged") for sentence in said)


def test_an_unfinished_take_need_not_be_whole_but_a_complete_one_must(folder, whole):
    take = folder / "dataset" / "takes" / "take_000"
    os.truncate(take / "positions.pc2", 500)
    name = "dataset/takes/take_000/positions.pc2"
    sentence = f"{name} counts as finished and is not as an uninterrupted run leaves it"
    assert sentence in checks.kept({}, checks.finished(folder, whole, blends), whole)
    about = json.loads((take / "take.json").read_text())
    (take / "take.json").write_text(json.dumps(about | {"complete": False}))
    assert checks.kept({}, checks.finished(folder, whole, blends), whole) == []


def test_a_failure_must_say_why_in_the_sentence_of_a_problem():
    said = Problem("disk_full", path="/some/where").message
    assert checks.failure(f"Read blend\n{said}\n", crashed=False) == []
    assert checks.failure("Segmentation fault\n", crashed=True)
    assert checks.failure("", crashed=True)
    unexpected = Problem("unexpected", reason="KeyError: 'x'", path="the terminal").message
    assert checks.failure(unexpected, crashed=True)
    ended = Problem("ended_unexpectedly", status=-9, said="there was no output").message
    assert checks.failure(ended, crashed=True) == []
    assert checks.failure(ended, crashed=False)


def test_every_problem_is_known_by_its_sentence_and_by_no_other_ones():
    for code, sentence in PROBLEMS.items():
        assert checks.codes_in(sentence.replace("{", "").replace("}", "")) == [code]
    assert checks.codes_in("nothing of that kind") == []


def test_a_traceback_is_found_in_what_was_printed_and_in_logs(tmp_path):
    trace = "Traceback (most recent call last):\n  File x\nKeyError: 1\n"
    assert checks.tracebacks("all is well", tmp_path) == []
    assert checks.tracebacks(trace, tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "bake.jsonl").write_text(trace)
    assert checks.tracebacks("all is well", tmp_path)[0].startswith("jobs/bake.jsonl holds a traceback")


def test_arrays_that_cannot_be_read_are_damaged(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3))
    np.savez(tmp_path / "b.npz", x=np.zeros(300))
    assert read_folder(tmp_path, blends).damaged == ()
    data = bytearray((tmp_path / "b.npz").read_bytes())
    data[200] ^= 255
    (tmp_path / "b.npz").write_bytes(data)
    os.truncate(tmp_path / "a.npy", 140)
    assert len(read_folder(tmp_path, blends).damaged) == 2
