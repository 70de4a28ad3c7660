"""The benchmarks' own bookkeeping: what is held out is held out, what has left has left."""

from __future__ import annotations

import json

import numpy as np
import pytest
from motion_data import make_dataset

pytest.importorskip("bpy")
pytest.importorskip("rich")
pytest.importorskip("torch")
pytestmark = pytest.mark.blender

from types import SimpleNamespace

from benchmarks import documents, records
from benchmarks.subspace_physics import beside, boxes, datasets, excursion, models, scenes, tables
from benchmarks.subspace_physics.datasets import SHEET
from benchmarks.subspace_physics.excursion import MOTION, RETURN, TIMES, excursion_path, stays
from benchmarks.subspace_physics.limit import TWIN
from neural_physics.datasets.takes import Dataset


def frames(role: str) -> int:
    return sum(take.frames for take in SHEET.takes() if take.role == role)


def test_sheet_is_of_the_size_that_the_figures_are_of():
    assert frames("training") == 46_000
    assert [take.frames for take in SHEET.takes() if take.role == "test"] == [5000, 5000]


@pytest.mark.parametrize("box", boxes.BOXES)
def test_a_box_has_few_or_many_frames_to_learn_from_and_is_judged_by_the_same(box):
    few, many, twins = boxes.corpora(box)
    assert many.takes()[: len(few.takes())] == few.takes()
    for corpus, count in ((few, 14_000), (many, 46_000)):
        assert sum(take.frames for take in corpus.takes() if take.role == "training") == count
    judging = [take for take in few.takes() if take.role == "test"]
    assert judging == [take for take in many.takes() if take.role == "test"]
    assert [(take.name, take.seed) for take in twins.takes()] == [(take.name, take.seed) for take in judging]


OF_SCENES = [scene.corpus for scene in scenes.SCENES.values()]
MANY = [boxes.corpora(box)[1] for box in boxes.BOXES]


@pytest.mark.parametrize("corpus", [*OF_SCENES, *MANY], ids=lambda corpus: corpus.name)
def test_no_take_has_the_motion_of_another(corpus):
    seeds = [take.seed for take in corpus.takes()]
    assert len(set(seeds)) == len(seeds)


def test_a_scene_is_timed_by_what_simulated_it_and_its_row_fits_the_table(tmp_path, monkeypatch):
    """With trainings and bakes made up: each takes an hour."""
    timed = []

    def times(model, reduced, dataset):
        timed.append((reduced.example, reduced.seed, model))
        return 0.25, 20.0

    def run(name, dataset, preset, bases, *, seed):
        names = ("rollout_error", "frame_median", "ridge_error", "basis_error", "step_mb")
        return {"seed": seed, "frames": 1000, **dict.fromkeys(names, 0.1 + seed)}

    info = SimpleNamespace(vertex_count=1681)
    dataset = SimpleNamespace(path="", info=info, takes=lambda role: [SimpleNamespace(positions=range(1200))])
    for name, made_up in (("times", times), ("run", run), ("baked", lambda corpus: dataset)):
        monkeypatch.setattr(scenes, name, made_up)
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    monkeypatch.setattr(scenes, "trained", lambda name, *rest, **more: (name, {}))
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", "")
    text = tables.scenes(scenes.judge())
    assert timed == [(of.example, of.seed, f"{of.name}_balanced_seed0") for of in OF_SCENES]
    assert text.count("| 1,681 | 1,200 | 1,000 | 0.100, 1.100, 2.100 | 1.100 |") == len(OF_SCENES)
    assert "| 20.0 | 80 | 526 | 0.041 |" in text


def test_a_training_of_the_benchmarks_runs_as_a_job_does(tmp_path, monkeypatch):
    """Jobs know neither the current folder nor the environment's paths."""
    dataset = make_dataset(tmp_path / "dataset", 200, ("training", "validation", "test"))
    monkeypatch.setattr(models, "MODELS", tmp_path / "models")
    changes = ("steps=4", "validate_every=2", "second=false")
    path, training = models.trained("short", dataset.path, "preview", 4, changes=changes)
    assert path.is_file() and training["steps"] == 4
    assert models.evaluated("short", dataset.path)["rollout_error"] > 0.0


def test_the_twin_repeats_exactly_the_test_takes():
    assert TWIN.takes() == [take for take in SHEET.takes() if take.role == "test"]


def test_path_reaches_three_times_the_range_and_comes_back():
    path = excursion_path()
    middle = (np.array(MOTION.low) + MOTION.high) / 2
    half = (np.array(MOTION.high) - MOTION.low) / 2
    reach = np.abs(path - middle) / half
    assert path.shape == (10_000, 3)
    np.testing.assert_allclose(reach.max(axis=0), TIMES, rtol=1e-3)
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() * 24 < 6.0  # no jump where pieces meet


def test_stays_follow_an_excursion_and_end_before_the_next():
    path = np.tile(np.array(MOTION.low), (1200, 1))
    path[100:200] += 99.0
    path[300:320] += 99.0  # the stay before this one is too short to judge
    path[900:] += 99.0
    assert stays(path) == [(320, 900)]
    low, high = np.array(MOTION.low) - 1e-6, np.array(MOTION.high) + 1e-6
    found = stays(excursion_path())
    assert len(found) >= 8
    for first, stop in found:
        inside = excursion_path()[first:stop]
        assert stop - first > 2 * RETURN
        assert ((inside >= low) & (inside <= high)).all()
        assert not ((excursion_path()[first - 1] >= low) & (excursion_path()[first - 1] <= high)).all()


def test_figures_go_to_their_places(tmp_path, monkeypatch):
    page, other = tmp_path / "subspace_physics.md", tmp_path / "playing.md"
    page.write_text("before\n<!-- limit -->\nold\n<!-- end -->\nafter\n<!-- boxes -->\nkept\n<!-- end -->\n")
    other.write_text("<!-- play -->\nkept\n<!-- end -->\n")
    report = tmp_path / "report.json"
    report.write_text('{"limit": {"frames": 9998, "error": 0.0512}}')
    monkeypatch.setattr(documents, "PAGES", tmp_path)
    documents.main(["--report", str(report)])
    text = page.read_text()
    assert "0.051" in text and "9,998" in text and "old" not in text
    assert "before" in text and "after" in text and "kept" in text
    assert other.read_text() == "<!-- play -->\nkept\n<!-- end -->\n"


def test_excursion_is_judged_by_its_own_motion():
    assert excursion.EXCURSION.takes()[0].frames == len(excursion_path())


def test_the_first_frames_are_counted_from_the_last_true_one(tmp_path, monkeypatch):
    monkeypatch.setattr(beside, "MODELS", tmp_path)
    (tmp_path / "box").mkdir()
    curve = {"model": [frame / 100 for frame in range(1, 599)], "mean": [1.0] * 598}
    (tmp_path / "box" / "report.json").write_text(json.dumps({"curve": curve}))
    assert beside.first_of("box") == {"1": 0.01, "4": 0.04, "16": 0.16}


def test_a_box_begins_with_the_takes_of_another_that_are_of_use_to_it(tmp_path, monkeypatch):
    few = make_dataset(tmp_path / "few", 20, ("validation", "training", "test"))
    monkeypatch.setattr(datasets, "BENCH", tmp_path)
    usual = boxes._begun_with(boxes.BoxTakes("usual", "", (0, 0), (0, 0), (0, 0)), few, ("test",))
    assert Dataset.open(usual.folder / "dataset").take_names() == ["take_002"]
    usual = boxes._begun_with(usual, few, ("validation",))  # there already
    assert Dataset.open(usual.folder / "dataset").take_names() == ["take_002"]
