"""What a scene can do to a model: places that are no numbers, or light years away, and back again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neural_physics.methods.registry import SPECIFICATIONS, load_method
from neural_physics.models.model_file import read_model

MODELS = Path(__file__).resolve().parents[1] / "fixtures" / "version_0_1_0" / "models"
UNUSUAL = [np.nan, np.inf, -np.inf, 3e38, -1e20, 1e-44]


@pytest.mark.parametrize("value", UNUSUAL)
@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.safetensors")))
def test_shapes_are_numbers_whatever_the_scene_says_and_afterwards(name, value):
    with np.load(MODELS / "expected.npz") as expected:
        ys = expected[f"{name}.y"]
    method = load_method(read_model(MODELS / f"{name}.safetensors"))
    ys[4, 0], ys[8, -1], ys[12] = value, value, value
    state = method.start(ys[0])
    with np.errstate(all="ignore"):
        for y in ys[1:]:
            state = method.step(state, y)
            assert np.isfinite(method.positions(state, y)).all()
            coefficients = method.coefficients(state, y)
            assert coefficients is None or np.isfinite(coefficients).all()
        for y in (ys[4], ys[12]):
            shape = method.mean_shape
            state = method.step(method.state_from(shape, shape, y, ys[0]), ys[0])
            assert np.isfinite(method.positions(state, ys[0])).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 3e38, 0.0])
def test_live_settings_may_be_anything(value):
    for name, specification in SPECIFICATIONS.items():
        path = MODELS / f"{name}.safetensors"
        if not specification.live_settings or not path.is_file():
            continue
        method = load_method(read_model(path))
        weights = np.full(method.vertex_count, value, np.float32)
        groups = {live.property: live.kind == "vertex_group" for live in specification.live_settings}
        with np.errstate(all="ignore"), np.load(MODELS / "expected.npz") as expected:
            method.adjust({setting: weights if group else value for setting, group in groups.items()})
            ys = expected[f"{name}.y"]
            state = method.start(ys[0])
            for y in ys[1:]:
                state = method.step(state, y)
                assert np.isfinite(method.positions(state, y)).all()
