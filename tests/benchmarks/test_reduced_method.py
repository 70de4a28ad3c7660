"""What the quick benchmark reports of a method: its error on held-out frames, and its times."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")
pytestmark = pytest.mark.torch

from benchmarks import reduced_method
from benchmarks.reduced import FIGURES, Reduced
from benchmarks.reduced_method import measure, prepare
from neural_physics.datasets.dataset_info import Exclusion, read_take_info, write_take_info
from neural_physics.datasets.takes import Dataset

LINEAR = Reduced("linear_dynamics", "", (0, 0), (0, 0), (0, 0), 8, dataset_of="sheet")
TORN = slice(100, 110)  # what is left after them is too short for a rollout


@pytest.fixture
def folders(dataset, tmp_path):
    """Of the method, and of a dataset whose held-out take has torn frames, that are left out."""
    path = tmp_path / "sheet" / "dataset"
    shutil.copytree(dataset.path, path)
    (take,) = Dataset.open(path).takes("test")
    folder = path / "takes" / take.name
    info = read_take_info(folder)
    write_take_info(folder, replace(info, excluded=(Exclusion(TORN.start, TORN.stop - 1, "torn"),)))
    method = tmp_path / "linear_dynamics"
    method.mkdir()
    return method, folder / "positions.pc2"


def prepared_error(method) -> dict[str, float]:
    prepare(method, LINEAR)
    return json.loads((method / "error.json").read_text())


def test_torn_frames_are_in_no_error(folders):
    method, positions = folders
    before = prepared_error(method)
    assert before["frames"] == TORN.start - 2  # which the rollout is given
    assert 0.0 < before["error"] < 1.0
    (method / "error.json").unlink()
    frames = np.memmap(positions, np.float32, "r+", offset=32).reshape(120, -1)
    frames[TORN] = 1e3
    frames.flush()
    assert prepared_error(method) == before


def test_what_is_trained_is_not_trained_again(folders, monkeypatch):
    method, _ = folders
    before = prepared_error(method)
    monkeypatch.setattr(reduced_method, "_trained", None)
    assert prepared_error(method) == before


def test_times_are_of_the_model_and_of_what_simulated_the_take(folders, monkeypatch):
    method, _ = folders
    prepared_error(method)
    monkeypatch.setattr(reduced_method, "_simulation", lambda *about: lambda: 30.0)  # ms
    found = measure(method, LINEAR)
    assert set(found) == set(FIGURES) and found["simulation_ms"] == 30.0
    assert found["speed_up"] == pytest.approx(30.0 / (found["step_us"] / 1e3)) and found["speed_up"] > 1.0
