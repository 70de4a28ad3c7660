"""The points of a solid that touch, where vertices alone would not do: where its tetrahedra reach beyond the
artist's mesh, and along the outline of a flat one.
"""

from __future__ import annotations

import numpy as np

from neural_physics.arrays import Doubles, Indices
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.errors import Problem
from neural_physics.models.normals import triangulate
from neural_physics.solver.contact.embedded import Carrier
from neural_physics.solver.meshing.element_sides import boundary
from neural_physics.solver.meshing.embedding import NO_SHARE, Embedding

# Of each edge of an outline, its beginning included: a tooth as thin as that does not slip between.
ON_EDGES = 5
MOST_POINTS = 2_000_000


def contact_carrier(body: Body, request: SimulationRequest) -> Carrier | None:
    """The mesh's surface as points, no further apart than the edges of a cage, or a flat one's outline.

    None for other solids, of which the vertices touch, and for what is no solid. What hangs on a pinned
    vertex is left out: it goes where it is carried, whatever is in its way. Raises Problem("body_unusable").
    """
    if body.settings.kind != "solid":
        return None
    if body.flat:
        return _free(body, *_along(boundary(body.elements)[0]))
    if body.settings.filling != "cage":
        return None
    sides = body.rest_positions[body.elements[:, :2]]
    length = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).mean())
    triangles = triangulate(request.corners, request.face_sizes)
    try:
        points = sampled(request.rest_positions[triangles], length)
    except ValueError as error:
        raise Problem("body_unusable", object=request.object, reason=str(error)) from error
    embedding = Embedding(body.rest_positions, body.elements, points)
    return _free(body, embedding.corners, embedding.weights)


def _free(body: Body, corners: Indices, weights: Doubles) -> Carrier:
    """The candidates that hang on no pinned vertex."""
    held = (body.pinned[corners] & (np.abs(weights) > NO_SHARE)).any(axis=1)
    return Carrier(corners[~held], weights[~held])


def _along(edges: Indices) -> tuple[Indices, Doubles]:
    """Corners and weights (P, 3) of points along edges (m, 2) that follow each other around."""
    shares = np.tile(np.arange(ON_EDGES) / ON_EDGES, len(edges))
    a, b = np.repeat(edges, ON_EDGES, axis=0).T
    return np.stack([a, b, a], 1), np.stack([1.0 - shares, shares, np.zeros(len(shares))], 1)


def sampled(corners: Doubles, spacing: float) -> Doubles:
    """(P, 3), each once: the corners of triangles (m, 3, 3), and points between, about `spacing` m apart.

    Raises ValueError for more than `MOST_POINTS`.
    """
    longest = np.linalg.norm(np.roll(corners, 1, axis=1) - corners, axis=-1).max(axis=1)
    parts = np.maximum(np.ceil(longest / spacing), 1)
    if (0.5 * (parts + 1) * (parts + 2)).sum() > MOST_POINTS:
        raise ValueError(
            f"its mesh has triangles of up to {longest.max():.3g} m, far too large for tetrahedra of "
            f"{spacing:.3g} m"
        )
    parts = parts.astype(np.intp)
    points = []
    for n in np.unique(parts):
        i, j = np.indices((n + 1, n + 1)).reshape(2, -1)
        inside = i + j <= n
        shares = np.stack([i, j, n - i - j], axis=1)[inside] / n
        points.append((shares @ corners[parts == n]).reshape(-1, 3))
    found = np.concatenate(points)
    _, first = np.unique(np.round(found / (1e-6 * spacing)), axis=0, return_index=True)
    return found[np.sort(first)]


def shared_out(masses: Doubles, carrier: Carrier) -> Doubles:
    """(P,) kg: of the body's vertices (B,), to the points that they carry, by their weights."""
    shares = np.abs(carrier.weights)
    totals = np.bincount(carrier.corners.ravel(), shares.ravel(), len(masses))
    each = masses[carrier.corners] / np.maximum(totals[carrier.corners], NO_SHARE)
    return np.einsum("pk,pk->p", shares, each)
