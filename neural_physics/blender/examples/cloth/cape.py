"""Cape: a cape on the shoulders of a character that walks, jumps and bows."""

from __future__ import annotations

from math import pi

import bpy

from ..characters.character import add_character
from ..parts import pin
from ..stage import CLOTH, View, add_mesh, open_stage
from .garment_shapes import cloak
from .garments import dress


def build(scene: bpy.types.Scene, points: int = 41) -> bpy.types.Object:
    """A character, and a cape of points x points vertices pinned to its chest; returns the cape."""
    view = View(camera=(-2.4, -4.6, 1.6), target=(0.0, 0.0, 1.0), lens=82.0)
    collection = open_stage(scene, "Cape", view, ground=0.0, frames=1)
    rig = add_character(scene, collection)
    cape = add_mesh(collection, "Cape", cloak(points), CLOTH, roughness=0.75)
    rig.rotation_euler.z = cape.rotation_euler.z = pi  # its back to the camera
    pin(cape, "Pins", range(points))
    dress(scene, cape, rig, carrier="chest", frame="neck")
    return cape
