"""The exported networks of contact corrections say what the run time's say."""

from dataclasses import replace

import numpy as np
import pytest
import synthetic
from contact_models import contact_model_file

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx_sessions import SAME, STEPS, sessions

from neural_physics.methods.contact_corrections.corrections import internal_features
from neural_physics.methods.contact_corrections.model_reading import correction_of
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model

MESH = synthetic.sheet_mesh()
BASES, HIDDEN = 5, 12
INPUTS = {"internal": 15, "external": 4}  # five rows of Q; a ball's place and its size
SYMBOLS = {"internal": "r_int", "external": "r_ext"}


@pytest.fixture(scope="module")
def model():
    """A sheet between a hand and a point, with a ball, whose networks are random."""
    whole = parse_model(contact_model_file(MESH, ball="fixed"), "Test model")
    rng, tensors = np.random.default_rng(3), dict(whole.tensors)
    for name, inputs in INPUTS.items():
        tensors[f"{name}.basis"] = 0.01 * rng.normal(size=(BASES, MESH.vertex_count, 3))
        tensors[f"{name}.mean"] = 0.2 * rng.normal(size=inputs)
        tensors[f"{name}.scale"] = np.append(rng.uniform(0.5, 2.0, inputs - 1), 0.0)  # the last never varied
        tensors[f"{name}.low"], tensors[f"{name}.high"] = np.full(inputs, -1.0), np.full(inputs, 1.0)
        sizes = [inputs, HIDDEN, HIDDEN, BASES]
        for k in range(3):
            tensors[f"{name}.layers.{k}.weight"] = rng.normal(size=(sizes[k + 1], sizes[k])) / sizes[k] ** 0.5
            tensors[f"{name}.layers.{k}.bias"] = 0.1 * rng.normal(size=sizes[k + 1])
    tensors = {
        name: each if each.dtype == np.int32 else each.astype(np.float32) for name, each in tensors.items()
    }
    return replace(whole, tensors=tensors)


@pytest.mark.parametrize("name", INPUTS)
def test_a_network_says_what_that_of_the_run_time_says(model, name):
    session = sessions(model)[name]
    correction = correction_of(model, name, INPUTS[name], (MESH.vertex_count, 3))
    network, rng = correction.network, np.random.default_rng(0)
    size, largest, clipped, displaced = 0.0, 0.0, 0.0, 0.0
    for features in 0.7 * rng.normal(size=(STEPS, INPUTS[name])).astype(np.float32):
        c, outside = network(features.astype(float)), network.outside(features)
        said = session(features=features)
        largest = max(largest, float(np.abs(said["c"][0] - c).max()))
        size += float(np.square(c).mean()) / STEPS
        clipped += outside / STEPS
        assert abs(said["outside"].item() - outside) < 1e-6
        r = np.tensordot(c, correction.basis, 1)
        displaced = max(displaced, float(np.abs(said[SYMBOLS[name]][0] - r).max()))
    print(f"largest difference over the size: {largest / size**0.5:.2g}")
    assert largest < SAME * size**0.5 and displaced < 1e-6
    assert 0.01 < clipped < 0.5, "some are clipped, and not all"


def test_the_inputs_of_the_internal_one_are_rows_as_seen_from_the_anchor(model):
    method, session = load_method(model), sessions(model)["internal"]
    y = np.array([0.2, 0.1, -0.1, 50.0, 0.0, 0.0], np.float32)  # the ball is far away
    state = method.start(y)
    pose = method.dynamics.pose(state.q, method.surroundings(y))
    rotation, place = method.handles.placement(pose.q)
    said = session(features=internal_features(pose.q, rotation, place))
    assert np.abs(pose.c[:BASES]).max() > 0.01
    assert said["c"][0] == pytest.approx(pose.c[:BASES], abs=1e-5)


@pytest.mark.parametrize("name", INPUTS)
def test_one_correction_makes_one_file(model, name):
    own = {n: each for n, each in model.tensors.items() if n.partition(".")[0] not in set(INPUTS) - {name}}
    files = sessions(replace(model, tensors=own))
    assert list(files) == [name]
    assert files[name].metadata["kind"] == "network"
