"""From what Blender asks for to the body: filled, weighed, held; and what no body can be made of."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from bake_requests import cloth, cuboid, grid, hair, jelly, request

from ml_backend.simulation.bodies import made_of, make_body
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.strands import strands_of_edges
from neural_physics.errors import Problem

CUBE = cuboid((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@pytest.mark.skipif(find_spec("pytetwild") is None, reason="pytetwild is not installed")
def test_a_filled_cube_weighs_what_it_should_and_carries_its_corners():
    asked = request(replace(jelly(density=800.0), filling="tetwild", tetrahedra=600), CUBE, pins=[0, 1, 2, 3])
    body = make_body(asked)
    assert 300 < len(body.elements) < 1200
    assert body.masses.sum() == pytest.approx(800.0, rel=0.02)
    assert body.carried(body.rest_positions) == pytest.approx(asked.rest_positions, abs=1e-9)
    low = body.rest_positions[body.pinned, 0]
    assert body.pinned.any() and low.max() < 0.5  # near x = 0, where the pinned corners are
    assert made_of(body, asked) and not made_of(body, replace(asked, pins=~asked.pins))


def test_a_cage_holds_what_is_open_and_has_about_as_many_tetrahedra_as_asked_for():
    vertices, corners, sizes = CUBE
    asked = request(replace(jelly(), tetrahedra=900), (vertices, corners[4:], sizes[1:]))
    body = make_body(asked)
    assert 900 / 1.5 < len(body.elements) < 900 * 1.5
    assert body.carried(body.rest_positions) == pytest.approx(vertices, abs=1e-9)


def test_a_sheet_weighs_its_area_and_keeps_its_vertices():
    asked = request(cloth(area_density=0.2), grid((4, 3), (2.0, 1.5)), pins=[0])
    body = make_body(asked)
    assert body.masses.sum() == pytest.approx(0.2 * 3.0)
    assert len(body.elements) == 24 and body.embedding_corners is None
    assert np.array_equal(body.rest_positions, asked.rest_positions)
    assert body.pinned.sum() == 1


def test_strands_weigh_their_length_whatever_way_their_edges_run():
    points = np.array([[0.0, 0, 0], [0, 0, -1], [0, 0, -3], [1, 0, 0], [1, 0, -1], [1, 1, -1]])
    edges = [(2, 1), (0, 1), (5, 4), (4, 3)]
    asked = request(hair(radius=2e-3, density=900.0), (points, [], []), edges=edges)
    body = make_body(asked)
    assert body.masses.sum() == pytest.approx(900.0 * np.pi * 4e-6 * 5.0)
    assert body.elements.tolist() == [[0, 1], [1, 2], [3, 4], [4, 5]]
    assert body.masses[1] == pytest.approx(900.0 * np.pi * 4e-6 * 1.5)


def test_strands_found_again_are_the_same_and_rings_close():
    ring = [(0, 3), (3, 5), (5, 0)]
    chain = [(9, 7), (7, 8), (1, 9)]
    strands = strands_of_edges(np.array(ring + chain))
    assert strands.edges.tolist() == [[1, 9], [9, 7], [7, 8], [0, 3], [3, 5], [5, 0]]
    assert strands.joints.tolist() == [[0, 1], [1, 2], [3, 4], [4, 5], [5, 3]]
    assert strands.places.tolist() == [0, 1, 2, 0, 1, 2]
    again = strands_of_edges(strands.edges[::-1])
    assert again.edges.tolist() == strands.edges.tolist()


@pytest.mark.parametrize(
    ("asked", "code", "match"),
    [
        (request(jelly(young=0.1), CUBE), "material_unusable", "Young"),
        (request(jelly(density=float("inf")), CUBE), "material_unusable", "density"),
        (request(cloth(thickness=5.0), grid((1, 1), (1, 1))), "material_unusable", "thickness"),
        (request(hair(radius=0.0), grid((1, 1), (1, 1)), edges=[(0, 1)]), "material_unusable", "radius"),
        (request(cloth(), grid((1, 1), (1, 1)), pins=range(4)), "nothing_free", "pinned"),
        (
            request(replace(jelly(), filling="tetwild"), (CUBE[0], CUBE[1][4:], CUBE[2][1:])),
            "body_unusable",
            "open",
        ),
        (request(cloth(), (np.r_[CUBE[0], [[5, 5, 5]]], CUBE[1], CUBE[2])), "body_unusable", "1 of its"),
        (request(cloth(), (CUBE[0], [], [])), "body_unusable", "no faces"),
        (request(cloth(), (0 * CUBE[0], CUBE[1], CUBE[2])), "body_unusable", "without area"),
        (request(cloth(), (CUBE[0] * [[1, 1, np.nan]], CUBE[1], CUBE[2])), "body_unusable", "8 of its"),
        (request(jelly(), (1e6 * CUBE[0], CUBE[1], CUBE[2])), "body_unusable", "1.73e.06 m across"),
        (request(jelly(), (1e-6 * CUBE[0], CUBE[1], CUBE[2])), "body_unusable", "1.73e-06 m across"),
        (request(hair(), (CUBE[0], [], [])), "body_unusable", "no edges"),
        (request(hair(), (CUBE[0][:4], [], []), edges=[(0, 1), (0, 2), (0, 3)]), "body_unusable", "branch"),
        (request(hair(), (CUBE[0][:3], [], []), edges=[(0, 1)]), "body_unusable", "1 of its"),
        (request(hair(), (0 * CUBE[0][:2], [], []), edges=[(0, 1)]), "body_unusable", "without length"),
    ],
)
def test_what_no_body_can_be_made_from_is_refused_by_name(asked, code, match):
    with pytest.raises(Problem, match=match) as raised:
        make_body(asked)
    assert raised.value.code == code and "Thing" in raised.value.message


def test_a_strand_folded_back_has_no_shape_at_rest():
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 0, 0]])
    body = make_body(request(hair(), (points, [], []), edges=[(0, 1), (1, 2)]))
    with pytest.raises(ValueError, match="folded"):
        elastic_parts(body)
