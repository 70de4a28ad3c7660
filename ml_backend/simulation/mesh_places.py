"""Mapping places on the triangles of a surface to places on the artist's mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neural_physics.arrays import Indices
from neural_physics.baking.surface_places import Kind, Places
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.solver.meshing.surface_checks import UnsuitableSurface, faces_of_triangles

OF_VERTICES, OF_EDGES = ("not_finite", "unused"), ("open_edges", "crowded_edges")


def places_on_mesh(unsuitable: UnsuitableSurface, request: SimulationRequest) -> Places:
    """The vertices, edges or faces of the mesh that a surface of its triangles is unsuitable at."""
    if unsuitable.problem in OF_VERTICES:
        return _places(request, "vertices", unsuitable.places)
    if unsuitable.problem not in OF_EDGES:  # triangles, or pairs of them
        return _places(request, "faces", faces_of_triangles(request.face_sizes)[unsuitable.places])
    edges = _edges(unsuitable.places, request.edges)
    if (edges < 0).any():  # the diagonal of a face, which the mesh has no edge for
        return _places(request, "vertices", unsuitable.places)
    return _places(request, "edges", edges)


def _edges(ends: NDArray[np.integer], edges: NDArray[np.integer]) -> Indices:
    """(k,) which of a mesh's edges (E, 2) have such ends (k, 2); -1 where none has."""
    numbers = {pair: number for number, pair in enumerate(map(tuple, np.sort(edges, axis=1).tolist()))}
    return np.array([numbers.get(tuple(pair), -1) for pair in np.sort(ends, axis=1).tolist()], np.intp)


def _places(request: SimulationRequest, kind: Kind, indices: NDArray[np.integer]) -> Places:
    counts = {
        "vertices": len(request.rest_positions),
        "edges": len(request.edges),
        "faces": len(request.face_sizes),
    }
    return Places(request.object, kind, tuple(np.unique(indices).tolist()), counts[kind])
