"""How far off each vertex is, as a model file says it, whoever wrote that file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic

from learning.training.tensor_files import write_model
from neural_physics.models.model_file import read_model
from neural_physics.models.vertex_error import vertex_error

MESH = synthetic.sheet_mesh(3)
COUNT = MESH.vertex_count


def written(path, error):
    """The model of a file that says this."""
    tensors = synthetic.make_model_tensors(MESH)
    if error is not None:
        tensors["vertex_error"] = error
    write_model(path, synthetic.make_model_info(MESH), tensors)
    return read_model(path)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_it_is_read_as_it_was_written(tmp_path, dtype):
    error = np.linspace(0.0, 0.25, COUNT).astype(dtype)
    found = vertex_error(written(tmp_path / "model.safetensors", error))
    assert found.dtype == np.float32 and np.array_equal(found, error.astype(np.float32))


def test_a_model_of_earlier_versions_does_not_say(tmp_path):
    assert vertex_error(written(tmp_path / "model.safetensors", None)) is None


@pytest.mark.parametrize(
    "error",
    [
        np.zeros(COUNT - 1, np.float32),
        np.zeros((COUNT, 1), np.float32),
        np.zeros(0, np.float32),
        np.full(COUNT, np.nan, np.float32),
        np.full(COUNT, np.inf, np.float32),
        np.full(COUNT, 3e38, np.float32),
        np.where(np.arange(COUNT) == 4, -1e-3, 0.1).astype(np.float32),
        np.full(COUNT, -1, np.int32),
    ],
    ids=["short", "matrix", "empty", "nan", "infinite", "huge", "negative", "whole"],
)
def test_what_cannot_be_is_as_good_as_nothing_and_the_model_is_read_all_the_same(tmp_path, error):
    model = written(tmp_path / "model.safetensors", error)
    assert vertex_error(model) is None
    assert model.tensor("basis", -1, COUNT, 3).shape[1] == COUNT


def test_a_model_of_another_mesh_s_size_does_not_say(tmp_path):
    model = written(tmp_path / "model.safetensors", np.zeros(COUNT, np.float32))
    assert vertex_error(replace(model, info=replace(model.info, vertex_count=COUNT + 1))) is None
