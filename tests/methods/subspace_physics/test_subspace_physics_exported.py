"""Exported subspace physics steps as the run time does, with every setting that models have."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synthetic
from motion_data import make_dataset
from test_second_opinion import options
from test_stepping_many import MESH, model_of
from test_subspace_training import silent

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx_sessions import SAME, STEPS, Played, apart, closed_loops, sessions, wandering

from learning.methods.subspace_physics.train import train
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.method import FAST
from neural_physics.models.model_file import Model, read_model

ROOT = Path(__file__).resolve().parents[3]
TRAINED = ROOT / "neural_physics" / "blender" / "examples" / "models"
OLD = ROOT / "tests" / "fixtures" / "version_0_1_0" / "models" / "subspace_physics.safetensors"
OUTPUTS = {"z_next": "z", "w": "w"}


def inputs_of(state):
    return {"z": state.z, "z_before": state.z_before, "w_before": state.w}


def calmer(model):
    """With smaller last layers, so that random networks seldom leave the range of z."""
    last = max(name for name in model.tensors if name.startswith("layers.") and name.endswith("weight"))
    bias = last.replace("weight", "bias")
    names = {last, bias, f"second.{last}", f"second.{bias}", "layers.shortcut"}
    tensors = {name: 0.1 * each if name in names else each for name, each in model.tensors.items()}
    return replace(model, tensors=tensors)


def simplest(**settings):
    """Random, of one ball; without eq. 1 where the settings say so."""
    tensors = synthetic.make_model_tensors(MESH)
    if not settings.get("initial_model", True):
        tensors = {name: each for name, each in tensors.items() if name not in ("alpha", "beta")}
    return Model(synthetic.make_model_info(MESH, settings=settings), tensors, "Test model")


def springs_alone():
    model = model_of("springs")
    u, gone = len(model.tensors["start"]), ("physics.contact", "physics.points", "physics.centres")
    tensors = {name: each for name, each in model.tensors.items() if name not in gone}
    for name in ("layers.0.weight", "layers.shortcut"):
        tensors[name] = tensors[name][:, u:]
    return replace(model, tensors=tensors)


MODELS = {
    "of version 0.1.0": lambda: read_model(OLD),
    "relu": simplest,
    "silu": lambda: simplest(activation="silu"),
    "without an initial model": lambda: simplest(initial_model=False),
    "not residual": lambda: simplest(residual=False),
    "neither": lambda: simplest(initial_model=False, residual=False, activation="silu"),
    "changes of w": lambda: model_of("plain", "relu", velocity=True, second=False),
    "contact": lambda: model_of("contact"),
    "contact, changes of w": lambda: model_of("contact", "relu", velocity=True),
    "springs": springs_alone,
    "springs, contact, shortcut": lambda: model_of("springs"),
    "all of it": lambda: model_of("springs", "silu", velocity=True),
}


def motion(model, steps=STEPS):
    """About the middle of the mesh, where balls push it."""
    balls = model.info.channels.size // 3
    return wandering(3 * balls, steps, middle=np.tile(MESH.rest_positions.mean(0), balls))


@pytest.mark.parametrize("kind", MODELS)
def test_a_step_is_that_of_the_run_time_from_the_same_state(kind):
    model = calmer(MODELS[kind]())
    found = apart(
        load_method(model), sessions(model)["step"], motion(model), inputs=inputs_of, outputs=OUTPUTS
    )
    assert found.shares["z_next"] < SAME and found.shares["w"] < SAME
    assert found.miscounted == 0
    assert 0.001 < found.clipped < 0.5, "some are clipped, and not all"


@pytest.mark.parametrize("model", ["ball_and_sheet", "skirt"])
def test_a_trained_model_goes_along_with_the_run_time(model):
    """Minutes of animation, each side from its own states: less than a hundredth of a
    millimetre apart. What a network has learned to damp damps rounding, too."""
    model = read_model(TRAINED / f"{model}.safetensors")
    method, files = load_method(model), sessions(model)
    low, high = model.tensors["interaction_low"], model.tensors["interaction_high"]
    y = wandering(len(low), scale=0.25 * (high - low), middle=0.5 * (high + low))
    found = apart(method, files["step"], y, inputs=inputs_of, outputs=OUTPUTS)
    assert found.shares["z_next"] < SAME and found.miscounted == 0
    # What hardly varies in y is a large part of w, and its rounding with it.
    assert found.shares["w"] < 1e-4
    off = closed_loops(method, files, y)
    print(f"apart after {len(off):,} steps: {off[-1]:.2g} m, at most {off.max():.2g} m")
    assert off.max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["of version 0.1.0", "silu", "contact, changes of w", "all of it"])
def test_a_model_that_is_not_chaotic_goes_along_with_the_run_time(kind):
    """A network of small weights on a guess that is damped; large random ones lead apart within seconds."""
    model = calmer(MODELS[kind]())
    off = closed_loops(load_method(model), sessions(model), motion(model))
    print(f"apart after {len(off):,} steps: {off[-1]:.2g} m, at most {off.max():.2g} m")
    assert off.max() < 1e-5


def test_a_model_is_exported_as_its_trainer_leaves_it(tmp_path):
    """With a ball whose radius the takes know, springs, a shortcut and a second opinion."""
    dataset = make_dataset(tmp_path / "dataset", 200)
    about = tmp_path / "dataset" / "dataset.json"
    (channel, *_) = dataset.info.channels.channels
    told = json.loads(about.read_text()) | {"colliders": {channel.name: 0.6}}
    about.write_text(json.dumps(told))
    path = tmp_path / "model.safetensors"
    options(path).work.mkdir()
    train(Dataset.open(tmp_path / "dataset"), options(path), silent, StopRequest())
    model = read_model(path)
    assert model.info.settings["physics"] and "layers.shortcut" in model.tensors
    low, high = model.tensors["interaction_low"], model.tensors["interaction_high"]
    y = wandering(len(low), 2000, scale=0.25 * (high - low), middle=0.5 * (high + low))
    method, files = load_method(model), sessions(model)
    for fast, step in ((0.0, "step"), (1.0, "fast_step")):
        method.adjust({FAST: fast})
        found = apart(method, files[step], y, inputs=inputs_of, outputs=OUTPUTS)
        assert found.shares["z_next"] < SAME and found.shares["w"] < SAME and found.miscounted == 0


def test_the_second_opinion_is_a_step_of_its_own():
    model = calmer(model_of("springs", velocity=True))
    method, files = load_method(model), sessions(model)
    method.adjust({FAST: 1.0})
    found = apart(method, files["fast_step"], motion(model, 2000), inputs=inputs_of, outputs=OUTPUTS)
    assert found.shares["z_next"] < SAME and found.miscounted == 0
    main = apart(method, files["step"], motion(model, 100), inputs=inputs_of, outputs=OUTPUTS)
    assert main.shares["z_next"] > 0.01, "the other one is another"
    assert "fast_step" not in sessions(model_of("contact", second=False))


def test_it_begins_where_the_run_time_begins():
    model = model_of("contact")
    method, files, y = load_method(model), sessions(model), motion(model, 10)
    for now in (y[0], y[-1], np.full_like(y[0], 100.0)):
        state, said = method.start(now), files["start"](y=now)
        assert said["w_before"][0] == pytest.approx(state.w, abs=1e-5)
        assert np.array_equal(said["z"][0], state.z) and np.array_equal(said["z_before"][0], state.z_before)
        shape = method.positions(state, now)
        assert Played(files, now).positions() == pytest.approx(shape, abs=1e-6)


@pytest.mark.parametrize("kind", ["silu", "changes of w", "contact", "springs, contact, shortcut"])
@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_taken_for_the_same(kind, value):
    model = calmer(MODELS[kind]())
    method, step, y = load_method(model), sessions(model)["step"], motion(model, 3)
    state = method.step(method.start(y[0]), y[1])
    for place in range(len(y[2])):
        now = y[2].copy()
        now[place] = value
        true, said = method.step(state, now), step(y=now, **inputs_of(state))
        assert said["w"][0] == pytest.approx(true.w, abs=1e-5)
        assert said["z_next"][0] == pytest.approx(true.z, abs=1e-5)
        assert said["outside"].item() == pytest.approx(true.outside, abs=1e-6)


@pytest.mark.parametrize("field", ["z", "z_before", "w_before"])
def test_states_that_are_none_become_numbers_again(field):
    model = calmer(model_of("springs", velocity=True))
    files, y = sessions(model), motion(model, 2)
    state = files["start"](y=y[0])
    state[field] = np.full_like(state[field], np.nan)
    assert np.isfinite(files["step"](y=y[1], **state)["z_next"]).all()
