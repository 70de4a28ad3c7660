"""Exported linear dynamics steps as the run time does, and as its formula says."""

import numpy as np
import pytest
import synthetic

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx_sessions import SAME, Played, apart, closed_loops, sessions, wandering

from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model

MESH = synthetic.sheet_mesh()
BASES = 5


def model_of(history):
    """Damped coefficients that what is seen of three values pushes."""
    rng = np.random.default_rng(2)
    tensors = synthetic.make_model_tensors(MESH, BASES)
    gone = ("alpha", "beta")
    tensors = {n: each for n, each in tensors.items() if n not in gone and not n.startswith("layers.")}
    tensors |= {
        "now": 1.6 * np.eye(BASES) + 0.02 * rng.normal(size=(BASES, BASES)),
        "before": -0.7 * np.eye(BASES),
        "interaction": 0.1 * rng.normal(size=(BASES, 3 * history)),
        "constant": 0.01 * rng.normal(size=BASES),
    }
    tensors = {name: np.asarray(each, np.float32) for name, each in tensors.items()}
    return Model(synthetic.make_model_info(MESH, method="linear_dynamics"), tensors, "Test model")


@pytest.mark.parametrize("history", [1, 2, 7])
def test_a_step_is_that_of_the_run_time_from_the_same_state(history):
    model = model_of(history)
    found = apart(
        load_method(model),
        sessions(model)["step"],
        wandering(3, scale=1.5),
        inputs=lambda state: {"z": state.z, "z_before": state.z_before, "w_before": state.w},
        outputs={"z_next": "z", "w": "w"},
    )
    assert found.shares["z_next"] < SAME and found.shares["w"] < SAME and found.miscounted == 0
    assert 0.001 < found.clipped < 0.5, "some are clipped, and not all"


@pytest.mark.parametrize("history", [1, 7])
def test_it_goes_along_with_the_run_time(history):
    model = model_of(history)
    off = closed_loops(load_method(model), sessions(model), wandering(3, scale=1.5))
    print(f"apart after 10,000 steps: {off[-1]:.2g} m, at most {off.max():.2g} m")
    assert off.max() < 1e-5


def test_it_swings_as_its_matrices_say():
    """Far from every limit, in double precision."""
    model = model_of(3)
    tensors = {name: each.astype(float) for name, each in model.tensors.items()}
    y = wandering(3, 100, scale=0.1)
    played = Played(sessions(model), y[0])
    z = z_before = tensors["start"]
    seen = np.concatenate([y[:1]] * 3)
    for now in y[1:]:
        played.step(now)
        seen = np.concatenate([now[None], seen[:-1]])
        linear = tensors["now"] @ z + tensors["before"] @ z_before + tensors["interaction"] @ seen.ravel()
        z, z_before = linear + tensors["constant"], z
        assert np.abs(z).max() < 4.0, "inside"
        assert played.state["z"][0] == pytest.approx(z, abs=1e-5)
