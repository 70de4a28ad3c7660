"""From a flat mesh to a solid in its plane: filled with triangles, and one metre deep across it."""

from __future__ import annotations

from neural_physics.arrays import Doubles, Indices
from neural_physics.coordinates import Coordinates
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.errors import Problem
from neural_physics.solver.meshing.triangulation import area_inside, fill_outline, outline


def filled_plane(request: SimulationRequest, plane: Coordinates) -> tuple[Doubles, Indices]:
    """Vertices (n, 2) and about as many triangles (t, 3) as tetrahedra are asked for.

    Raises ValueError for an outline that cannot be filled, and Problem("flat_touches_itself").
    """
    if request.settings.self_contact:
        raise Problem("flat_touches_itself", object=request.object)
    rest = plane.of(request.rest_positions)
    area = area_inside(rest, request.corners, request.face_sizes)
    if not area > 0.0:
        raise ValueError("It has faces without area: remove them with Mesh > Clean Up > Degenerate Dissolve.")
    edges = outline(request.corners, request.face_sizes)
    return fill_outline(rest, edges, area, request.settings.tetrahedra)
