"""Skirt: a skirt on the hips of a character that walks, jumps and bows."""

from __future__ import annotations

import bpy

from ..characters.character import add_character
from ..parts import pin
from ..stage import SAIL, View, add_mesh, open_stage
from .garment_shapes import cone
from .garments import dress

WAIST, HEM = (0.132, 1.03), (0.40, 0.55)  # radius and height, metres


def build(scene: bpy.types.Scene, sides: int = 64) -> bpy.types.Object:
    """A character, and a skirt of sides x 3 sides / 8 vertices pinned to its hips; returns the skirt."""
    view = View(camera=(2.2, -4.8, 1.3), target=(0.0, 0.0, 1.0), lens=82.0)
    collection = open_stage(scene, "Skirt", view, ground=0.0, frames=1)
    rig = add_character(scene, collection)
    skirt = add_mesh(collection, "Skirt", cone(WAIST, HEM, sides, 3 * sides // 8), SAIL, roughness=0.75)
    pin(skirt, "Pins", range(sides))
    collisions = dress(scene, skirt, rig, carrier="hips", frame="hips").collision_settings
    # Else a stride leaves folds behind that pass through each other and do not come undone.
    collisions.use_self_collision, collisions.self_distance_min = True, 0.008
    return skirt
