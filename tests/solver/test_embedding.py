"""Surfaces that follow tetrahedra, and what the tetrahedra learn from surfaces."""

from __future__ import annotations

import numpy as np
import pytest
from meshes import block
from scipy.optimize import nnls
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation
from surfaces import cube, icosphere, torus, volumes

from neural_physics.pairs import TooManyPairs
from neural_physics.solver.meshing import surface_checks
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.meshing.embedding import Embedding, closest_points, from_surface
from neural_physics.solver.meshing.surface_checks import check_surface, enclosed_volume
from neural_physics.solver.meshing.tetrahedralisation import cage
from neural_physics.solver.meshing.triangulation import fill_outline


def scattered(count, seed):
    """Tetrahedra of all sizes and shapes that fill a convex body, and SciPy's own way to find points."""
    rng = np.random.default_rng(seed)
    delaunay = Delaunay(rng.normal(size=(count, 3)) ** 3)
    tetrahedra = delaunay.simplices.copy()
    turned = volumes(delaunay.points, tetrahedra) < 0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 2, 1, 3]]
    return delaunay, tetrahedra


def held_above(height, edge_length=0.2):
    vertices, triangles = icosphere(3)
    tet_vertices, tetrahedra = cage(vertices, triangles, edge_length)
    return vertices, vertices[:, 2] > height, tet_vertices, Embedding(tet_vertices, tetrahedra, vertices)


@pytest.mark.parametrize("spread", [0.9, 4.0])
def test_points_inside_and_outside_follow_every_affine_map_exactly(spread):
    rng = np.random.default_rng(0)
    tet_vertices, tetrahedra = cage(*torus(20, 10), 0.2)
    points = spread * rng.normal(size=(3000, 3))
    maps, shift = rng.normal(size=(5, 3, 3)), rng.normal(size=3)
    embedding = Embedding(tet_vertices, tetrahedra, points)
    moved = tet_vertices @ maps + shift
    assert embedding.apply(moved) == pytest.approx(points @ maps + shift, rel=1e-10, abs=1e-10)
    assert embedding.matrix() @ moved[0] == pytest.approx(embedding.apply(moved[0]), rel=1e-12, abs=1e-12)


def test_the_tetrahedron_around_a_point_is_found_among_all_sizes_and_shapes():
    delaunay, tetrahedra = scattered(150, 1)
    points = np.random.default_rng(2).normal(size=(4000, 3)) ** 3
    embedding = Embedding(delaunay.points, tetrahedra, points)
    expected = delaunay.find_simplex(points)
    assert 500 < (expected >= 0).sum() < 3900
    inside = embedding.weights.min(1) >= -1e-9
    assert np.array_equal(inside, expected >= 0)
    assert np.array_equal(embedding.tetrahedron[inside], expected[inside])


def test_a_point_outside_follows_a_tetrahedron_that_it_is_closest_to():
    vertices, tetrahedra = block((3, 2, 2), (3.0, 2.0, 2.0))
    points = np.random.default_rng(3).uniform(-1, 4, (500, 3))
    nearest = np.clip(points, 0, [3, 2, 2])
    corners = vertices[tetrahedra[Embedding(vertices, tetrahedra, points).tetrahedron]]
    for corner, place in zip(corners, nearest, strict=True):
        system = np.vstack([corner.T, np.ones(4)])
        assert nnls(system, np.r_[place, 1.0])[1] < 1e-9


def test_the_boundary_is_closed_and_turned_outwards():
    vertices, tetrahedra = block((3, 4, 2), (3.0, 2.0, 1.0))
    triangles, owners = boundary(tetrahedra)
    assert enclosed_volume(vertices, triangles) == pytest.approx(6.0)
    assert len(triangles) == 2 * 2 * (3 * 4 + 4 * 2 + 3 * 2)
    assert all(set(t) <= set(tetrahedra[o]) for t, o in zip(triangles, owners, strict=True))


def test_the_closest_places_on_triangles_of_all_sizes_are_those_of_least_squares():
    rng = np.random.default_rng(4)
    size = 10.0 ** rng.uniform(-3, 1, 60)
    corners = rng.normal(size=(60, 3, 3)) * size[:, None, None] + rng.normal(size=(60, 1, 3))
    corners[0, 2] = corners[0, 1]
    corners[1] = corners[1, 0]
    corners[2, 2] = 2 * corners[2, 1] - corners[2, 0]
    points = rng.normal(size=(60, 3))
    triangles = np.arange(180).reshape(-1, 3)
    found, weights, distances = closest_points(points, corners.reshape(-1, 3), triangles)
    places = np.einsum("nk,nkd->nd", weights, corners[found])
    assert np.linalg.norm(places - points, axis=1) == pytest.approx(distances)
    assert weights.min() >= 0 and weights.sum(1) == pytest.approx(1)
    heavy = 1e5
    for point, distance in zip(points, distances, strict=True):
        systems = [np.vstack([corner.T, np.full(3, heavy)]) for corner in corners]
        exact = min(nnls(system, np.r_[point, heavy])[1] for system in systems)
        assert distance == pytest.approx(exact, rel=1e-6, abs=1e-7)


def test_values_on_a_surface_are_interpolated_at_it_and_never_leave_their_range():
    vertices, triangles = icosphere(2)
    rng = np.random.default_rng(6)
    field = rng.normal(size=(3, 2))
    shares = rng.dirichlet([1, 1, 1], len(triangles))
    points = np.einsum("nk,nkd->nd", shares, vertices[triangles])
    assert from_surface(points, vertices, triangles, vertices @ field) == pytest.approx(points @ field)
    values = rng.uniform(2, 3, len(vertices))
    taken = from_surface(rng.normal(size=(500, 3)), vertices, triangles, values)
    assert taken.shape == (500,) and taken.min() >= 2 and taken.max() <= 3


@pytest.mark.parametrize("edge_length", [0.1, 0.3, 0.7])
def test_pinned_points_do_not_move_whatever_the_rest_does(edge_length):
    vertices, pins, tet_vertices, embedding = held_above(0.6, edge_length)
    held = embedding.pinned(pins)
    assert held.any() and not held.all()
    moved = tet_vertices + np.random.default_rng(7).normal(size=tet_vertices.shape)
    moved[held] = tet_vertices[held]
    after = embedding.apply(moved)
    assert after[pins] == pytest.approx(vertices[pins], abs=1e-6)
    # What is held ends within one tetrahedron, whose longest edge is 1.1 times the mean.
    assert (tet_vertices[held, 2] > 0.6 - 1.1 * edge_length).all()
    free = vertices[:, 2] < 0.6 - 2.2 * edge_length
    assert not free.any() or (np.abs(after - vertices)[free].max(1) > 1e-3).all()


def test_nothing_is_pinned_without_pins():
    vertices, _, tet_vertices, embedding = held_above(0.6)
    none = np.zeros(len(vertices), bool)
    assert not embedding.pinned(none).any()
    assert np.array_equal(embedding.pin_targets(none, vertices), tet_vertices)


def test_pins_that_move_rigidly_or_grow_take_their_points_with_them():
    vertices, pins, tet_vertices, embedding = held_above(0.6)
    held = embedding.pinned(pins)
    turn = Rotation.from_rotvec([0.5, -1.5, 2.0]).as_matrix()
    for goal in (vertices @ turn.T + [1.0, 2.0, 3.0], vertices @ np.diag([1.0, 1.2, 0.9])):
        targets = embedding.pin_targets(pins, goal)
        assert embedding.apply(targets)[pins] == pytest.approx(goal[pins], abs=1e-6)
        assert np.array_equal(targets[~held], tet_vertices[~held])
    targets = embedding.pin_targets(pins, vertices @ turn.T + 1.0)
    assert targets[held] == pytest.approx((tet_vertices @ turn.T + 1.0)[held], abs=1e-9)


def test_groups_of_pins_that_move_apart_each_keep_their_shape():
    vertices, _, tet_vertices, embedding = held_above(0.6)
    top, bottom = vertices[:, 2] > 0.6, vertices[:, 2] < -0.6
    turn = Rotation.from_rotvec([0.0, 0.0, 2.0]).as_matrix()
    goal = np.where(top[:, None], vertices @ turn.T, vertices - [0.0, 0.0, 1.0])
    targets = embedding.pin_targets(top | bottom, goal)
    assert embedding.apply(targets)[top | bottom] == pytest.approx(goal[top | bottom], abs=1e-9)
    held = embedding.pinned(bottom)
    assert targets[held] == pytest.approx(tet_vertices[held] - [0.0, 0.0, 1.0], abs=1e-9)


def test_a_single_pin_moves_its_tetrahedron_without_turning_it():
    vertices, _, tet_vertices, embedding = held_above(0.6)
    pins = np.arange(len(vertices)) == 5
    targets = embedding.pin_targets(pins, vertices + np.array([1.0, 2.0, 3.0]))
    held = embedding.pinned(pins)
    assert 0 < held.sum() <= 4
    assert targets[held] == pytest.approx(tet_vertices[held] + [1.0, 2.0, 3.0])


def test_pins_that_bend_are_met_where_each_has_tetrahedra_of_its_own():
    vertices, triangles = cube()
    tet_vertices, tetrahedra = cage(vertices, triangles, 0.1)
    embedding = Embedding(tet_vertices, tetrahedra, vertices)
    pins = np.arange(8) != 5
    goal = vertices + np.random.default_rng(8).normal(size=(8, 3))
    after = embedding.apply(embedding.pin_targets(pins, goal))
    assert after[pins] == pytest.approx(goal[pins], abs=1e-6)


def test_what_was_put_between_two_pinned_points_of_an_outline_is_pinned_and_goes_along():
    # A square of one metre, divided into thirds; its lower side is pinned, and one corner above.
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    vertices, triangles = fill_outline(points, edges, 1.0, 20)
    embedding = Embedding(vertices, triangles, points)
    held = embedding.pinned(np.array([True, True, False, False]))
    assert np.array_equal(held, vertices[:, 1] == 0.0) and held.sum() > 2
    assert embedding.pinned(np.array([True, False, True, False])).sum() == 2
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    moved = embedding.pin_targets(np.array([True, True, False, False]), points @ turn.T + 2.0)
    assert moved[held] == pytest.approx(vertices[held] @ turn.T + 2.0, abs=1e-9)


def test_elements_without_end_in_one_place_are_not_looked_through():
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    many = np.tile(np.arange(4), (3000, 1))
    inside = np.full((3000, 3), 0.2)
    with pytest.raises(TooManyPairs):
        Embedding(corners, many, inside)
    with pytest.raises(ValueError, match="one of several"):
        Embedding(corners, many[:3], inside - 3.0)


@pytest.mark.parametrize("apart", [1.0, 1e4])
def test_an_outline_that_fills_next_to_nothing_of_its_surroundings_is_refused(apart):
    """Two squares of a millimetre, with all the places for triangles that lie between them."""
    square = 1e-3 * np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    points = np.concatenate([square, square + apart])
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]])
    with pytest.raises(ValueError, match="lie too far apart"):
        fill_outline(points, edges, 2e-6, 1000)
    with pytest.raises(ValueError, match="too thin"):
        fill_outline(apart * np.array([[0.0, 0], [1, 0], [0.5, 1e-9]]), edges[:3] % 3, 5e-10 * apart**2, 1000)


def test_of_a_surface_that_crosses_itself_everywhere_some_places_are_told(monkeypatch):
    vertices, triangles = cube()
    many = np.concatenate([triangles + len(vertices) * k for k in range(40)])
    shifted = np.concatenate([vertices + 0.01 * k for k in range(40)])
    every = check_surface(shifted, many).crossings
    monkeypatch.setattr(surface_checks, "MOST_CROSSINGS", 10)
    monkeypatch.setattr(surface_checks, "CHUNK", 100)
    some = check_surface(shifted, many).crossings
    assert 10 < len(some) < len(every) and {*map(tuple, some)} <= {*map(tuple, every)}
