"""Where a surface is unsuitable, as elements of the mesh that its triangles were made of."""

from __future__ import annotations

import numpy as np
import pytest
from bake_requests import cuboid, jelly, request

from ml_backend.simulation.mesh_places import places_on_mesh
from neural_physics.baking.surface_places import Places
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.models.normals import triangulate
from neural_physics.solver.meshing.surface_checks import UnsuitableSurface, require_solid

VERTICES, CORNERS, SIZES = cuboid((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
QUADS = CORNERS.reshape(-1, 4)
# In another order than that of the faces, and from the higher end to the lower.
EDGES = np.unique(np.sort(np.stack([QUADS, np.roll(QUADS, -1, 1)], -1).reshape(-1, 2)), axis=0)[::-1, ::-1]


def asked_for(vertices=VERTICES, quads=QUADS) -> SimulationRequest:
    return request(jelly(), (vertices, np.asarray(quads).ravel(), np.full(len(quads), 4)), edges=EDGES)


def places(asked: SimulationRequest) -> Places:
    with pytest.raises(UnsuitableSurface) as raised:
        require_solid(asked.rest_positions, triangulate(asked.corners, asked.face_sizes))
    return places_on_mesh(raised.value, asked)


def test_a_hole_is_at_its_edges():
    found = places(asked_for(quads=QUADS[1:]))
    ends = {frozenset(EDGES[index].tolist()) for index in found.indices}
    sides = zip(QUADS[0], np.roll(QUADS[0], -1), strict=True)
    assert found.kind == "edges" and found.count == 12
    assert ends == {frozenset((int(a), int(b))) for a, b in sides}


def test_a_loose_vertex_is_a_vertex():
    found = places(asked_for(np.concatenate([VERTICES, [[5.0, 5.0, 5.0]]])))
    assert found == Places("Thing", "vertices", (8,), 9)


def test_faces_are_counted_as_the_artist_does_and_not_as_triangles():
    turned = QUADS.copy()
    turned[4] = turned[4, ::-1]
    assert places(asked_for(quads=turned)) == Places("Thing", "faces", (4,), 6)
    assert places(asked_for(quads=QUADS[:, ::-1])).indices == (0, 1, 2, 3, 4, 5)


def test_the_faces_of_parts_that_cross_are_named_once():
    both = np.concatenate([VERTICES, VERTICES + 0.4])
    found = places(asked_for(both, np.concatenate([QUADS, QUADS + 8])))
    assert found.kind == "faces" and found.count == 12
    assert len(set(found.indices)) == len(found.indices) == 6


def test_where_the_diagonal_of_a_face_is_crowded_its_ends_are_shown():
    """The triangles have an edge there, and the mesh has none."""
    crowded = UnsuitableSurface("", "crowded_edges", np.array([[0, 3]]))
    assert (EDGES != [3, 0]).any(1).all()
    assert places_on_mesh(crowded, asked_for()) == Places("Thing", "vertices", (0, 3), 8)
