"""Skirt: a skirt on the hips of a character that walks, jumps and bows."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin

import bmesh
import bpy

from ..characters.character import add_character
from ..parts import pin
from ..stage import SAIL, View, add_mesh, open_stage
from .garments import dress

WAIST, HEM = (0.132, 1.03), (0.40, 0.55)  # radius and height, metres


def build(scene: bpy.types.Scene, sides: int = 64) -> bpy.types.Object:
    """A character, and a skirt of sides x 3 sides / 8 vertices pinned to its hips; returns the skirt."""
    view = View(camera=(2.2, -4.8, 1.3), target=(0.0, 0.0, 1.0), lens=82.0)
    collection = open_stage(scene, "Skirt", view, ground=0.0, frames=1)
    rig = add_character(scene, collection)
    skirt = add_mesh(collection, "Skirt", _cone(sides, 3 * sides // 8), SAIL, roughness=0.75)
    pin(skirt, "Pins", range(sides))
    collisions = dress(scene, skirt, rig, carrier="hips", frame="hips").collision_settings
    # Else a stride leaves folds behind that pass through each other and do not come undone.
    collisions.use_self_collision, collisions.self_distance_min = True, 0.008
    return skirt


def _cone(sides: int, rings: int) -> bmesh.types.BMesh:
    """Open above and below; the first ring is the waist."""
    shape = bmesh.new()
    rows = []
    for k in range(rings):
        down = k / (rings - 1)
        radius, height = (low + (high - low) * down for low, high in zip(WAIST, HEM, strict=True))
        turns = [2.0 * pi * i / sides for i in range(sides)]
        rows.append([shape.verts.new((radius * cos(turn), radius * sin(turn), height)) for turn in turns])
    for above, below in pairwise(rows):
        for i in range(sides):
            j = (i + 1) % sides
            shape.faces.new((above[i], above[j], below[j], below[i]))
    return shape
