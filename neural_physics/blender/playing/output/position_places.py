"""Where the positions that an object shows are written: into its own mesh, or into one made for them.

A mesh that several objects show, or that belongs to another file, cannot hold them: each of its objects has a
place of its own then, an object that is in no scene, whose mesh has as many vertices and no faces.
"""

from __future__ import annotations

import bpy

from ...scene.sources import mesh_data, sharing
from .geometry_nodes import find_modifier, forget_place, place_in, remove_positions, set_place

NAME = "Neural Physics Positions of {object}"


def place_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The place of an object; None where its positions are in its own mesh, or it shows none."""
    modifier = find_modifier(obj)
    return None if modifier is None else place_in(modifier)


def positions_mesh(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh that the positions of an object are written into."""
    return mesh_data(place_of(obj) or obj)


def needs_place(obj: bpy.types.Object) -> bool:
    """Whether its own mesh cannot hold its positions."""
    mesh = mesh_data(obj)
    elsewhere = mesh.library or mesh.override_library or obj.override_library
    return elsewhere is not None or sharing(obj) is not None


def give_place(obj: bpy.types.Object) -> None:
    """Let the modifier of an object that plays read a place of its own, where it needs one."""
    modifier, place = find_modifier(obj), place_of(obj)
    if modifier is None:
        return
    if place is None and not needs_place(obj):
        return
    if place is None or not _is_its_own(place, obj):
        set_place(modifier, _new_place(obj))
        _remove_unused(place)
        take_own(obj)


def take_place(obj: bpy.types.Object) -> None:
    """Take the positions of an object away, and the place that was made for them."""
    modifier, place = find_modifier(obj), place_of(obj)
    if modifier is not None and place is not None:
        forget_place(modifier)
        _remove_unused(place)
    else:
        take_own(obj)


def take_own(obj: bpy.types.Object) -> None:
    """Take away what was written into an object's own mesh, where it has one."""
    if obj.type == "MESH" and mesh_data(obj).library is None:
        remove_positions(mesh_data(obj))


def _is_its_own(place: bpy.types.Object, obj: bpy.types.Object) -> bool:
    """Whether nothing but this object shows what is written there: a file may name any object.

    One that does anything by itself was not made here, and would be evaluated with what shows it.
    """
    mesh = mesh_data(place)
    elsewhere = place.library or mesh.library or place.override_library
    fits = len(mesh.vertices) == len(mesh_data(obj).vertices)
    acts = (place.modifiers, place.constraints, place.particle_systems)
    depends = (
        place.parent,
        place.animation_data,
        place.instance_collection,
        mesh.animation_data,
        mesh.shape_keys,
    )
    at_rest = not any(len(each) for each in acts) and not any(depends) and not place.material_slots
    return elsewhere is None and place.users == mesh.users == 1 and fits and at_rest


def _new_place(obj: bpy.types.Object) -> bpy.types.Object:
    name = NAME.format(object=obj.name)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(mesh_data(obj).vertices))
    return bpy.data.objects.new(name, mesh)


def _remove_unused(place: bpy.types.Object | None) -> None:
    if place is not None and place.library is None and place.users == 0:
        mesh = mesh_data(place)
        bpy.data.objects.remove(place)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
