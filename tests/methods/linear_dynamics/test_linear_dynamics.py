"""The fit against a system that is linear, and Play against what the trainer rolls out."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from motion_data import FPS, grid, make_dataset, shapes

from learning.commands.train import add_arguments, run
from learning.methods.linear_dynamics import train as train_module
from learning.methods.linear_dynamics.presets import LinearPreset
from learning.methods.linear_dynamics.train import Rollout, fit, with_history
from learning.training.spans import split
from learning.training.subspace_data import Sequences, prepare
from learning.training.tensor_files import read_tensors, write_tensors
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import rollout, tile
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.linear_dynamics.specification import HISTORY
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

EXACT = ["ridge=0", "history=1"]


@pytest.fixture
def dataset(tmp_path):
    return make_dataset(tmp_path / "dataset", 300)


def train(dataset, path, *changes, bases=4):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(path), "--method", "linear_dynamics", "--bases", str(bases)]
    for change in changes:
        words += ["--set", change]
    return run(parser.parse_args(words), lambda event: None, StopRequest())


def test_a_linear_system_is_found_and_its_fresh_take_reproduced(dataset, tmp_path):
    """The data is z_t = K z_{t-1} + D (z_{t-1} - z_{t-2}) + P y_t, without noise.

    With its range opened: the fresh take leaves that of the training takes, where Play clips.
    """
    path = tmp_path / "m.safetensors"
    assert train(dataset, path, *EXACT)["validation_error"] < 0.1
    tensors, about = read_tensors(path)
    for name in ("z", "w"):
        tensors[f"{name}_low"][:], tensors[f"{name}_high"][:] = -1e3, 1e3
    write_tensors(path, tensors, about)
    method = load_method(read_model(path))
    take = dataset.takes("validation")[0]
    (window,) = tile([take], 300)
    wrong = rollout(method)(window) - window.truth()
    away = window.truth() - method.mean_shape
    assert np.sqrt((wrong**2).mean() / (away**2).mean()) < 1e-3


def test_play_steps_as_the_trainer_rolls_out(dataset, tmp_path):
    changes = ["history=5", "ridge=0.01"]
    train(dataset, tmp_path / "m.safetensors", *changes)
    method = load_method(read_model(tmp_path / "m.safetensors"))
    spans, held_out = split(dataset)
    data = prepare(spans, held_out, dataset.info, 4, emit=lambda event: None, stop=StopRequest())
    preset = LinearPreset(history=5, ridge=0.01)
    w = np.clip(data.validation.w, data.training.w.min(0), data.training.w.max(0))[:60]
    z = data.validation.z
    expected = Rollout(fit(data.training, preset), data, 5)(z[:1], z[1:2], w[:, None])[:, 0]
    take = dataset.takes("validation")[0]
    x, y = (np.asarray(rows[:60]) for rows in (take.positions, take.interaction))
    state = method.state_from(x[1], x[0], y[1], y[0])
    for t in range(2, 60):
        state = method.step(state, y[t])
        assert np.abs(state.z - expected[t - 2]).max() < 1e-3


def test_motion_that_would_grow_is_slowed_down_to_what_was_asked(tmp_path):
    """z_t = 1.05 z_{t-1} by itself: the fitted map has that eigenvalue, the one that is kept 0.9."""
    z = (1.05 ** np.arange(60))[:, None].astype(np.float32)
    growing = Sequences(z, np.zeros((60, 1), np.float32), z[:, 0] ** 2, np.array([60]))
    fitted = fit(growing, LinearPreset(history=1, ridge=1e-12, fastest=0.9))
    companion = np.block([[fitted.now, fitted.before], [np.eye(1), np.zeros((1, 1))]])
    assert fitted.fastest == pytest.approx(1.05, abs=1e-3)
    assert np.abs(np.linalg.eigvals(companion)).max() == pytest.approx(0.9, abs=1e-6)


def test_history_looks_back_within_a_run_and_no_further():
    w = np.arange(4, dtype=np.float32)[:, None]
    assert with_history(w, 3).tolist() == [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 2, 1]]


def test_what_follows_the_interaction_late_needs_history(tmp_path):
    """A shape that is where the ball was four frames ago: seen with history, not without."""
    mesh, rng = grid(6), np.random.default_rng(0)
    info = DatasetInfo(
        "Sheet",
        mesh.topology(),
        mesh.vertex_count,
        FPS,
        channels=ChannelLayout((Channel("Ball", "position", 3, "Ball"),)),
    )
    late = Dataset.create(tmp_path / "late", info, mesh)
    for number, role in enumerate(("training", "training", "validation")):
        y = rng.normal(size=(200, 3)).astype(np.float32)
        followed = np.concatenate([np.zeros((4, 3), np.float32), y[:-4]])
        moved = (mesh.rest_positions + np.tensordot(followed, shapes(mesh)[:3], 1)).astype(np.float32)
        with late.writer(f"take_{number:03d}", TakeInfo(200, role=role, seed=number)) as writer:
            for frame, values in zip(moved, y, strict=True):
                writer.append(frame, values)
    short, long = (
        train(late, tmp_path / f"{history}.safetensors", f"history={history}", bases=3) for history in (1, 8)
    )
    assert short["validation_error"] > 0.8 and long["validation_error"] < 0.15


def test_who_reacts_to_much_looks_back_on_less(dataset, tmp_path, monkeypatch):
    """Memory goes with the square of all that is looked back on."""
    monkeypatch.setattr(train_module, "MOST_PAST", 7)
    result = train(dataset, tmp_path / "m.safetensors", "history=5")
    tensors, _ = read_tensors(tmp_path / "m.safetensors")
    assert "looks back on 2 frames" in " ".join(result["notes"])
    assert load_method(read_model(tmp_path / "m.safetensors")).channels.size == 3
    assert max(tensor.shape[-1] for tensor in tensors.values() if tensor.ndim == 2) >= 2


@pytest.mark.parametrize("tensor", ["now", "before", "interaction", "constant"])
def test_a_model_whose_parts_do_not_fit_is_refused(dataset, tmp_path, tensor):
    path = tmp_path / "m.safetensors"
    train(dataset, path)
    tensors, about = read_tensors(path)
    tensors[tensor] = tensors[tensor][..., :-1]
    write_tensors(path, tensors, about)
    with pytest.raises(Problem) as caught:
        load_method(read_model(path))
    assert caught.value.code == "model_damaged"


def test_values_outside_what_was_trained_are_clipped_and_counted(dataset, tmp_path):
    train(dataset, tmp_path / "m.safetensors")
    method = load_method(read_model(tmp_path / "m.safetensors"))
    state = method.start(np.zeros(3, np.float32))
    for _ in range(200):
        state = method.step(state, np.full(3, 1e6, np.float32))
    assert np.isfinite(method.positions(state, np.zeros(3, np.float32))).all()
    assert state.outside > 0.2


def test_a_model_that_looks_back_further_than_any_can_be_trained_to_is_refused(dataset, tmp_path):
    """Each state holds what it looks back on: millions of frames of it are gigabytes."""
    path = tmp_path / "m.safetensors"
    train(dataset, path, "history=2")
    tensors, about = read_tensors(path)
    u, v = tensors["z_low"].size, tensors["w_low"].size
    for frames, fits in ((HISTORY.most, True), (HISTORY.most + 1, False)):
        tensors["interaction"] = np.zeros((u, frames * v), np.float32)
        write_tensors(path, tensors, about)
        if fits:
            load_method(read_model(path))
            continue
        with pytest.raises(Problem, match="looks back on 121 frames"):
            load_method(read_model(path))
