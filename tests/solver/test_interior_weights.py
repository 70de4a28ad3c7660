"""Weights of the surface, spread through the inside."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from meshes import block
from surfaces import cube, icosphere

from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.meshing.interior_weights import harmonic, interior_weights, laplacian
from neural_physics.solver.meshing.tetrahedralisation import cage, tetrahedralise

FILLED = [
    pytest.param(lambda *surface: cage(*surface, 0.25), id="cage"),
    pytest.param(
        lambda *surface: tetrahedralise(*surface, 0.4),
        id="fTetWild",
        marks=pytest.mark.skipif(importlib.util.find_spec("pytetwild") is None, reason="no pytetwild"),
    ),
]


def outer(tetrahedra):
    return np.unique(boundary(tetrahedra)[0])


@pytest.mark.parametrize("filled", FILLED)
def test_a_linear_field_is_reproduced(filled):
    vertices, tetrahedra = filled(*icosphere(2))
    fixed = outer(tetrahedra)
    field = vertices @ np.random.default_rng(0).normal(size=(3, 4)) + [1.0, -2.0, 0.0, 5.0]
    assert len(fixed) < len(vertices)
    assert harmonic(vertices, tetrahedra, fixed, field[fixed]) == pytest.approx(field, abs=1e-11)


def test_in_a_cage_nothing_inside_exceeds_the_boundary():
    vertices, tetrahedra = cage(*icosphere(2), 0.2)
    fixed = outer(tetrahedra)
    values = np.random.default_rng(1).choice([0.0, 1.0], (len(fixed), 20))
    inside = np.delete(harmonic(vertices, tetrahedra, fixed, values), fixed, axis=0)
    assert inside.min() > 0 and inside.max() < 1


def test_a_harmonic_function_is_approached_with_the_square_of_the_edge_length():
    errors = []
    for edge_length in (0.2, 0.1):
        vertices, tetrahedra = cage(*cube(), edge_length)
        fixed = outer(tetrahedra)
        exact = (np.exp(2 * vertices[:, 0]) * np.sin(2 * vertices[:, 1]))[:, None]
        errors.append(np.abs(harmonic(vertices, tetrahedra, fixed, exact[fixed]) - exact).max())
    assert errors[0] / errors[1] > 2.8 and errors[1] < 0.05


def test_the_laplacian_is_the_dirichlet_energy():
    """Of x in a box: its volume. And no constant has any."""
    vertices, tetrahedra = block((2, 3, 2), (1.0, 2.0, 3.0))
    matrix = laplacian(vertices, tetrahedra)
    assert vertices[:, 0] @ matrix @ vertices[:, 0] == pytest.approx(6.0)
    assert vertices[:, 0] @ matrix @ vertices[:, 1] == pytest.approx(0.0, abs=1e-12)
    assert matrix @ np.ones(len(vertices)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("filled", FILLED)
def test_weights_are_not_negative_add_to_one_and_are_the_surfaces_at_the_boundary(filled):
    surface = icosphere(2)
    vertices, tetrahedra = filled(*surface)
    painted = np.random.default_rng(2).dirichlet([0.1] * 5, len(surface[0]))
    painted[:, 3] = 0.0
    weights = interior_weights(vertices, tetrahedra, *surface, weights=7.0 * painted)
    assert weights.min() >= 0 and weights.sum(1) == pytest.approx(1)
    assert weights.shape == (len(vertices), 5) and not weights[:, 3].any()


def test_two_bones_meet_halfway_between_their_ends():
    surface = icosphere(3)
    top = np.clip(0.5 + surface[0][:, 2], 0, 1)
    vertices, tetrahedra = cage(*surface, 0.2)
    weights = interior_weights(vertices, tetrahedra, *surface, weights=np.stack([top, 1 - top], axis=1))
    near = np.abs(vertices[:, 2]) < 1e-9
    assert near.any() and weights[near] == pytest.approx(0.5, abs=0.02)
    assert (weights[vertices[:, 2] > 0.2, 0] > 0.55).all()


@pytest.mark.parametrize("wrong", [0.0, -0.1, np.nan])
def test_weights_that_are_none_or_negative_are_refused(wrong):
    surface = cube()
    weights = np.full((8, 2), 0.5)
    weights[3] = wrong
    with pytest.raises(ValueError, match="needs weights"):
        interior_weights(*cage(*surface, 0.5), *surface, weights=weights)
