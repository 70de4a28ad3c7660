"""What a model says of each vertex is how far off Play was there on the validation takes."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from motion_data import make_dataset

from learning.commands.train import add_arguments, run
from learning.training import vertex_errors
from learning.training.spans import split
from neural_physics.datasets.dataset_info import Exclusion
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import read_model
from neural_physics.models.vertex_error import vertex_error

HISTORY = 3
METHODS = {
    "linear_dynamics": ["history=3", "ridge=0.01"],
    "subspace_physics": ["steps=40", "validate_every=10", "width=8"],
}


def train(dataset, path, method, emit=lambda event: None):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(path), "--method", method, "--bases", "2"]
    words += [word for change in METHODS[method] for word in ("--set", change)]
    run(parser.parse_args(words), emit, StopRequest())
    return read_model(path)


def linear_motion(model, x, y):
    """(T - 2, V, 3): the equations of the file format, from the first two frames of x (T, V, 3)."""
    t = model.tensors
    basis = t["basis"].reshape(len(t["basis"]), -1).astype(np.float64)
    w = np.clip((y - t["y_mean"]) @ t["interaction_basis"].T, t["w_low"], t["w_high"])
    before, now = (x[:2].reshape(2, -1) - t["mean"].ravel()) @ np.linalg.pinv(basis)
    shapes = []
    for k in range(2, len(y)):
        past = np.concatenate([w[max(k - back, 0)] for back in range(HISTORY)])
        z = t["now"] @ now + t["before"] @ before + t["interaction"] @ past + t["constant"]
        before, now = now, np.clip(z, t["z_low"], t["z_high"])
        shapes.append(t["mean"] + (now @ basis).reshape(-1, 3))
    return np.array(shapes)


def test_each_vertex_has_the_distance_of_the_rollouts_of_all_frames_that_can_be_used(tmp_path):
    dataset = make_dataset(tmp_path / "dataset", 200, excluded=(Exclusion(80, 89, "torn"),))
    model = train(dataset, tmp_path / "model.safetensors", "linear_dynamics")
    (take,) = dataset.takes("validation")
    squares = []
    for first, stop in ((0, 80), (90, 200)):
        x, y = (np.array(rows[first:stop], np.float64) for rows in (take.positions, take.interaction))
        squares.append(np.square(linear_motion(model, x, y) - x[2:]).sum(-1))
    expected = np.sqrt(np.concatenate(squares).mean(0))
    found = vertex_error(model)
    assert found.dtype == np.float32 and found == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert found.max() > 1.5 * found.min(), "some places are further off than others"


@pytest.mark.parametrize("method", METHODS)
def test_taken_together_they_are_the_error_that_the_trainer_measured_of_its_best_model(tmp_path, method):
    dataset = make_dataset(tmp_path / "dataset", 200)
    model = train(dataset, tmp_path / "model.safetensors", method)
    over_all = np.sqrt(np.square(vertex_error(model)).mean())
    assert over_all == pytest.approx(model.info.training["validation_metres"], rel=2e-3)


def test_of_long_takes_some_rollouts_are_enough_and_a_wish_to_stop_is_heard(tmp_path, monkeypatch):
    dataset = make_dataset(tmp_path / "dataset", 1300)
    path, totals = tmp_path / "model.safetensors", set()

    def watch(event):
        if event.get("stage") == vertex_errors.MEASURING and not event.get("whole"):
            totals.add(event["total"])

    model = train(dataset, path, "linear_dynamics")
    monkeypatch.setattr(vertex_errors, "MOST_FRAMES", 1000)
    _, validation = split(dataset)
    stop = StopRequest(tmp_path / "stop")
    found = vertex_errors.vertex_error_tensors(model.info, model.tensors, validation, watch, stop=stop)
    # Rollouts of 600 frames begin at 0, 150, 300, 450 and 600; of these 3000 frames every third is used.
    assert totals == {2 * 598}
    assert found["vertex_error"] == pytest.approx(vertex_error(model), rel=0.5)
    (tmp_path / "stop").touch()
    with pytest.raises(Problem) as caught:
        vertex_errors.vertex_error_tensors(model.info, model.tensors, validation, watch, stop=stop)
    assert caught.value.code == "stopped"
