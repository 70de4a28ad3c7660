"""Bunny with Core: soft flesh around a stiff core, and handles on its skin (Romero 2021, Fig. 11).

As in the paper the core is one frame, and 24 points are spread over the skin. Here the feet sit fast, so that
the core is tilted and shaken as a whole, too.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ....arrays import Doubles
from ....methods.contact_corrections import specification as contact_corrections
from ...scene.sources import mesh_data, read_positions
from ...settings.properties import settings_of
from ..limbs import Limb, add_rig
from ..parts import Key, add_handle, animate
from ..stage import Point
from . import bunny

TETRAHEDRA = 2000
CORE: tuple[Point, Point] = ((0.0, 0.12, 0.32), (0.0, -0.1, 0.62))  # metres: its line
CORE_RADIUS = 0.2  # metres
POINTS = 24
INSIDE = 0.01  # metres, from the skin
CLEAR = 4.0  # heights of the feet: what is pinned reaches up to 2.7 of them, by how the body is filled
PRESSED, AWAY = 0.1, 0.3  # metres: how deep the ball goes beside the body, and how far off
SIDE = 0.4  # metres: how far the body reaches there
RADIUS = 0.2  # metres, of the ball


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A soft animal of 1.6 m around a core from haunch to neck, and a hard ball beside it; returns it."""
    body = bunny.build(scene)
    settings = settings_of(body)
    settings.method, settings.simulation.tetrahedra = contact_corrections.SPECIFICATION.id, TETRAHEDRA
    (collection,) = body.users_collection
    rig = add_rig(scene, collection, "Bunny Bones", [Limb("core", "", *CORE, CORE_RADIUS, CORE_RADIUS)])
    add_handle(body, rig, "core", CORE_RADIUS)
    places, normals = read_positions(mesh_data(body)).astype(float), _normals(body)
    loose = places[:, 2] > CLEAR * bunny.FOOT
    places, normals = places[loose], normals[loose]
    for number, at in enumerate(_spread(places, POINTS), 1):
        empty = bpy.data.objects.new(f"Skin {number:02d}", None)
        empty.empty_display_type, empty.empty_display_size = "SPHERE", 0.03
        empty.location = Vector(places[at] - INSIDE * normals[at])
        collection.objects.link(empty)
        add_handle(body, empty)
    near, far = PRESSED - SIDE - RADIUS, -SIDE - RADIUS - AWAY
    (item,) = settings.interactions
    item.box_low, item.box_high = (far, -0.5, 0.3), (near, 0.3, 1.2)
    away = (far, -0.2, 0.9)
    keys: list[Key] = [(1, away), (30, (near, 0.1, 0.5)), (60, (near, -0.1, 0.4)), (80, away)]
    keys += [(110, (near, 0.0, 0.35)), (140, away), (170, (near, -0.05, 0.6)), (200, away)]
    item.object.animation_data_clear()  # the plain bunny's ball goes over its back
    animate(item.object, keys)
    return body


def _normals(body: bpy.types.Object) -> Doubles:
    """(V, 3) of the vertices, outwards."""
    return np.array([vertex.normal for vertex in mesh_data(body).vertices], float)


def _spread(places: Doubles, count: int) -> list[int]:
    """`count` of the places (n, 3): the highest, then each time the farthest from those chosen before."""
    chosen = [int(places[:, 2].argmax())]
    off = np.linalg.norm(places - places[chosen[0]], axis=1)
    while len(chosen) < count:
        chosen.append(int(off.argmax()))
        off = np.minimum(off, np.linalg.norm(places - places[chosen[-1]], axis=1))
    return chosen
