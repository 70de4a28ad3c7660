"""Three Garments: a skirt, a tunic over it, a cape over both, and hair over the cape, on one character."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, radians, sin
from typing import cast

import bpy

from ...modelling.layer_editing import add_layers
from ...settings.properties import settings_of
from ..characters.character import add_character
from ..parts import pin
from ..stage import CLOTH, FLAG, SAIL, STRAW, Point, View, add_mesh, open_stage
from .garment_shapes import cloak, cone, strips
from .garments import dress

SKIRT = (0.132, 1.03), (0.38, 0.55)  # radius and height of waist and hem, metres
TUNIC = (0.150, 1.06), (0.30, 0.80)
STEPS = 10  # a frame; with half as many, pressed cloth slips through other cloth, and capes are torn
BETWEEN = 0.008  # of two garments, metres, while they are simulated
LOCKS, ALONG, WIDTH = 26, 14, 0.022  # strips of hair, vertices along each, metres across
TURNED = radians(225.0)  # its back and a side to the camera
AROUND = radians(78.0)  # from the middle of the back to the foremost lock


def build(scene: bpy.types.Scene, points: int = 33) -> bpy.types.Object:
    """The character in its clothes, the cape of points x points vertices; returns the cape.

    Each garment sees the body and what is below it, in the simulation as in Play.
    """
    view = View(camera=(-2.4, -4.6, 1.6), target=(0.0, 0.0, 0.95), lens=82.0)
    collection = open_stage(scene, "Three Garments", view, ground=0.0, frames=1)
    rig = add_character(scene, collection)
    body = next(child for child in collection.objects if child.name.startswith("Body"))
    sides = 8 * (points * 3 // 16)
    cones = (
        cone(*SKIRT, sides, 3 * sides // 8, looks_out=True),
        cone(*TUNIC, sides, sides // 5, looks_out=True),
    )
    skirt = add_mesh(collection, "Skirt", cones[0], SAIL, roughness=0.75)
    tunic = add_mesh(collection, "Tunic", cones[1], FLAG, roughness=0.75)
    cape = add_mesh(collection, "Cape", cloak(points), CLOTH, roughness=0.75)
    hair = add_mesh(collection, "Hair", strips(_locks(), WIDTH), STRAW, roughness=0.45)
    pin(skirt, "Pins", range(sides))
    pin(tunic, "Pins", range(sides))
    pin(cape, "Pins", range(points))
    pin(hair, "Pins", [2 * ALONG * lock + k for lock in range(LOCKS) for k in range(4)])
    rig.rotation_euler.z = TURNED
    below: list[bpy.types.Object] = []
    for garment, carrier, frame in (
        (skirt, "hips", "hips"),
        (tunic, "hips", "hips"),
        (cape, "chest", "neck"),
        (hair, "head", "head"),
    ):
        garment.rotation_euler.z = TURNED
        cloth = dress(scene, garment, rig, carrier, frame=frame)
        cloth.settings.quality = STEPS
        _collide(cloth, [body, *below])
        if below:
            add_layers(garment, below)
        settings_of(garment).bake_together = True
        if garment != hair:
            garment.modifiers.new("Collision", "COLLISION")
            collision = cast(bpy.types.CollisionSettings, garment.collision)
            collision.thickness_outer, collision.thickness_inner = BETWEEN, 2.0 * BETWEEN
            below.append(garment)
    return cape


def _collide(cloth: bpy.types.ClothModifier, others: Sequence[bpy.types.Object]) -> None:
    """Let cloth see these and nothing else: two that saw each other would wait for each other."""
    garment = cast(bpy.types.Object, cloth.id_data)
    seen = bpy.data.collections.new(f"Below {garment.name}")
    seen.use_fake_user = True  # cloth is none, and what nobody uses is not saved
    for other in others:
        seen.objects.link(other)
    cloth.collision_settings.collection = seen


def _locks() -> list[list[Point]]:
    """The middles of the strips: from the crown down, away from the shoulders."""
    locks = []
    for lock in range(LOCKS):
        angle = AROUND * (2.0 * lock / (LOCKS - 1) - 1.0)
        length = 0.36 + 0.02 * (lock % 3)
        locks.append([_on_lock(angle, k / (ALONG - 1), length, 0.004 * (lock % 2)) for k in range(ALONG)])
    return locks


def _on_lock(angle: float, along: float, length: float, lifted: float) -> Point:
    """angle: from the middle of the back; along: 0 at the crown, 1 at the tip; lifted: over the next, m."""
    # A quarter of a circle over the head, then down and outwards.
    over = min(along / 0.35, 1.0) * 0.5 * pi
    down = max(along - 0.35, 0.0) / 0.65
    radius = 0.122 * sin(max(over, 0.35)) + 0.11 * down**1.5 + lifted
    height = 1.71 + 0.122 * cos(over) - length * down
    return radius * sin(angle), -0.012 + radius * cos(angle), height
