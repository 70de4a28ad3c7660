"""What version 0.1.0 wrote opens, plays the same, and goes on: its models, a packed scene, a bake cut short.

`tests/fixtures/version_0_1_0` was written by that version; the shapes beside its models are what it played.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neural_physics.datasets.takes import Dataset
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "version_0_1_0"
SEEN = (0, 11, 23)  # of the steps whose shapes were kept
METHODS = sorted(path.stem for path in (FIXTURES / "models").glob("*.safetensors"))


@pytest.mark.parametrize("method", METHODS)
def test_models_step_to_the_same_shapes(method):
    with np.load(FIXTURES / "models" / "expected.npz") as expected:
        ys, shapes = expected[f"{method}.y"], expected[f"{method}.positions"]
    loaded = load_method(read_model(FIXTURES / "models" / f"{method}.safetensors"))
    state, played = loaded.start(ys[0]), []
    for y in ys[1:]:
        state = loaded.step(state, y)
        played.append(loaded.positions(state, y).copy())
    assert np.abs(np.diff(shapes, axis=0)).max() > 0.01, "nothing would be shown by standing still"
    # Other processors round otherwise.
    assert np.array(played)[list(SEEN)] == pytest.approx(shapes, abs=2e-5)


def test_all_methods_of_then_are_there():
    assert len(METHODS) == 5


def test_its_dataset_is_read_as_it_was_left():
    dataset = Dataset.open(FIXTURES / "dataset")
    (take,) = dataset.takes()
    with np.load(FIXTURES / "baked_whole.npz") as whole:
        truth = whole[take.name].reshape(-1, dataset.info.vertex_count, 3)
    assert not take.info.complete and 60 <= len(take.positions) < len(truth)
    assert np.array_equal(take.positions, truth[: len(take.positions)])
