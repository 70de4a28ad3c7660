"""Handles: what the blend has to reproduce exactly, and what stands in the way of having any."""

from __future__ import annotations

import numpy as np
import pytest
from handle_blocks import block, handles_of
from scipy.spatial.transform import Rotation

from ml_backend.methods.contact_corrections.handle_fitting import (
    fit_handles,
    gradient_jumps,
    pin_groups,
    spread_points,
)

HELD = (0, 1, 2, 3)  # one face


@pytest.fixture(scope="module")
def held():
    return block(pins=HELD)


@pytest.fixture(scope="module")
def loose():
    return block()


@pytest.mark.parametrize("name", ["held", "loose"])
def test_affine_motions_are_reproduced_with_their_gradient(name, request):
    body = request.getfixturevalue(name)
    handles = handles_of(body, 8)
    matrix = np.array([[1.2, 0.3, -0.1], [0.0, 0.7, 0.4], [0.5, 0.1, 1.1]])
    q = handles.rest @ matrix.T + [0.1, -2.0, 3.0]
    moved = body.rest_positions @ matrix.T + [0.1, -2.0, 3.0]
    np.testing.assert_allclose(handles.positions(q), moved, atol=1e-9)
    found = handles.deformation(q)
    np.testing.assert_allclose(found, np.broadcast_to(matrix, found.shape), atol=1e-8)


def test_vertices_go_where_their_handles_are(held):
    """Points are met, what a frame holds goes along with it, and weights add up to 1."""
    points = spread_points(held.rest_positions, 8, held.pinned)
    handles = handles_of(held, 8)
    assert handles.weights.shape == (held.vertex_count, 8 + 4)
    np.testing.assert_allclose(handles.weights.sum(1), 1.0, atol=1e-10)
    rng = np.random.default_rng(1)
    turn = Rotation.from_rotvec([0.2, -0.5, 0.9]).as_matrix()
    q = handles.rest + rng.normal(size=handles.rest.shape)
    q[8:] = handles.rest[8:] @ turn.T + [0.0, 0.5, 0.0]
    x = handles.positions(q)
    np.testing.assert_allclose(x[points], q[:8], atol=1e-10)
    np.testing.assert_allclose(
        x[held.pinned], held.rest_positions[held.pinned] @ turn.T + [0, 0.5, 0], atol=1e-10
    )
    rotation, place = handles.placement(q)
    np.testing.assert_allclose(rotation, turn, atol=1e-10)
    np.testing.assert_allclose(place, q[8:].mean(0), atol=1e-10)


def test_the_reduced_mass_is_that_of_the_body(held):
    """Of affine motions the kinetic energy is that of all vertices: it has the mass and its middle."""
    handles = handles_of(held, 8)
    reduced = handles.weights.T @ (held.masses[:, None] * handles.weights)
    np.testing.assert_allclose(reduced.sum(), held.masses.sum(), rtol=1e-10)
    middle = np.ones(len(reduced)) @ reduced @ handles.rest / reduced.sum()
    np.testing.assert_allclose(
        middle, np.average(held.rest_positions, axis=0, weights=held.masses), atol=1e-10
    )


def test_what_jumps_nowhere_is_affine(loose):
    """The energy's zeros are the four affine functions, and it is as large as the curvature of what bends."""
    rest = loose.rest_positions
    jumps = gradient_jumps(rest, loose.elements).toarray()
    sizes = np.linalg.svd(jumps, compute_uv=False)
    assert (sizes < 1e-9 * sizes[0]).sum() == 4
    bent = float(((jumps @ rest[:, 0] ** 2) ** 2).sum())
    volume = float(np.prod(np.ptp(rest, axis=0)))
    # Of x^2 the second derivative is 2; across faces that are turned by any angle it is between 0 and 2.
    assert 0.2 * 4.0 * volume < bent < 4.0 * volume


def test_points_are_spread_away_from_what_is_held(held):
    points = spread_points(held.rest_positions, 6, held.pinned)
    chosen = held.rest_positions[points]
    assert len(np.unique(points)) == 6 and not held.pinned[points].any()
    apart = np.linalg.norm(chosen[:, None] - chosen[None], axis=-1) + np.eye(6)
    assert apart.min() > 0.15  # metres, of a block of 0.6 x 0.4 x 0.3


def test_no_vertex_is_two_handles_however_many_are_asked_for(held):
    points = spread_points(held.rest_positions, 10 * held.vertex_count, held.pinned)
    assert sorted(points) == list(np.flatnonzero(~held.pinned))


def test_each_group_of_pins_is_a_frame():
    body = block(pins=range(8))
    assert len(pin_groups(body.elements, body.pinned)) >= 1
    low, high = body.rest_positions[:, 0] < -0.2, body.rest_positions[:, 0] > 0.2
    groups = pin_groups(body.elements, low | high)
    assert len(groups) == 2
    assert set(groups[0]) | set(groups[1]) == set(np.flatnonzero(low | high))


def test_handles_that_do_not_span_space_are_refused(loose):
    rest, elements = loose.rest_positions, loose.elements
    flat = np.flatnonzero(np.isclose(rest[:, 2], rest[:, 2].min()))[:6]
    with pytest.raises(ValueError, match="not all in one plane"):
        fit_handles(rest, elements, flat, [])
    with pytest.raises(ValueError, match="at a different position"):
        fit_handles(rest, elements, np.array([0, 1, 2, 3, 3, 20]), [])
