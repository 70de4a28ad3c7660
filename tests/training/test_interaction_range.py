"""A model knows the range of y that its training takes had, whichever trainer wrote it."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from motion_data import make_dataset

from learning.commands.train import add_arguments, run
from neural_physics.datasets.dataset_info import Exclusion
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import read_model
from neural_physics.models.trained_range import trained_range


@pytest.mark.parametrize(
    ("method", "changes"), [("linear_dynamics", []), ("subspace_physics", ["steps=2", "width=4"])]
)
def test_the_range_is_that_of_the_frames_that_training_used(tmp_path, method, changes):
    dataset = make_dataset(tmp_path / "dataset", 200, excluded=(Exclusion(100, 150, "torn"),))
    parser, path = argparse.ArgumentParser(), tmp_path / "model.safetensors"
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(path), "--method", method, "--bases", "4"]
    words += [word for change in changes for word in ("--set", change)]
    run(parser.parse_args(words), lambda event: None, StopRequest())
    takes = [np.array(take.interaction) for take in dataset.takes("training")]
    used = np.concatenate([np.delete(y, range(100, 150), axis=0) for y in takes])
    low, high = trained_range(read_model(path)).place("Ball")
    assert np.array_equal(low, used.min(0)) and np.array_equal(high, used.max(0))
