"""A character from nothing but bones and balls: a rig of 19 bones, and a body that follows it."""

from __future__ import annotations

from typing import cast

import bpy

from ..blobs import melted
from ..limbs import Limb, add_rig, balls_along, bind, with_both_sides
from ..stage import CLAY, add_mesh

RESOLUTION = 0.03  # of the body's faces, metres
BLEND = 0.025  # metres, of the weights of neighbouring bones
THICKNESS = 0.008  # of the collider's skin, metres
TRUNK = (
    Limb("hips", "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.08), head_radius=0.125, tail_radius=0.115),
    Limb("spine", "hips", (0.0, 0.0, 1.08), (0.0, 0.0, 1.24), head_radius=0.11, tail_radius=0.125),
    Limb("chest", "spine", (0.0, 0.0, 1.24), (0.0, 0.01, 1.44), head_radius=0.13, tail_radius=0.105),
    Limb("neck", "chest", (0.0, 0.01, 1.44), (0.0, 0.0, 1.55), head_radius=0.055, tail_radius=0.05),
    Limb("head", "neck", (0.0, 0.0, 1.57), (0.0, -0.02, 1.72), head_radius=0.085, tail_radius=0.1),
)
# On the character's left, which is the world's +X: it looks along -Y.
LEFT = (
    Limb("shoulder", "chest", (0.03, 0.0, 1.41), (0.17, 0.0, 1.41), head_radius=0.065, tail_radius=0.065),
    Limb("upper_arm", "shoulder", (0.17, 0.0, 1.41), (0.36, 0.0, 1.20), head_radius=0.06, tail_radius=0.048),
    Limb(
        "forearm", "upper_arm", (0.36, 0.0, 1.20), (0.53, -0.03, 1.02), head_radius=0.046, tail_radius=0.034
    ),
    Limb("hand", "forearm", (0.53, -0.03, 1.02), (0.61, -0.05, 0.93), head_radius=0.034, tail_radius=0.03),
    Limb("thigh", "hips", (0.095, 0.0, 0.92), (0.11, -0.01, 0.50), head_radius=0.088, tail_radius=0.062),
    Limb("shin", "thigh", (0.11, -0.01, 0.50), (0.12, 0.015, 0.09), head_radius=0.06, tail_radius=0.04),
    Limb("foot", "shin", (0.12, 0.015, 0.08), (0.125, -0.14, 0.04), head_radius=0.045, tail_radius=0.035),
)


def limbs() -> list[Limb]:
    """All of them, those on the right mirrored from the left."""
    return with_both_sides(TRUNK, LEFT)


def add_character(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bpy.types.Object:
    """A character of 1.8 m on the ground at the origin, its body a collider; returns its armature."""
    rig = add_rig(scene, collection, "Character", limbs())
    body = add_mesh(collection, "Body", melted(balls_along(limbs()), RESOLUTION), CLAY, roughness=0.6)
    bind(body, rig, limbs(), BLEND)
    body.modifiers.new("Collision", "COLLISION")
    cast(bpy.types.CollisionSettings, body.collision).thickness_outer = THICKNESS
    return rig
