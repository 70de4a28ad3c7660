"""Springs about skinned targets, from takes to what plays, held against an integrator (Jin 2022)."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import jiggling
import numpy as np
import pytest

from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import rollout, rollout_errors, tile
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.models.vertex_error import vertex_error
from neural_physics.timeline.timeline import Timeline

QUICK = ("--set=shrink=0", "--set=left_out=0", "--set=settled=false")


def train(dataset, out, *words, stop=None):
    from ml_backend.commands.train import add_arguments, run

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = [str(dataset.path), "--out", str(out), "--method=quasistatic_springs", *words]
    events = []
    result = run(parser.parse_args(arguments), events.append, stop or StopRequest())
    assert json.dumps(events)
    return result


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return jiggling.make_dataset(tmp_path_factory.mktemp("jiggling") / "dataset")


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "model.safetensors"
    return train(dataset, out, *QUICK), read_model(out)


def test_training_recovers_the_springs_that_made_the_takes(dataset, trained):
    result, model = trained
    k_s, k_d = jiggling.springs(dataset.mesh)
    assert np.abs(model.tensors["stiffness"] / k_s - 1.0).max() < 0.01
    assert np.abs(model.tensors["damping"] / k_d - 1.0).max() < 0.01
    assert result["frames"] == 100 and result["vertices"] == len(k_s)


def test_errors_are_those_of_rollouts_and_of_bones_alone(dataset, trained):
    result, model = trained
    method = load_method(model)
    windows = tile(dataset.takes("validation"))
    errors = rollout_errors(rollout(method), windows, method.mean_shape)
    assert result["validation_error"] == pytest.approx(errors.error, rel=1e-6)
    assert result["validation_metres"] == pytest.approx(errors.rms, rel=1e-6)
    assert vertex_error(model) == pytest.approx(errors.per_vertex, rel=1e-5)
    assert result["simpler_error"] == pytest.approx(result["skinning_error"])
    take = dataset.takes("validation")[0]
    matrices = jiggling.moves(100, 1)
    bones = jiggling.seen(matrices, jiggling.skinned(dataset.mesh, matrices))[2:]
    spread = np.square(take.positions[2:] - method.mean_shape).sum(-1).mean()
    skinned = np.sqrt(np.square(bones - take.positions[2:]).sum(-1).mean() / spread)
    assert result["skinning_error"] == pytest.approx(skinned, rel=1e-4)
    assert result["target_error"] == pytest.approx(skinned, rel=1e-4)
    # Not exact: it starts at a velocity read off two frames.
    assert result["validation_error"] < 0.35 * skinned


def test_what_hangs_is_distinguished_from_what_swings(tmp_path):
    """Every vertex swings about a place 5 cm below where its bones would have it at rest.

    However long it swings, it is on one side a little more often than on the other.
    """
    dataset = jiggling.make_dataset(tmp_path / "hanging", frames=200, sag=0.05)
    result = train(dataset, tmp_path / "model.safetensors")
    model = read_model(tmp_path / "model.safetensors")
    off = np.linalg.norm(model.tensors["rest"] - dataset.mesh.rest_positions - [0.0, 0.0, -0.05], axis=1)
    assert off.max() < 0.04 and off.mean() < 0.015  # metres
    k_s, _ = jiggling.springs(dataset.mesh)
    assert np.abs(model.tensors["stiffness"] / k_s - 1.0).max() < 0.2
    assert result["target_error"] < 0.75 * result["skinning_error"]
    assert result["validation_error"] < 0.5 * result["target_error"]


@pytest.mark.parametrize("fps", [24, 30, 60])
def test_what_plays_is_what_an_integrator_makes_of_the_springs(dataset, trained, fps):
    """At 30 and 60 frames per second a step's pose is taken to be on a line between those of two frames."""
    _, model = trained
    method, seconds = load_method(model), 3
    matrices = jiggling.moves(24 * seconds + 1, 5)
    targets = jiggling.skinned(dataset.mesh, matrices)
    k_s, k_d = (model.tensors[name].astype(float) for name in ("stiffness", "damping"))
    truth = jiggling.swung(targets, jiggling.causal_slopes(targets), k_s, k_d)
    jiggle = np.abs(truth - targets).max()
    assert jiggle > 0.05  # metres
    truth = jiggling.seen(matrices, truth)
    line = Timeline(method, fps, 1)
    for frame, y in enumerate(jiggling.interaction(jiggling.moves(fps * seconds + 1, 5, fps)), 1):
        line.record(frame, y.astype(np.float32))
    shown = np.stack([line.positions(1 + half * fps // 2).copy() for half in range(2 * seconds + 1)])
    assert np.abs(shown - truth[::12]).max() < (1e-5 if fps == 24 else 0.03 * jiggle)


def test_a_pose_that_is_held_comes_to_rest_on_the_bones(dataset, trained):
    method = load_method(trained[1])
    matrices = jiggling.moves(20, 3)
    numbers = jiggling.interaction(matrices).astype(np.float32)
    state = method.start(numbers[0])
    for y in [*numbers, *[numbers[-1]] * 2000]:
        state = method.step(state, y)
    bones = jiggling.seen(matrices, jiggling.skinned(dataset.mesh, matrices))[-1]
    assert np.abs(method.positions(state, numbers[-1]) - bones).max() < 1e-5


def test_a_stopped_training_goes_on_and_ends_the_same(tmp_path, monkeypatch, dataset, trained):
    from ml_backend.methods.quasistatic_springs import train as quasistatic_springs

    monkeypatch.setattr(quasistatic_springs, "BLOCK", 5)
    out, stop = tmp_path / "model.safetensors", StopRequest()
    fit, fitted = quasistatic_springs.fit_springs, []

    def counted(motions, dt, settings, report, *, stop):
        fitted.append(motions[0].targets.shape[1])
        if len(fitted) == 1:
            stop._on_signal()
        return fit(motions, dt, settings, report, stop=StopRequest())

    monkeypatch.setattr(quasistatic_springs, "fit_springs", counted)
    with pytest.raises(Problem) as stopped:
        train(dataset, out, *QUICK, stop=stop)
    assert stopped.value.code == "stopped" and not out.exists()
    train(dataset, out, *QUICK)
    assert fitted == [5, 5, 2]
    assert np.allclose(read_model(out).tensors["stiffness"], trained[1].tensors["stiffness"], rtol=1e-3)


def test_a_dataset_that_knows_no_bones_is_refused(tmp_path):
    plain = jiggling.make_dataset(tmp_path / "plain", bones=False, frames=40)
    with pytest.raises(Problem, match="does not record how bones move Strip"):
        train(plain, tmp_path / "model.safetensors")


def test_a_vertex_that_never_leaves_its_bones_gets_a_spring_that_holds_it(tmp_path):
    dataset = jiggling.make_dataset(tmp_path / "still", frames=80)
    for take in dataset.takes():
        matrices = jiggling.moves(80, take.info.seed)
        x = np.array(take.positions)
        x[:, 0] = jiggling.seen(matrices, jiggling.skinned(dataset.mesh, matrices))[:, 0]
        path = dataset.path / "takes" / take.name / "positions.pc2"
        path.write_bytes(path.read_bytes()[:32] + x.astype("<f4").tobytes())
    train(Dataset.open(dataset.path), tmp_path / "model.safetensors")
    model = read_model(tmp_path / "model.safetensors")
    assert 1.0 / np.sqrt(model.tensors["stiffness"][0]) < 2.0 * jiggling.DT  # seconds: back in a few frames


def hostile(name):
    def change(model):
        tensors = dict(model.tensors)
        if name == "not a pose":
            layout = ChannelLayout((Channel("Rig", "value", 48),))
            return replace(model, info=replace(model.info, channels=layout))
        if name == "weights":
            tensors["weights"] = -tensors["weights"]
        elif name == "heavy weights":
            tensors["weights"] = 2.0 * tensors["weights"]
        elif name == "no weights":
            tensors["weights"] = tensors["weights"][:, :1]
        elif name == "axes":
            tensors["axes"] = np.full((2, 3, 3), np.nan, np.float32)
        elif name == "no axes":
            tensors["axes"] = np.zeros((1, 3, 3), np.float32)
        elif name == "order":
            tensors["order"] = np.zeros(np.count_nonzero(tensors["weights"]), np.int32)
        elif name == "no order":
            tensors["order"] = np.zeros(3, np.int32)
        elif name == "nothing":
            tensors["damping"] = np.full_like(tensors["damping"], np.nan)
        else:
            tensors["stiffness"] = np.full_like(tensors["stiffness"], -1.0 if name == "push" else np.inf)
        return replace(model, tensors=tensors)

    return change


@pytest.mark.parametrize(
    "name",
    [
        "not a pose",
        "weights",
        "heavy weights",
        "no weights",
        "axes",
        "no axes",
        "order",
        "no order",
        "nothing",
        "push",
        "endless",
    ],
)
def test_a_file_with_hostile_numbers_is_refused(trained, name):
    with pytest.raises(Problem) as refused:
        load_method(hostile(name)(trained[1]))
    assert refused.value.code == "model_damaged"
