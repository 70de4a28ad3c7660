"""The colliders that contact corrections cannot learn from, told before a bake; for panels drawn often.

What shape a collider has is looked at once a second at most.
"""

from __future__ import annotations

import time

import bpy
import numpy as np

from ...coordinates import plane_of
from ...datasets.status import LOOK_AGAIN
from ...energies.colliders.collider import Collider
from ...energies.colliders.half_space import HalfSpace
from ...energies.colliders.recognising import Recognised, recognised
from ...energies.colliders.same_shape import alike
from ...errors import Problem
from ..scene.collider_meshes import collider_mesh, collider_objects
from ..scene.sources import mesh_data, read_positions
from ..settings.properties import settings_of

_shapes: dict[int, tuple[float, Recognised | None]] = {}  # by the collider's session_uid


def check_colliders(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Raise Problem("contact_collider_shape" | "contact_colliders_differ") for what would be refused later.

    One network tells all moving colliders' dents (Romero 2021, section 4.2): of balls it knows the size.
    What is flat meets any shape, as its plane cuts it, which is looked at where takes are simulated.
    """
    if plane_of(read_positions(mesh_data(obj)).astype(np.float64)) is not None:
        return
    listed = {item.object for item in settings_of(obj).interactions}
    moving: list[Collider] = []
    for other in collider_objects(scene, obj):
        found = _shape_of(other)
        if found is None or (other in listed and isinstance(found.shape, HalfSpace)):
            raise Problem("contact_collider_shape", object=obj.name, collider=other.name)
        if other in listed:
            moving.append(found.shape)
    if not alike(moving):
        raise Problem("contact_colliders_differ", object=obj.name)


def look_again() -> None:
    """Do not rely on what was seen of a collider a moment ago."""
    _shapes.clear()


def _shape_of(other: bpy.types.Object) -> Recognised | None:
    when, found = _shapes.get(other.session_uid, (float("-inf"), None))
    if time.monotonic() - when > LOOK_AGAIN:
        mesh = collider_mesh(bpy.context.evaluated_depsgraph_get(), other)
        found = recognised(mesh.vertices, mesh.triangles) if len(mesh.triangles) else None
        _shapes[other.session_uid] = time.monotonic(), found
    return found
