"""How far vertices may stray is set by the artist, or by whoever made the scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.skinning.dual_quaternion import DualQuaternionSkinning
from neural_physics.skinning.skin import Skin

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "version_0_1_0" / "models"


@pytest.mark.parametrize("jiggle", [np.nan, np.inf, -5.0, 0.0, 1e38])
def test_vertices_move_to_places_that_are_numbers(jiggle):
    method = load_method(read_model(FIXTURES / "quasistatic_springs.safetensors"))
    with np.load(FIXTURES / "expected.npz") as expected:
        ys = expected["quasistatic_springs.y"]
    method.adjust({"jiggle": jiggle, "jiggle_group": None})
    state = method.start(ys[0])
    for y in ys[1:]:
        state = method.step(state, y)
        assert np.isfinite(method.positions(state, y)).all()


def test_a_vertex_whose_share_is_no_number_is_on_its_target():
    method = load_method(read_model(FIXTURES / "quasistatic_springs.safetensors"))
    with np.load(FIXTURES / "expected.npz") as expected:
        ys = expected["quasistatic_springs.y"]
    method.loosen(np.full(method.vertex_count, np.nan, np.float32))
    state = method.start(ys[0])
    for y in ys[1:]:
        state = method.step(state, y)
        assert state.positions == pytest.approx(state.target, abs=1e-5)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-7, 1e8])
def test_preserve_volume_gives_numbers_however_small_an_object_is_scaled(size):
    skin = Skin(("a", "b"), np.float32([[0.5, 0.5], [1.0, 0.0], [1e-12, 0.0]]))
    moves = np.zeros((3, 3, 4), np.float32)
    moves[0, :, :3], moves[1:, :, :3] = size * np.diag([1.0, 1.0, 1e-4]), np.eye(3)
    moves[2, :, :3] = np.diag([-1.0, -1.0, 1.0])
    with np.errstate(all="ignore"):
        assert np.isfinite(DualQuaternionSkinning(skin, np.ones((3, 3), np.float32))(moves)).all()
