"""Takes that are whole, but from which nothing can be learned, or hardly anything."""

from __future__ import annotations

import numpy as np
import pytest
from motion_data import make_dataset

from learning.training.spans import split
from learning.training.subspace_data import prepare
from neural_physics.errors import Problem
from neural_physics.evaluation.baselines import ridge
from neural_physics.evaluation.rollouts import tile
from neural_physics.jobs.events import StopRequest
from neural_physics.models.decoding import LinearDecoder


def with_positions(dataset, change):
    """The dataset with other positions in its takes for training."""
    for take in dataset.takes("training"):
        path = dataset.path / "takes" / take.name / "positions.pc2"
        positions = np.memmap(path, "<f4", "r+", 32, take.positions.shape)
        positions[:] = change(positions.copy())
        positions.flush()
    return dataset


def prepared(dataset):
    training, validation = split(dataset)
    return prepare(training, validation, dataset.info, 4, emit=lambda event: None, stop=StopRequest())


@pytest.mark.parametrize("size", [0.0, 1e-40])
def test_takes_in_which_nothing_moves_are_refused(tmp_path, size):
    dataset = with_positions(make_dataset(tmp_path, 100), lambda x: np.zeros_like(x) + np.float32(size))
    with pytest.raises(Problem) as caught:
        prepared(dataset)
    assert caught.value.code == "training_still"


@pytest.mark.parametrize("far", [1e20, 3e38, np.inf])
def test_takes_that_have_gone_out_of_reach_are_named(tmp_path, far):
    def thrown(x):
        x[40, 3, 1] = far
        return x

    with pytest.raises(Problem) as caught:
        prepared(with_positions(make_dataset(tmp_path, 100), thrown))
    assert (caught.value.code, caught.value.names["frame"]) == ("dataset_not_numbers", 40)


def test_a_linear_answer_to_what_is_the_same_up_to_rounding_is_the_smallest_one(tmp_path):
    """The variance of 1e12, and of nothing beside it: the normal equations are singular."""
    dataset = make_dataset(tmp_path, 100)
    for take in dataset.takes():
        path = dataset.path / "takes" / take.name / "interaction.npy"
        rows = np.load(path)
        rows[:], rows[::2, 0] = 0.0, 1e12
        np.save(path, rows)
    decoder = LinearDecoder(
        dataset.mesh.rest_positions, np.ones((1, dataset.mesh.vertex_count, 3), np.float32)
    )
    predict = ridge(decoder, dataset.takes("training"))
    (window, *_) = tile(dataset.takes("validation"), 50)
    assert np.isfinite(predict(window)).all()
