"""A coarse mesh made fine without Blender: each triangle into four, with pins, UVs and weights (Fig. 2).

What Blender's own subdivision, and the levels found in a fine mesh, are held against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.arrays import Floats
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.subdivision.half_edges import (
    check_cut,
    check_vertices,
    half_edges_of,
    split_quads,
)
from neural_physics.subdivision.levels import (
    Hierarchy,
    level_of,
    ordered_corners,
    subdivided_levels,
)


@dataclass(frozen=True)
class Subdivided:
    """A fine mesh of triangles and what was carried along.

    hierarchy: its levels; its order is that of the mesh. uvs (3 T, 2): of each corner, as the mesh has them,
    None without any. weights (V, k): vertex groups.
    """

    mesh: Mesh
    hierarchy: Hierarchy
    uvs: Floats | None
    weights: Floats


def subdivided(
    mesh: Mesh,
    levels: int,
    object_name: str,
    *,
    uvs: NDArray[np.floating] | None = None,
    weights: NDArray[np.floating] | None = None,
) -> Subdivided:
    """The mesh with `levels` finer levels, new vertices in the middle of the edges (section 3.1).

    uvs (C, 2): of each corner; seams stay seams. weights (V, k). New weights and UVs are means, new pins
    the lower of two: only what is between two pinned vertices is pinned.
    Raises Problem("levels_loose" | "levels_corners" | "levels_edge_shared" | "levels_winding" |
    "levels_cut_shared").
    """
    check_vertices(mesh, object_name)
    half_edges_of(mesh.corners, mesh.face_sizes, object_name)
    places = split_quads(mesh.corners, mesh.face_sizes)
    of_vertices = mesh.corners[places]
    check_cut(of_vertices, object_name)
    triangles = ordered_corners(of_vertices, mesh.rest_positions)
    # The UVs turn with the corners; a triangle has each vertex once.
    turn = np.argmax(of_vertices == triangles[:, :1], axis=1)
    places = np.take_along_axis(places, (turn[:, None] + np.arange(3)) % 3, axis=1)
    hierarchy_levels = subdivided_levels(level_of(triangles, mesh.vertex_count), levels)
    positions, pins = mesh.rest_positions, mesh.pins
    groups = np.zeros((mesh.vertex_count, 0), np.float32) if weights is None else weights
    corner_uvs = None if uvs is None else uvs[places]
    for level in hierarchy_levels[:-1]:
        positions = np.concatenate([positions, level.midpoints(positions)])
        groups = np.concatenate([groups, level.midpoints(groups)])
        pins = np.concatenate([pins, pins[level.edges].min(axis=1)])
        if corner_uvs is not None:
            corner_uvs = _split_corners(corner_uvs)
    finest = hierarchy_levels[-1]
    fine = Mesh(
        positions.astype(np.float32),
        finest.triangles.ravel().astype(np.int32),
        np.full(len(finest.triangles), 3, np.int32),
        pins.astype(np.float32),
    )
    carried = None if corner_uvs is None else corner_uvs.reshape(-1, 2).astype(np.float32)
    hierarchy = Hierarchy(hierarchy_levels, np.arange(finest.vertex_count))
    return Subdivided(fine, hierarchy, carried, groups.astype(np.float32))


def _split_corners(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Values of the corners of triangles (m, 3, k) at those of their four parts, as `Level.next` has them."""
    p, q, r = values.swapaxes(0, 1)
    a, b, c = 0.5 * (q + r), 0.5 * (r + p), 0.5 * (p + q)
    return np.stack([p, c, b, c, q, a, b, a, r, a, b, c], 1).reshape(-1, 3, values.shape[2])
