"""The shapes that what the bundled solver simulates may run into: objects with a Collision modifier."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np

from ...datasets.simulation_request import ColliderMesh
from ...errors import Problem
from ..settings.properties import settings_of
from .collider_sizes import width_of
from .rigid_placement import stretch
from .sources import CARRYING_TYPES, PHYSICS_TYPES, read_positions, triangles_of

# What changes an object's shape from frame to frame.
DEFORMING_TYPES = (*CARRYING_TYPES, *PHYSICS_TYPES, "MESH_CACHE", "MESH_SEQUENCE_CACHE", "OCEAN", "WAVE")


def collider_objects(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What `obj` may run into: all meshes in the scene that collide and are not disabled in viewports."""
    return [
        other
        for other in scene.objects
        if other != obj and other.type == "MESH" and not other.hide_viewport and collides(other)
    ]


def check_colliders(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Raise Problem("collider_deforms" | "collider_without_faces") for what is no rigid shape."""
    for other in collider_objects(scene, obj):
        bending = [modifier for modifier in other.modifiers if _deforms(modifier)]
        if bending:
            raise Problem("collider_deforms", object=other.name, modifier=bending[0].name)
        if not cast(bpy.types.Mesh, other.data).polygons:
            raise Problem("collider_without_faces", object=other.name)


def collider_mesh(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object) -> ColliderMesh:
    """The object's shape after its modifiers, with its scale, in axes that it moves with."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = cast(bpy.types.Mesh, evaluated.data)
    scale = stretch(evaluated.matrix_world)
    triangles = triangles_of(mesh)
    if np.linalg.det(scale) < 0.0:
        triangles = triangles[:, ::-1]
    vertices = read_positions(mesh).astype(np.float64) @ scale.T
    return ColliderMesh(obj.name, vertices, triangles, width_of(depsgraph, obj) or 0.0)


def collides(obj: bpy.types.Object) -> bool:
    """Also what only rests while something plays."""
    resting = settings_of(obj).resting_collision[0]
    return any(m.type == "COLLISION" and (m.show_viewport or resting) for m in obj.modifiers)


def _deforms(modifier: bpy.types.Modifier) -> bool:
    return modifier.show_viewport and modifier.type in DEFORMING_TYPES
