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


def test_cloth_that_no_number_says_where_it_is_begins_anew():
    method = load_method(parse_model(cloth_model_file(gravity=[0.0, 0.0, -1e30]), "sheet"))
    y = np.float32([0.0, 0.0, 0.0, 60.0, 3e-4])
    state = method.step(method.start(y), y)
    assert np.array_equal(state.positions, method.start(y).positions) and not state.velocities.any()


@pytest.mark.parametrize(("stretch", "bending"), [(60.0, 3e-4), (1e-3, 3e-4), (0.1, 0.2)])
def test_cloth_comes_back_after_something_huge(stretch, bending):
    method = load_method(parse_model(cloth_model_file(), "sheet"))
    chance = np.random.default_rng(0)

    def ordinary(frame):
        sway = 0.2 * np.sin(0.3 * frame + np.arange(3))
        shaken = 0.5 * (1.0 + np.sin(0.3 * frame))  # an artist's hand on a slider
        return np.float32([*sway, stretch * shaken, bending * shaken])

    with np.errstate(all="ignore"):
        state = method.start(ordinary(0))
        for _ in range(10):
            state = method.step(state, (1e8 * chance.uniform(-1.0, 1.0, 5)).astype(np.float32))
        for frame in range(300):
            state = method.step(state, ordinary(frame))
        shown = method.positions(state, ordinary(frame))
    assert np.abs(shown - method.mean_shape).max() < 1000.0 * np.linalg.norm(
        np.ptp(method.mean_shape, axis=0)
    )


def test_cloth_between_hands_far_apart_is_not_taken_for_lost():
    tensors, metadata = parse_tensors(cloth_model_file())
    anchors = tensors["pins.anchors"].copy()
    anchors[0, 0] -= 5000.0
    tensors["pins.anchors"] = anchors
    method = load_method(parse_model(format_tensors(tensors, metadata), "sheet"))
    y = np.float32([0.0, 0.0, 0.0, 60.0, 3e-4])
    state = method.start(y)
    for _ in range(3):
        state = method.step(state, y)
    assert not np.array_equal(state.positions, method.start(y).positions)


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
