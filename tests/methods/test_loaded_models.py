"""Models are loaded once for all that play them, and settings are each one's own."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from neural_physics.methods.loaded_models import LoadedModels
from neural_physics.methods.registry import SPECIFICATIONS, load_method

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "version_0_1_0" / "models"
MODELS = sorted(FOLDER.glob("*.safetensors"))


def steps(method, count=4):
    """The shapes of a few steps from rest, y standing still."""
    y = np.zeros(method.channels.size, np.float32)
    state = method.start(y)
    shapes = []
    for _ in range(count):
        state = method.step(state, y)
        shapes.append(method.positions(state, y).copy())
    return np.array(shapes)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_same_bytes_are_loaded_once_under_whatever_name(path):
    models, data = LoadedModels(), path.read_bytes()
    one, other = models.of(data, "here"), models.of(bytes(bytearray(data)), "there")
    assert one is other
    first, second = one.method(), one.method()
    has_settings = bool(SPECIFICATIONS[path.stem].live_settings)
    assert (first is not second) == has_settings, "who has settings has them to itself"
    if path.stem != "quasistatic_springs":  # which stands at poses that are none of this y
        assert np.array_equal(steps(first), steps(load_method(one.model)))
        assert np.array_equal(steps(second), steps(first))


def test_what_nobody_plays_any_more_is_forgotten():
    models, data = LoadedModels(), MODELS[0].read_bytes()
    loaded = models.of(data, "first")
    method = loaded.method()
    del loaded, method
    gc.collect()
    again = models.of(data, "second")
    assert again.model.path == "second"


def test_springs_of_two_objects_are_loosened_each_by_itself():
    loaded = LoadedModels().of((FOLDER / "quasistatic_springs.safetensors").read_bytes(), "Springs")
    one, other = loaded.method(), loaded.method()
    one.adjust({"jiggle": 2.0, "jiggle_group": None})
    assert one._springs is not one._learned and other._springs is other._learned
