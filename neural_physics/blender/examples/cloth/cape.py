"""Cape: a cape on the shoulders of a character that walks, jumps and bows."""

from __future__ import annotations

from math import cos, pi, radians, sin

import bmesh
import bpy

from ..characters.character import add_character
from ..parts import pin
from ..stage import CLOTH, Point, View, add_mesh, open_stage
from .garments import dress

WIDTH = radians(82.0)  # from the middle of the back to each edge


def build(scene: bpy.types.Scene, points: int = 41) -> bpy.types.Object:
    """A character, and a cape of points x points vertices pinned to its chest; returns the cape."""
    view = View(camera=(-2.4, -4.6, 1.6), target=(0.0, 0.0, 1.0), lens=82.0)
    collection = open_stage(scene, "Cape", view, ground=0.0, frames=1)
    rig = add_character(scene, collection)
    cape = add_mesh(collection, "Cape", _cloak(points), CLOTH, roughness=0.75)
    rig.rotation_euler.z = cape.rotation_euler.z = pi  # its back to the camera
    pin(cape, "Pins", range(points))
    dress(scene, cape, rig, carrier="chest", frame="neck")
    return cape


def _cloak(points: int) -> bmesh.types.BMesh:
    """Around the back from shoulder to shoulder, wider towards the ground; the first row is the collar."""
    shape = bmesh.new()
    rows = [
        [
            shape.verts.new(_place(WIDTH * (2.0 * i / (points - 1) - 1.0), k / (points - 1)))
            for i in range(points)
        ]
        for k in range(points)
    ]
    for k in range(points - 1):
        for i in range(points - 1):
            shape.faces.new((rows[k][i], rows[k][i + 1], rows[k + 1][i + 1], rows[k + 1][i]))
    return shape


def _place(angle: float, down: float) -> Point:
    """angle: from the middle of the back; down: 0 at the collar, 1 at the hem."""
    # The collar lies on the shoulders, the rest begins clear of the back.
    off = 1.0 - (1.0 - min(down / 0.25, 1.0)) ** 2
    across, depth = 0.165 + 0.075 * off + 0.16 * down, 0.056 + 0.074 * off + 0.16 * down
    return across * sin(angle), 0.032 + 0.028 * off + 0.06 * down + depth * cos(angle), 1.504 - 0.962 * down
