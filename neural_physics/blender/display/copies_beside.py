"""Copies of an object beside it, in a collection of their own: to look at, and to take away again."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ..playing.output.geometry_nodes import remove_positions
from ..scene.sources import mesh_data

TAG = "neural_physics_copy"  # holds the name that a copy was given: a renamed one is the artist's
LONGEST_NAME = 63  # bytes that every Blender keeps of a name
GAP = 1.2  # from one copy to the next, in widths of the object


def collection_name(what: str, obj: bpy.types.Object) -> str:
    """Of the copies of an object that show something of it; no longer than Blender keeps."""
    return f"{what} of {obj.name}".encode()[:LONGEST_NAME].decode(errors="ignore")


def open_collection(scene: bpy.types.Scene, name: str) -> bpy.types.Collection:
    """The collection of that name, in the scene, without the copies that were in it.

    One that is somewhere else gives its name up: what is in it may be hidden there, and is nobody's copy.
    """
    remove_copies(name)
    there = bpy.data.collections.get((name, None))
    if there is not None and there in scene.collection.children.values():
        return there
    collection = bpy.data.collections.new(name)
    collection.rename(name, mode="ALWAYS")
    scene.collection.children.link(collection)
    return collection


def put(collection: bpy.types.Collection, copy: bpy.types.Object) -> None:
    """Add a copy that `remove_copies` takes away again."""
    copy[TAG] = copy.name
    collection.objects.link(copy)


def copies_in(name: str) -> list[bpy.types.Object]:
    """The copies in the collection of that name."""
    collection = bpy.data.collections.get((name, None))
    return [obj for obj in collection.objects if obj.get(TAG) == obj.name] if collection else []


def remove_copies(name: str) -> None:
    """Take the copies in a collection away again, and nothing else; harmless where there are none."""
    for copy in copies_in(name):
        data, animation = copy.data, copy.animation_data
        action = animation.action if animation else None
        bpy.data.objects.remove(copy)
        if isinstance(data, bpy.types.Mesh) and data.users == 0:
            bpy.data.meshes.remove(data)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)
    collection = bpy.data.collections.get((name, None))
    if collection is not None and not collection.objects and not collection.children:
        bpy.data.collections.remove(collection)


def copy_beside(obj: bpy.types.Object, name: str, step: int) -> bpy.types.Object:
    """The object's mesh alone, some widths beside it along the world's X axis."""
    mesh = mesh_data(obj).copy()
    mesh.name = name
    remove_positions(mesh)
    copy = bpy.data.objects.new(name, mesh)
    copy.matrix_world = shift(obj, step) @ obj.matrix_world
    return copy


def shift(obj: bpy.types.Object, step: int) -> Matrix:
    """The translation from an object to the place beside it."""
    width = max(obj.dimensions.x, obj.dimensions.y, 1e-3)
    return Matrix.Translation((GAP * step * width, 0.0, 0.0))
