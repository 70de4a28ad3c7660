"""Cloth over Objects: 925 vertices of which 70 are simulated while it plays (Oh 2018, section 4)."""

from __future__ import annotations

from typing import cast

import bpy
from mathutils import Matrix

from ....interaction.training_motion import MotionBox
from ...settings.properties import settings_of
from ..parts import Key, animate, cloth_of_levels, collider, hang_on, react_to, sheet, vertices_where
from ..stage import BALL, RUBBER, SAIL, STEEL, Colour, Point, View, open_stage

FRAMES = 250
LENGTH, WIDTH, HEIGHT = 1.44, 0.96, 0.3
# Where each ball is, its radius and its colour; it strays so far each way in training.
BALLS: dict[str, tuple[Point, float, Colour]] = {
    "Ball A": ((-0.38, 0.04, 0.0), 0.24, BALL),
    "Ball B": ((0.12, -0.27, -0.04), 0.2, RUBBER),
    "Ball C": ((0.14, 0.29, -0.04), 0.18, STEEL),
}
STRAYS = 0.1
HAND = (LENGTH / 2, 0.0, HEIGHT)
# Not so far that the cloth is drawn off all of the balls, nor so quickly that soft fabrics are overstretched.
HAND_BOX = MotionBox((0.3, -0.25, 0.05), (0.8, 0.25, 0.5), shortest=0.5, longest=1.8, fastest=0.7)
DEMONSTRATION: list[Key] = [
    (1, HAND),
    (30, HAND),
    (70, (0.75, -0.2, 0.15)),
    (110, (0.35, 0.1, 0.45)),
    (160, (0.75, 0.2, 0.1)),
    (205, (0.35, -0.15, 0.4)),
    (250, HAND),
]


def build(scene: bpy.types.Scene, points: tuple[int, int] = (37, 25)) -> bpy.types.Object:
    """A sheet of so many vertices along and across, dragged over three balls by a hand; returns the sheet."""
    view = View(camera=(-1.7, -3.9, 1.9), target=(0.05, 0.0, 0.0), lens=85.0)
    collection = open_stage(scene, "Cloth over Objects", view, ground=-1.3, frames=FRAMES)
    cloth = sheet(collection, "Blanket", points, (LENGTH, WIDTH, 1.0), colour=SAIL)
    cast(bpy.types.Mesh, cloth.data).transform(Matrix.Translation((0.0, 0.0, HEIGHT)))
    hand = bpy.data.objects.new("Hand", None)
    hand.empty_display_type, hand.empty_display_size = "SPHERE", 0.08
    hand.location = HAND
    collection.objects.link(hand)
    hang_on(cloth, hand, vertices_where(cloth, lambda at: at.x > LENGTH / 2 - 1e-4))
    cloth_of_levels(cloth)
    settings_of(cloth).simulation.friction = 0.5
    react_to(cloth, hand, HAND_BOX)
    animate(hand, DEMONSTRATION)
    for name, ((x, y, z), radius, colour) in BALLS.items():
        ball = collider(collection, name, radius, (x, y, z), colour=colour)
        low, high = (x - STRAYS, y - STRAYS, z - STRAYS), (x + STRAYS, y + STRAYS, z + STRAYS)
        react_to(cloth, ball, MotionBox(low, high, shortest=0.5, longest=1.5, fastest=0.6))
    return cloth
