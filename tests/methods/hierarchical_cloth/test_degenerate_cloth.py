"""Cloth that no trainer makes: without mass, or thrown out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from cloth_models import MESH, cloth_model_file

from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors, parse_tensors
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model
from neural_physics.projective_dynamics.admm import _inverse
from neural_physics.projective_dynamics.cloth import Cloth


def test_a_step_out_of_reach_is_not_taken():
    method = load_method(parse_model(cloth_model_file(gravity=[0.0, 0.0, -1e30]), "sheet"))
    y = np.float32([0.0, 0.0, 0.0, 60.0, 3e-4])
    state = method.step(method.start(y), y)
    assert np.array_equal(state.positions, method.start(y).positions) and not state.velocities.any()


@pytest.mark.parametrize("weights", [1e20, 3e38])
def test_shapes_are_numbers_whatever_the_networks_say(weights):
    tensors, metadata = parse_tensors(cloth_model_file())
    tensors["levels.1.0.weight"] = np.full_like(tensors["levels.1.0.weight"], weights)
    method = load_method(parse_model(format_tensors(tensors, metadata), "sheet"))
    y = np.float32([0.0, 0.0, 0.0, 60.0, 3e-4])
    with np.errstate(all="ignore"):
        for hand in (0.0, 0.3, -0.2):
            y[0] = hand
            shown = method.positions(method.step(method.start(y), y), y)
            assert np.isfinite(shown).all()


def test_a_vertex_without_a_triangle_has_no_mass_and_is_refused_when_it_is_read():
    rest = np.concatenate([MESH.rest_positions, [[0.0, 0.0, 5.0]]])
    triangles = MESH.corners.reshape(-1, 4)[:, :3]
    with pytest.raises(ValueError, match="no triangle"):
        Cloth(rest, triangles, [], 0.04)
    tensors, metadata = parse_tensors(cloth_model_file())
    tensors["triangles"] = tensors["triangles"][:1]
    with pytest.raises(Problem):
        load_method(parse_model(format_tensors(tensors, metadata), "sheet"))


def test_a_system_that_rounding_has_made_singular_is_inverted_nearly():
    matrix = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert np.isfinite(_inverse(matrix)).all()
    regular = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert np.array_equal(_inverse(regular), np.linalg.inv(regular))
