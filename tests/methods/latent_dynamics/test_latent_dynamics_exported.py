"""Exported latent dynamics steps and decodes as the run time does, and as a closed form says."""

import numpy as np
import pytest
import synthetic
from latent_models import lag, latent_model_file, shares

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx_sessions import SAME, Played, apart, closed_loops, sessions, wandering

from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, parse_model

MESH = synthetic.sheet_mesh()
LATENTS, FEATURES, HIDDEN = 4, 7, 9
KINDS = {"offsets": (2, True), "no offsets": (2, False), "one layer": (1, True), "deep": (5, True)}


def inputs_of(state):
    return {"z": state.z, "z_before": state.z_before, "s": state.s, "s_before": state.s_before}


def model_of(layers, offsets, push=0.05):
    """Random networks on latents that are damped."""
    rng = np.random.default_rng(4)
    inputs = 2 * LATENTS + 9
    eye = np.eye(LATENTS)
    scale = np.ones(inputs)
    scale[-1] = 0.0  # never varied
    tensors = {
        "mean": MESH.rest_positions,
        "basis": 0.1 * rng.normal(size=(FEATURES + 3 * offsets, MESH.vertex_count, 3)),
        "start_latents": 0.1 * rng.normal(size=LATENTS),
        "y_mean": 0.1 * rng.normal(size=3),
        "boundary": rng.normal(size=(3, 3)),
        "linear": push * rng.normal(size=(LATENTS, inputs)),
        "input_mean": 0.1 * rng.normal(size=inputs),
        "input_scale": scale,
        "input_low": np.full(inputs, -1.0),
        "input_high": np.full(inputs, 1.0),
        "z_low": np.full(LATENTS, -0.8),
        "z_high": np.full(LATENTS, 0.9),
        "encoder.around": rng.normal(size=(LATENTS, FEATURES)),
        "decoder.around": rng.normal(size=(FEATURES, LATENTS)),
    }
    tensors["linear"][:, : 2 * LATENTS] += np.concatenate([0.85 * eye, 0.5 * eye], 1)
    if offsets:
        tensors["offsets"] = rng.normal(size=(3, 3))
    ends = {"layers": (inputs, LATENTS), "encoder": (FEATURES, LATENTS), "decoder": (LATENTS, FEATURES)}
    for name, (first, last) in ends.items():
        sizes = [first, *[HIDDEN] * (layers - 1), last]
        for k in range(layers):
            strength = push if k == layers - 1 else 1.0
            weight = rng.normal(size=(sizes[k + 1], sizes[k])) / np.sqrt(sizes[k])
            tensors[f"{name}.{k}.weight"] = strength * weight
            tensors[f"{name}.{k}.bias"] = strength * 0.2 * rng.normal(size=sizes[k + 1])
    tensors = {name: np.asarray(each, np.float32) for name, each in tensors.items()}
    return Model(synthetic.make_model_info(MESH, method="latent_dynamics"), tensors, "Test model")


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_that_of_the_run_time_from_the_same_state(kind):
    model = model_of(*KINDS[kind])
    found = apart(
        load_method(model),
        sessions(model)["step"],
        wandering(3, scale=0.3),
        inputs=inputs_of,
        outputs={"z_next": "z", "s_next": "s"},
    )
    assert found.shares["z_next"] < SAME and found.shares["s_next"] < SAME and found.miscounted == 0
    assert 0.001 < found.clipped < 0.5, "some are clipped, and not all"


@pytest.mark.parametrize("kind", KINDS)
def test_it_goes_along_with_the_run_time(kind):
    """Through the decoder, which sees y, too."""
    model = model_of(*KINDS[kind])
    off = closed_loops(load_method(model), sessions(model), wandering(3, scale=0.3))
    print(f"apart after 10,000 steps: {off[-1]:.2g} m, at most {off.max():.2g} m")
    assert off.max() < 1e-5


def test_it_swings_as_a_damped_spring_does():
    hand = wandering(3, 200, scale=0.05)
    hand -= hand[0]
    played = Played(sessions(parse_model(latent_model_file(MESH), "Test model")), hand[0])
    z = lag(hand.astype(float))
    for t in range(1, len(hand)):
        played.step(hand[t])
        shape = MESH.rest_positions + hand[t] + shares(MESH)[:, None] * z[t]
        assert played.positions() == pytest.approx(shape, abs=1e-4)
    assert np.abs(z).max() > 0.01, "it lags"


@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_what_is_no_number_or_far_too_large_is_taken_for_the_same(value):
    model = model_of(2, True)
    method, files, y = load_method(model), sessions(model), wandering(3, 3, scale=0.3)
    state = method.step(method.start(y[0]), y[1])
    for place in range(3):
        now = y[2].copy()
        now[place] = value
        true, said = method.step(state, now), files["step"](y=now, **inputs_of(state))
        assert said["s_next"][0] == pytest.approx(true.s, rel=1e-5)
        assert said["z_next"][0] == pytest.approx(true.z, abs=1e-5)
        assert said["outside"].item() == pytest.approx(true.outside, abs=1e-6)
        shape = method.positions(true, now)
        assert files["decoder"](z=true.z, y=now)["positions"][0] == pytest.approx(shape, rel=1e-3, abs=1e-3)
