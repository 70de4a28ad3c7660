"""The evaluation as a command: what it writes is what was measured."""

from __future__ import annotations

import argparse
import errno
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
import synthetic

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.torch
ROOT = Path(__file__).resolve().parents[2]

from learning.commands import evaluate
from learning.evaluation.timing import time_model
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.point_caches import read_pc2
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.report_page import only_shows_itself
from neural_physics.evaluation.rollouts import rollout, rollout_errors, tile
from neural_physics.files.held_folders import HeldFolder
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model


def run(
    model: Path, dataset: Path, out: Path | None, *more: str, stop: StopRequest | None = None
) -> tuple[dict, list]:
    parser = argparse.ArgumentParser()
    evaluate.add_arguments(parser)
    events: list[dict] = []
    words = [str(model), str(dataset), *(["--out", str(out)] if out else []), *more]
    return evaluate.run(parser.parse_args(words), events.append, stop or StopRequest()), events


@pytest.fixture(scope="module")
def evaluated(dataset, model_bytes, tmp_path_factory) -> tuple[Path, Path, dict]:
    folder = tmp_path_factory.mktemp("evaluated")
    path = folder / "sheet.safetensors"
    path.write_bytes(model_bytes)
    result, _ = run(path, dataset.path, folder / "out", "--frames", "40")
    return path, folder / "out", result


def test_the_report_for_programs_says_what_the_library_measures(evaluated, dataset):
    path, out, result = evaluated
    report = json.loads((out / "report.json").read_text())
    method, windows = load_method(read_model(path)), tile([dataset.take("take_004")], 40)
    errors = rollout_errors(rollout(method), windows, method.mean_shape)
    assert report["rollout_error"] == result["rollout_error"] == pytest.approx(errors.error)
    assert report["curve"]["model"] == pytest.approx(errors.curve, abs=1e-5)
    assert report["mean_error"] == pytest.approx(1.0)
    assert 0 < report["basis_error"] < report["rollout_error"]
    distances = np.concatenate(
        [np.sqrt(np.square(rollout(method)(w) - w.truth()).sum(-1).mean(1)) for w in windows]
    )
    assert report["rms_metres_90"] == pytest.approx(np.quantile(distances, 0.9), rel=1e-4)
    assert report["verdict"]["sentence"] == result["verdict"] and result["grade"] in result["verdict"].lower()
    html = (out / "report.html").read_text()
    assert result["verdict"] in html and result["detail"] in html
    assert (report["takes"], report["role"], report["rollouts"], report["frames"]) == (
        ["take_004"],
        "test",
        3,
        114,
    )
    assert len(report["per_rollout"]) == 3
    assert 0 < report["step_us"] < 10_000 and 0 < report["decode_us"] < 10_000


def test_blender_gets_an_error_per_vertex_and_two_motions_frame_by_frame(evaluated, dataset):
    _, out, _ = evaluated
    take = dataset.take("take_004")
    truth, predicted = read_pc2(out / "reference.pc2"), read_pc2(out / "prediction.pc2")
    assert np.array_equal(truth, take.positions) and predicted.shape == truth.shape
    given = [0, 1, 40, 41, 80, 81]
    assert np.array_equal(predicted[given], truth[given])
    rest = np.setdiff1d(np.arange(120), given)
    off = np.sqrt(((predicted[rest] - truth[rest]) ** 2).sum(-1).mean(0))
    assert np.load(out / "error.npz")["vertex_error"] == pytest.approx(off, rel=1e-4)


def test_the_report_for_people_is_one_file_with_all_its_pictures(evaluated):
    _, out, result = evaluated
    page = (out / "report.html").read_text(encoding="utf-8")
    assert Path(result["report"]) == out / "report.html"
    assert page.count("data:image/png;base64,iVBOR") == 10  # five frames of both
    assert page.count("<polyline") == 5 + 2 + 6 + 6  # no collider here: no penetration
    assert "://" not in page and only_shows_itself(out / "report.html")
    for words in ("Side by side", "Error over time", "three largest components", "Energy"):
        assert words in page


def test_a_moving_reference_frame_is_taken_out_of_what_blender_shows(tmp_path):
    mesh = synthetic.sheet_mesh()
    info = DatasetInfo(
        "Sheet",
        mesh.topology(),
        mesh.vertex_count,
        24.0,
        channels=synthetic.LAYOUT,
        reference_frame="Rig/neck",
    )
    dataset = Dataset.create(tmp_path / "d", info, mesh)
    hand = synthetic.hand_motion(70, 0)
    shapes = synthetic.simulate(mesh, hand)
    with dataset.writer("take_000", TakeInfo(70, role="test")) as writer:
        for t, (shape, y) in enumerate(zip(shapes, hand, strict=True)):
            c, s = np.cos(0.05 * t), np.sin(0.05 * t)
            matrix = np.array([[c, -s, 0, t], [s, c, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
            writer.append((shape - matrix[:3, 3]) @ matrix[:3, :3], y, matrix)
    framed = synthetic.make_model_info(mesh, reference_frame="Rig/neck")
    (tmp_path / "m").write_bytes(synthetic.model_bytes(framed, synthetic.make_model_tensors(mesh)))
    result, _ = run(tmp_path / "m", dataset.path, tmp_path / "out")
    assert read_pc2(tmp_path / "out" / "reference.pc2") == pytest.approx(shapes, abs=1e-4)
    assert result["ridge_error"] is None  # there is nothing to fit it to


def test_penetration_is_shown_where_a_balls_size_is_known(tmp_path, dataset, model_bytes):
    path = synthetic.make_dataset(tmp_path / "d", ("test",)).path
    item = json.loads((path / "dataset.json").read_text())
    (path / "dataset.json").write_text(json.dumps(item | {"colliders": {"Hand": 0.3}}))
    (tmp_path / "m").write_bytes(model_bytes)
    run(tmp_path / "m", path, tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert 0 < report["reference"]["depth"] < 0.3 and 0 < report["reference"]["share"] < 1
    assert "Penetration" in (tmp_path / "out" / "report.html").read_text()


def test_it_stops_when_asked_and_reports_its_progress(tmp_path, dataset, model_path):
    (tmp_path / "stop").touch()
    with pytest.raises(Problem) as raised:
        run(model_path, dataset.path, tmp_path / "out", stop=StopRequest(tmp_path / "stop"))
    assert raised.value.code == "stopped" and not (tmp_path / "out").exists()
    _, events = run(model_path, dataset.path, tmp_path / "out")
    last = [e for e in events if e["stage"] == "Running rollouts"][-1]
    assert last["done"] == last["total"] == 120


def test_an_evaluation_that_fails_half_way_leaves_the_last_one_whole(
    tmp_path, dataset, model_path, monkeypatch
):
    out, half = tmp_path / "out", evaluate._write_motions
    run(model_path, dataset.path, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(before) == {"report.html", "report.json", "error.npz", "prediction.pc2", "reference.pc2"}

    def full(folder, *rest):
        half(folder, *rest)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(evaluate, "_write_motions", full)
    with pytest.raises(Problem) as raised:
        run(model_path, dataset.path, out, "--frames", "30")
    assert raised.value.code == "disk_full"
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_model_without_bases_worth_showing_in_three_dimensions_is_reported_too(tmp_path, dataset):
    tensors = synthetic.make_model_tensors(dataset.mesh, bases=2)
    (tmp_path / "m").write_bytes(synthetic.model_bytes(synthetic.make_model_info(dataset.mesh), tensors))
    run(tmp_path / "m", dataset.path, tmp_path / "out")
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_report_that_cannot_be_written_is_refused_before_the_dataset_is_read(tmp_path, dataset, model_path):
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(Problem) as raised:
        run(model_path, dataset.path / "not looked at yet", tmp_path / "out")
    assert raised.value.code == "folder_not_writable"


def test_what_a_report_does_not_know_is_kept_beside_the_new_evaluation(tmp_path, dataset, model_path):
    """A report may have come with a stranger's model, and what lies beside it may be the artist's own."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.json").write_text('{"schema": 1, "rollout_error": 0}')
    (out / "reference.pc2").write_text("mine")
    run(model_path, dataset.path, out, "--frames", "40")
    assert (out / "reference 2.pc2").read_text() == "mine" and read_pc2(out / "reference.pc2").shape[0]
    there = {path.name for path in out.iterdir()}
    run(model_path, dataset.path, out, "--frames", "40")
    assert {path.name for path in out.iterdir()} == there, "its own files are replaced"
    (out / "error.npz").write_text("mine, too")
    run(model_path, dataset.path, out, "--frames", "40")
    assert (out / "error 2.npz").read_text() == "mine, too"


@pytest.mark.parametrize("name", ["report.html", "report.json", "error.npz", "prediction.pc2"])
def test_files_of_somebody_else_that_are_called_like_a_reports_are_left(tmp_path, dataset, model_path, name):
    (tmp_path / name).write_text('{"title": "our own"}')
    with pytest.raises(Problem) as caught:
        run(model_path, dataset.path, tmp_path, "--frames", "40")
    assert caught.value.code == "file_not_ours" and name in caught.value.message
    assert (tmp_path / name).read_text() == '{"title": "our own"}'
    assert {path.name for path in tmp_path.iterdir()} == {name, model_path.name}


def test_what_an_evaluation_was_not_writing_when_it_was_killed_is_left(tmp_path, dataset, model_path):
    (tmp_path / "evaluation.new").mkdir()
    (tmp_path / "evaluation.new" / "report.html").write_text("half")
    (tmp_path / "evaluation.new" / "thesis.odt").write_text("mine")
    with pytest.raises(Problem) as caught:
        run(model_path, dataset.path, tmp_path, "--frames", "40")
    assert caught.value.code == "file_not_ours" and "thesis.odt" in caught.value.message
    (tmp_path / "evaluation.new" / "thesis.odt").rename(tmp_path / "thesis.odt")
    run(model_path, dataset.path, tmp_path, "--frames", "40")
    assert (tmp_path / "thesis.odt").is_file() and not (tmp_path / "evaluation.new").exists()


def test_a_report_is_replaced_by_the_next_one(tmp_path, dataset, model_path):
    for frames in ("40", "30"):
        run(model_path, dataset.path, tmp_path, "--frames", frames)
        assert json.loads((tmp_path / "report.json").read_text())["rollout_frames"] == int(frames)


def test_the_report_of_a_model_that_is_a_link_lies_beside_the_link(tmp_path, dataset, model_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "m").write_bytes(model_path.read_bytes())
    (theirs / "report.html").write_text("mine")
    (tmp_path / "m").symlink_to(theirs / "m")
    result, _ = run(tmp_path / "m", dataset.path, None, "--frames", "40")
    assert Path(result["report"]) == tmp_path / "report.html" and (tmp_path / "report.json").is_file()
    assert {path.name for path in theirs.iterdir()} == {"m", "report.html"}
    assert (theirs / "report.html").read_text() == "mine"


def test_the_error_that_training_chose_by_is_the_error_measured_here(tmp_path):
    """Two implementations of the same definition: torch in the subspace, NumPy over the vertices."""
    pytest.importorskip("torch")
    dataset = synthetic.make_dataset(tmp_path / "d", ("training", "validation"), 200)
    words = ["train", str(dataset.path), "--preset", "preview", "--bases", "6", "--set", "steps=4"]
    words += ["--out", str(tmp_path / "m"), "--json"]
    subprocess.run([sys.executable, "-m", "ml_backend", *words], cwd=ROOT, check=True, capture_output=True)
    model = read_model(tmp_path / "m")
    method = load_method(model)
    errors = rollout_errors(rollout(method), tile(dataset.takes("validation")), method.mean_shape)
    assert errors.error == pytest.approx(model.info.training["validation_error"], rel=1e-4)


def test_a_measurement_of_time_that_ends_unexpectedly_is_reported_with_its_last_word(tmp_path):
    with pytest.raises(Problem, match="missing") as caught:
        time_model(tmp_path / "missing.safetensors")
    assert caught.value.code == "ended_unexpectedly"


@pytest.mark.parametrize("name", evaluate.FILES)
def test_a_link_that_is_put_where_it_writes_is_not_written_through(
    dataset, model_bytes, tmp_path, monkeypatch, name
):
    """In a folder that others write to, while it is written."""
    path, own = tmp_path / "sheet.safetensors", tmp_path / "own"
    path.write_bytes(model_bytes)
    own.write_text("mine")

    made = HeldFolder.made

    def made_and_exchanged(parent: HeldFolder, folder: str) -> AbstractContextManager[HeldFolder]:
        opened = made(parent, folder)

        @contextmanager
        def there() -> Iterator[HeldFolder]:
            with opened as inner:
                (inner.path / name).symlink_to(own)
                yield inner

        return there()

    monkeypatch.setattr(HeldFolder, "made", made_and_exchanged)
    with pytest.raises(Problem, match="cannot be written to"):
        run(path, dataset.path, tmp_path / "out", "--frames", "40")
    assert own.read_text() == "mine" and not (tmp_path / "out" / name).exists()


def test_a_folder_that_is_exchanged_while_it_evaluates_gets_nothing(
    dataset, model_bytes, tmp_path, monkeypatch
):
    path, out, own = tmp_path / "sheet.safetensors", tmp_path / "out", tmp_path / "own"
    path.write_bytes(model_bytes)
    out.mkdir()
    own.mkdir()
    for name in evaluate.FILES:
        (own / name).write_text("mine")
    really = evaluate.compare

    def compare_and_exchange(*about: object, **more: object) -> object:
        out.rmdir()
        out.symlink_to(own, target_is_directory=True)
        return really(*about, **more)

    monkeypatch.setattr(evaluate, "compare", compare_and_exchange)
    with pytest.raises(Problem) as raised:
        run(path, dataset.path, out, "--frames", "40")
    assert raised.value.code == "place_is_link"
    assert {each.read_text() for each in own.iterdir()} == {"mine"}
