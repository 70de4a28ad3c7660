"""A coarse mesh made fine, so that hierarchical cloth finds its levels (Oh 2018, section 3.1 and Fig. 2).

Blender's own subdivision puts the new vertices in the middle of edges and quads, and carries along whatever
the mesh has: UVs, weights, shape keys, colours, materials. Pins alone are not means.
"""

from __future__ import annotations

from typing import Any

import bmesh
import bpy
import numpy as np

from ...arrays import Indices
from ...errors import Problem
from ...subdivision.half_edges import check_cut, check_vertices, half_edges_of, split_quads
from ...subdivision.levels import MOST_COARSE
from ...subdivision.usual_levels import check_levels
from ..scene.sources import check_mesh, mesh_data, mesh_of, pin_group, sharing
from ..settings.properties import method_of, settings_of
from ..tasks.facts import forget_facts, topology_of

MOST_TRIANGLES = 2_000_000  # of the finest mesh: more take minutes to make


def check_subdivide(obj: bpy.types.Object | None) -> None:
    """Whether a mesh is one to be subdivided, for panels drawn often; its faces are looked at later.

    Raises what `sources.check_mesh` does, and Problem("mesh_shared" | "mesh_without_faces" |
    "subdivide_playing" | "subdivide_not_coarse").
    """
    check_mesh(obj)
    assert obj is not None  # check_mesh has refused it
    other = sharing(obj)
    if other is not None:
        raise Problem("mesh_shared", object=obj.name, other=other.name)
    if settings_of(obj).playing:
        raise Problem("subdivide_playing", object=obj.name)
    mesh = mesh_data(obj)
    if not mesh.polygons:
        raise Problem("mesh_without_faces", object=obj.name)
    if len(mesh.vertices) > MOST_COARSE:
        raise Problem("subdivide_not_coarse", object=obj.name, count=len(mesh.vertices), allowed=MOST_COARSE)


def _check_faces(obj: bpy.types.Object, levels: int) -> None:
    mesh = mesh_of(obj)
    check_vertices(mesh, obj.name)
    half_edges_of(mesh.corners, mesh.face_sizes, obj.name)
    check_cut(mesh.corners[split_quads(mesh.corners, mesh.face_sizes)], obj.name)
    triangles = int((mesh.face_sizes - 2).sum()) * 4**levels
    if triangles > MOST_TRIANGLES:
        raise Problem(
            "subdivide_too_fine",
            object=obj.name,
            levels=levels,
            count=f"{triangles:,}",
            allowed=f"{MOST_TRIANGLES:,}",
        )


def offers_subdivide(obj: bpy.types.Object) -> bool:
    """Whether an object that is to be hierarchical cloth has no coarser level yet."""
    if not method_of(obj).has_levels:
        return False
    try:
        check_mesh(obj)
        check_levels(topology_of(obj), lambda: mesh_of(obj), obj.name)
    except Problem as problem:
        return problem.code in ("levels_quads", "levels_not_found")
    return False


def subdivide_cloth(obj: bpy.types.Object, levels: int) -> None:
    """Add finer levels to an object's mesh: every vertex stays, with its number, and new ones come after.

    New weights, UVs and all else are means; a new vertex is pinned as the least of those that it is between,
    so that only what is between pinned vertices is pinned. Raises what `check_subdivide` does, and
    Problem("levels_loose" | "levels_corners" | "levels_edge_shared" | "levels_winding" |
    "levels_cut_shared" | "subdivide_too_fine"); then nothing has changed.
    """
    check_subdivide(obj)
    _check_faces(obj, levels)
    pins = obj.vertex_groups.get(pin_group(obj))
    data = mesh_data(obj)
    work = bmesh.new()
    try:
        work.from_mesh(data)
        for _ in range(levels):
            before = len(work.verts)
            bmesh.ops.subdivide_edges(work, edges=work.edges[:], cuts=1, use_grid_fill=True)
            if pins is not None:
                _pin_between(work, before, pins.index)
        work.to_mesh(data)
    finally:
        work.free()
    data.update()
    forget_facts()


def _pin_between(work: bmesh.types.BMesh, before: int, group: int) -> None:
    """Give the vertices from `before` on the least weight of those that they are between."""
    layer = work.verts.layers.deform.verify()
    work.verts.index_update()
    work.verts.ensure_lookup_table()
    # Weights by group; the stubs do not know that they are one of Python's mappings.
    groups: list[Any] = [vertex[layer] for vertex in work.verts]
    weights = np.array([each.get(group, 0.0) for each in groups])
    in_quads = []
    for vertex in work.verts[before:]:
        around = _neighbours(vertex)
        ends = around[around < before]
        if len(ends):
            weights[vertex.index] = weights[ends].min()
        else:
            in_quads.append(vertex)
    for vertex in in_quads:  # between the middles of the quad's sides
        weights[vertex.index] = weights[_neighbours(vertex)].min()
    for each, weight in zip(groups[before:], weights[before:], strict=True):
        if weight > 0.0:
            each[group] = weight
        elif group in each:
            del each[group]


def _neighbours(vertex: bmesh.types.BMVert) -> Indices:
    """The numbers of the vertices that share an edge with it."""
    others = (edge.other_vert(vertex) for edge in vertex.link_edges)
    return np.array([other.index for other in others if other is not None], np.intp)
