"""Showing the artist where a mesh keeps the bundled solver from filling it."""

from __future__ import annotations

from typing import Any, Literal, cast

import bmesh
import bpy

from ...baking.plan import places_file
from ...baking.surface_places import Kind, Places
from ...errors import Problem
from ..scene.selecting import select_only
from ..scene.sources import check_mesh
from ..settings.paths import dataset_folder

SELECT_MODES: dict[Kind, Literal["VERT", "EDGE", "FACE"]] = {
    "vertices": "VERT",
    "edges": "EDGE",
    "faces": "FACE",
}


def places_of(obj: bpy.types.Object) -> Places | None:
    """Where the last bake of an object could not fill its mesh; None if it could, or the mesh has changed."""
    places = Places.read(places_file(dataset_folder(obj)))
    if places is None or not isinstance(obj.data, bpy.types.Mesh) or places.object != obj.name:
        return None
    mesh = obj.data
    counts = {"vertices": len(mesh.vertices), "edges": len(mesh.edges), "faces": len(mesh.polygons)}
    return places if counts[places.kind] == places.count else None


def show_places(obj: bpy.types.Object) -> Places:
    """Enter Edit Mode with these places selected and nothing else, all shown; what they are.

    Raises Problem("places_unknown" | "object_not_in_scene" | "object_hidden"), and what `sources.check_mesh`
    does.
    """
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")  # the mesh has its changes only then
    places = places_of(obj)
    if places is None:
        raise Problem("places_unknown", object=obj.name)
    check_mesh(obj)
    if not obj.hide_viewport and obj.hide_get():
        obj.hide_set(False)
    select_only(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    _select_places(cast(bpy.types.Mesh, obj.data), places)
    return places


def _select_places(mesh: bpy.types.Mesh, places: Places) -> None:
    mode = SELECT_MODES[places.kind]
    bpy.ops.mesh.select_mode(type=mode)
    shape = bmesh.from_edit_mesh(mesh)
    # Three kinds of sequence, which have the same methods but no common type.
    elements: dict[str, Any] = {"VERT": shape.verts, "EDGE": shape.edges, "FACE": shape.faces}
    for sequence in elements.values():
        for element in sequence:
            element.hide_set(False)
            element.select_set(False)
    chosen = elements[mode]
    chosen.ensure_lookup_table()
    for index in places.indices:
        chosen[index].select_set(True)
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
