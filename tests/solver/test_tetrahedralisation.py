"""Surfaces that enclose a solid and those that do not, and the tetrahedra that fill or hold them."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog, nnls
from surfaces import cube, icosphere, together, torus, volumes

from neural_physics.models.normals import triangulate
from neural_physics.solver.meshing import tetrahedralisation
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.meshing.embedding import Embedding
from neural_physics.solver.meshing.surface_checks import (
    PROBLEMS,
    UnsuitableSurface,
    check_surface,
    enclosed_volume,
    faces_of_triangles,
    require_solid,
    winding_numbers,
)
from neural_physics.solver.meshing.tetrahedralisation import cage, default_edge_length, tetrahedralise

needs_tetwild = pytest.mark.skipif(
    importlib.util.find_spec("pytetwild") is None, reason="pytetwild is not installed"
)


def refused(vertices, triangles):
    with pytest.raises(UnsuitableSurface) as caught:
        require_solid(vertices, triangles)
    sentence = str(caught.value)
    assert sentence.endswith(".") and ": " in sentence and "{" not in sentence
    return caught.value


def euler_characteristic(triangles):
    edges = np.sort(np.stack([triangles, np.roll(triangles, -1, 1)], -1).reshape(-1, 2), 1)
    return len(np.unique(triangles)) - len(np.unique(edges, axis=0)) + len(triangles)


def radius_ratios(vertices, tetrahedra):
    """Three times the inner over the outer radius: 1 for a regular tetrahedron, 0 for a flat one."""
    a, b, c, d = (vertices[tetrahedra[:, k]] for k in range(4))
    sides = np.stack([b - a, c - a, d - a], axis=1)
    squares = np.einsum("tij,tij->ti", sides, sides)
    outer = np.linalg.norm(np.linalg.solve(2 * sides, squares[..., None])[..., 0], axis=1)
    faces = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    areas = sum(np.linalg.norm(np.cross(q - p, r - p), axis=1) / 2 for p, q, r in faces)
    return 3 * (3 * volumes(vertices, tetrahedra) / areas) / outer


def within(points, corners):
    """The distance from the origin to the hull of corners (k, 3), relative to a large number of ones."""
    heavy = 1e4
    shares, _ = nnls(np.vstack([corners.T, np.full(len(corners), heavy)]), np.r_[0.0, 0.0, 0.0, heavy])
    return np.linalg.norm(points - shares @ corners)


def samples_on(vertices, triangles, count, seed=0):
    rng = np.random.default_rng(seed)
    chosen = triangles[rng.integers(len(triangles), size=count)]
    return np.einsum("nk,nkd->nd", rng.dirichlet([0.5] * 3, count), vertices[chosen])


@pytest.mark.parametrize(
    "surface",
    [
        cube(),
        icosphere(2),
        torus(24, 12),
        together(cube(), cube(1.0, (2.0, 0.0, 0.0))),
        # A hollow: the inner shell is turned inwards.
        together(icosphere(2, 2.0), (icosphere(1)[0], icosphere(1)[1][:, ::-1])),
    ],
)
@pytest.mark.parametrize("moved", [0.0, 1e3])
def test_a_closed_surface_is_let_pass_however_it_is_turned(surface, moved):
    vertices, triangles = surface
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    require_solid(vertices @ (turn * np.linalg.det(turn)) + moved, triangles)


def test_a_cube_without_its_lid_is_refused_with_the_four_edges_of_the_hole():
    vertices, triangles = cube()
    error = refused(vertices, triangles[[0, 1, 4, 5, 6, 7, 8, 9, 10, 11]])
    assert error.problem == "open_edges" and "Fill Holes" in str(error)
    assert {tuple(edge) for edge in error.places.tolist()} == {(4, 5), (5, 7), (6, 7), (4, 6)}


def test_a_flipped_quad_is_refused_with_its_two_triangles():
    vertices, triangles = cube()
    triangles[[6, 7]] = triangles[[6, 7], ::-1]
    error = refused(vertices, triangles)
    assert error.problem == "flipped" and error.places.tolist() == [6, 7]


def test_a_strip_with_one_side_is_refused_at_a_seam():
    """A Moebius band of quads has one seam along which the directions of its faces cannot agree."""
    n = 9
    low, high = np.arange(n), n + np.arange(n)
    after_low, after_high = np.r_[low[1:], high[0]], np.r_[high[1:], low[0]]
    triangles = np.concatenate(
        [np.stack([low, after_low, after_high], 1), np.stack([low, after_high, high], 1)]
    )
    angle = 2 * np.pi * np.arange(n) / n
    middle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    lean = np.stack(
        [np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)], 1
    )
    report = check_surface(np.concatenate([middle - 0.3 * lean, middle + 0.3 * lean]), triangles)
    assert set(report.flipped.tolist()) == {8, 9}  # the last of one row and the first of the other


def test_an_edge_with_three_faces_is_refused():
    vertices, triangles = cube()
    error = refused(np.vstack([vertices, [0.5, 0.5, 0.5]]), np.vstack([triangles, [[0, 1, 8], [0, 8, 1]]]))
    assert error.problem == "crowded_edges" and error.places.tolist() == [[0, 1]]


def test_a_surface_inside_out_is_refused_also_where_only_one_of_its_parts_is():
    vertices, triangles = together(icosphere(1), cube(1.0, (3.0, 0.0, 0.0)))
    assert len(refused(vertices, triangles[:, ::-1]).places) == 92
    triangles[80:] = triangles[80:, ::-1]
    error = refused(vertices, triangles)
    assert error.problem == "inside_out" and error.places.tolist() == list(range(80, 92))


def test_vertices_that_are_not_numbers_are_refused_and_named_before_all_else():
    vertices, triangles = icosphere(1)
    vertices[[3, 17]] = [[np.nan, 0.0, 0.0], [0.0, np.inf, 0.0]]
    error = refused(vertices, triangles[:-1])
    assert error.problem == "not_finite" and error.places.tolist() == [3, 17]


def test_loose_vertices_and_faces_without_area_are_refused():
    vertices, triangles = cube()
    error = refused(np.vstack([vertices, [[5.0, 5.0, 5.0]]]), triangles)
    assert error.problem == "unused" and error.places.tolist() == [8]
    # A vertex in the middle of the edge from 0 to 1, with a triangle between it and the edge.
    vertices = np.vstack([vertices, 0.3 * vertices[0] + 0.7 * vertices[1]])
    split = [[0, 8, 1], [0, 5, 8], [8, 5, 1]]
    error = refused(vertices, np.vstack([np.delete(triangles, 4, axis=0), split]))
    assert error.problem == "zero_area" and error.places.tolist() == [11]


def test_a_mesh_without_faces_is_refused():
    assert refused(np.zeros((3, 3)), np.zeros((0, 3), int)).places.tolist() == [0, 1, 2]
    assert refused(np.zeros((0, 3)), np.zeros((0, 3), int)).problem == "unused"


@pytest.mark.parametrize("shift", [(0.5, 0.4, 0.3), (0.5, 0.5, 0.5), (0.5, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_two_cubes_that_cross_or_share_walls_are_refused(shift):
    vertices, triangles = together(cube(), cube(1.0, shift))
    error = refused(vertices, triangles)
    assert error.problem == "crossings"
    assert (error.places[:, 0] < 12).all() and (error.places[:, 1] >= 12).all()


def test_a_corner_that_is_pushed_through_the_opposite_wall_is_found():
    vertices, triangles = cube()
    vertices[7] = [-0.5, 0.4, 0.45]
    named = np.unique(refused(vertices, triangles).places)
    assert set(triangles[named].ravel()) >= {0, 4, 6, 7}
    assert (triangles[named] == 7).any() and len(named) < 12


def test_crossings_of_random_triangles_are_those_that_linear_programming_finds():
    rng = np.random.default_rng(5)
    count = 30
    vertices = rng.normal(size=(3 * count, 3)) + np.repeat(rng.normal(size=(count, 3)), 3, axis=0)
    triangles = np.arange(3 * count).reshape(-1, 3)
    expected = []
    for i, j in itertools.combinations(range(count), 2):
        equal = np.hstack([vertices[triangles[i]].T, -vertices[triangles[j]].T])
        sums = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
        if linprog(np.zeros(6), A_eq=np.vstack([equal, sums]), b_eq=[0, 0, 0, 1, 1]).status == 0:
            expected.append([i, j])
    assert len(expected) > 20
    assert check_surface(vertices, triangles).crossings.tolist() == expected


def test_all_problems_have_a_field_in_the_report():
    report = check_surface(*cube())
    assert all(len(getattr(report, problem)) == 0 for problem in PROBLEMS)


def test_triangles_are_traced_back_to_the_faces_that_they_were_cut_from():
    sizes = np.array([3, 5, 4], np.int32)
    triangles = triangulate(np.arange(12, dtype=np.int32), sizes)
    faces = np.repeat(np.arange(3), sizes)
    assert faces[triangles].tolist() == [[face] * 3 for face in faces_of_triangles(sizes)]


def test_winding_numbers_are_solid_angles_and_count_how_often_a_point_is_inside():
    octant = np.eye(3)
    assert winding_numbers(np.zeros((1, 3)), octant, np.array([[0, 1, 2]])) == pytest.approx([1 / 8])
    vertices, triangles = together(cube(), cube(1.0, (0.5, 0.0, 0.0)))
    points = np.array([[0.25, 0.5, 0.5], [0.75, 0.6, 0.5], [1.25, 0.5, 0.3], [1.75, 0.5, 0.5]])
    assert winding_numbers(points, vertices, triangles) == pytest.approx([1, 2, 1, 0], abs=1e-12)


def test_the_enclosed_volume_of_a_torus_approaches_the_closed_form():
    exact = 2 * np.pi**2 * 0.35**2
    errors = [exact - enclosed_volume(*torus(n, n)) for n in (32, 64)]
    assert errors[1] == pytest.approx(0.002 * exact, abs=0.002 * exact)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize(("surface", "euler"), [(icosphere(3), 2), (torus(48, 24), 0)])
def test_a_cage_is_made_of_equal_tetrahedra_and_has_the_topology_of_what_it_holds(surface, euler):
    vertices, tetrahedra = cage(*surface, 0.15)
    cells = volumes(vertices, tetrahedra)
    assert cells == pytest.approx(np.full(len(cells), cells[0])) and cells[0] > 0
    assert radius_ratios(vertices, tetrahedra) == pytest.approx(0.9487, abs=1e-4)  # 3 / sqrt(10)
    pairs = np.array(list(itertools.combinations(range(4), 2)))
    edges = vertices[tetrahedra[:, pairs[:, 0]]] - vertices[tetrahedra[:, pairs[:, 1]]]
    assert np.linalg.norm(edges, axis=-1).mean() == pytest.approx(0.15)
    assert np.array_equal(np.unique(tetrahedra), np.arange(len(vertices)))
    skin, _ = boundary(tetrahedra)
    report = check_surface(vertices, skin)
    assert len(report.open_edges) == len(report.crowded_edges) == len(report.flipped) == 0
    assert euler_characteristic(skin) == euler
    assert enclosed_volume(vertices, skin) == pytest.approx(cells.sum())


@pytest.mark.parametrize("surface", [icosphere(2), torus(30, 15), cube(), icosphere(0)])
@pytest.mark.parametrize("edge_length", [0.17, 0.37, 1.3])
def test_a_cage_holds_every_place_of_the_surface_and_its_inside(surface, edge_length):
    cells = cage(*surface, edge_length)
    box = np.random.default_rng(1).uniform(surface[0].min(0), surface[0].max(0), (2000, 3))
    inside = box[winding_numbers(box, *surface) > 0.5]
    for held in (surface[0], samples_on(*surface, 2000), inside):
        assert Embedding(*cells, held).weights.min() > -1e-8


def test_a_cage_has_no_tetrahedron_that_could_be_spared():
    """Every one of a ball's has a place that is no further from the middle than the ball's faces."""
    vertices, tetrahedra = cage(*icosphere(4), 0.2)
    reach = [within(np.zeros(3), vertices[corners]) for corners in tetrahedra]
    assert max(reach) < 1.0 + 1e-6 and len(reach) > 5000


def test_a_cage_is_the_same_for_the_same_surface_and_whichever_way_it_is_turned():
    vertices, triangles = torus(20, 10)
    first = cage(vertices, triangles, 0.2)
    for other in (triangles, triangles[:, ::-1], np.random.default_rng(0).permutation(triangles)):
        again = cage(vertices, other, 0.2)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_a_cage_of_a_surface_with_mirror_planes_has_them_too():
    vertices, _ = cage(*icosphere(3), 0.22)
    assert np.array_equal(
        np.unique(vertices.round(9) + 0.0, axis=0), np.unique(vertices.round(9) * [-1, 1, 1] + 0.0, axis=0)
    )


def test_a_cage_is_made_for_open_surfaces_and_for_those_that_cross_themselves():
    vertices, triangles = icosphere(3)
    bowl = triangles[vertices[triangles].mean(1)[:, 2] < 0.5]
    cells, tetrahedra = cage(vertices, bowl, 0.2)
    share = volumes(cells, tetrahedra).sum() / (4 / 3 * np.pi)
    assert 0.9 < share < 1.4  # the opening is closed by where the winding number is a half
    crossing = together(cube(), cube(1.0, (0.5, 0.4, 0.3)))
    cells, tetrahedra = cage(*crossing, 0.1)
    assert volumes(cells, tetrahedra).sum() == pytest.approx(2 - 0.5 * 0.6 * 0.7, rel=0.3)
    sheet = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float), np.array([[0, 1, 2]])
    assert Embedding(*cage(*sheet, 0.1), samples_on(*sheet, 500)).weights.min() > -1e-8


def test_a_cage_that_would_not_fit_in_memory_is_refused_with_the_length_that_does():
    surface = cube()
    with pytest.raises(ValueError, match=r"choose 0\.\d+ m or more"):
        cage(*surface, 1e-4)
    with pytest.raises(ValueError, match="not numbers"):
        cage(surface[0] * np.nan, surface[1], 0.1)
    with pytest.raises(ValueError, match="no faces"):
        cage(surface[0], surface[1][:0], 0.1)
    with pytest.raises(ValueError, match="positive"):
        cage(*surface, 0.0)


@pytest.mark.parametrize("surface", [icosphere(3), torus(48, 24), cube(0.02)])
@pytest.mark.parametrize("target", [3000, 20000])
def test_the_edge_length_for_a_number_of_tetrahedra_gives_about_that_number(surface, target):
    _, tetrahedra = cage(*surface, default_edge_length(*surface, target))
    assert len(tetrahedra) == pytest.approx(target, rel=0.15)


@needs_tetwild
@pytest.mark.parametrize(("surface", "euler", "exact"), [
    (icosphere(2), 2, 4 / 3 * np.pi), (torus(24, 12), 0, 2 * np.pi**2 * 0.35**2)
])  # fmt: skip
def test_a_filled_surface_has_its_volume_and_topology(surface, euler, exact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vertices, tetrahedra = tetrahedralise(*surface, 0.35)
    assert Path.cwd() == tmp_path and not list(tmp_path.iterdir())
    cells = volumes(vertices, tetrahedra)
    assert cells.min() > 0 and radius_ratios(vertices, tetrahedra).min() > 0.05
    assert cells.sum() == pytest.approx(enclosed_volume(*surface), rel=0.06)
    assert cells.sum() == pytest.approx(exact, rel=0.12)
    assert np.array_equal(np.unique(tetrahedra), np.arange(len(vertices)))
    skin, _ = boundary(tetrahedra)
    assert len(check_surface(vertices, skin).open_edges) == 0 and euler_characteristic(skin) == euler


@needs_tetwild
def test_a_narrow_envelope_keeps_the_new_surface_close_to_the_given_one():
    vertices, tetrahedra = tetrahedralise(*cube(), 0.6, envelope=0.004)
    skin = np.unique(boundary(tetrahedra)[0])
    assert np.abs(vertices[skin] - 0.5).max(1) == pytest.approx(np.full(len(skin), 0.5), abs=0.0041)
    with pytest.raises(ValueError, match="encloses nothing"):
        tetrahedralise(np.eye(3), np.array([[0, 1, 2]]), 0.4)


def test_without_pytetwild_one_sentence_names_the_way_out(monkeypatch):
    tetrahedralisation._tetwild.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs the package pytetwild.*cage"):
        tetrahedralise(*cube(), 0.5)
