"""Cloth Shell: a cotton sheet held at two corners, simulated by the bundled solver, and a ball."""

from __future__ import annotations

from math import pi
from typing import cast

import bpy
from mathutils import Matrix

from ....interaction.training_motion import MotionBox
from ..parts import Key, animate, collider, hand, react_to, sheet, simulate_as
from ..stage import BALL, SAIL, View, open_stage

FRAMES = 250
CORNERS = {"Hand A": (-0.5, 0.5), "Hand B": (0.5, 0.5)}
PATCH = 0.08  # metres; what a hand holds of its corner
MOTION = MotionBox((-0.35, -0.5, -0.3), (0.35, 0.5, 0.3), fastest=1.5)
START = (0.0, -0.5, -0.1)
DEMONSTRATION = [
    (1, START),
    (40, (0.1, 0.3, -0.1)),
    (80, (-0.3, 0.3, 0.1)),
    (120, (-0.2, -0.4, 0.0)),
    (160, (0.3, 0.3, -0.2)),
    (200, (0.3, -0.4, 0.1)),
    (250, START),
]


def build(scene: bpy.types.Scene, points: int = 31) -> bpy.types.Object:
    """A standing sheet of points x points vertices, 1 m by 1 m, held by two Empties; returns it."""
    view = View(camera=(-1.5, -3.2, 0.5), target=(0.0, 0.0, -0.05), lens=68.0)
    collection = open_stage(scene, "Cloth Shell", view, ground=-0.9, frames=FRAMES)
    cloth = sheet(collection, "Cotton", (points, points), (1.0, 1.0, 1.0), colour=SAIL)
    cast(bpy.types.Mesh, cloth.data).transform(Matrix.Rotation(pi / 2, 4, "X"))  # it stands
    simulate_as(cloth, "SHELL", "cotton")
    for name, (x, z) in CORNERS.items():
        empty = hand(collection, cloth, name, (x, 0.0, z), patch=PATCH)
        react_to(cloth, empty, _motion(x, z))
        animate(empty, _demonstration(x, z))
    ball = collider(collection, "Ball", 0.15, START, colour=BALL)
    react_to(cloth, ball, MOTION)
    animate(ball, DEMONSTRATION)
    return cloth


def _motion(x: float, z: float) -> MotionBox:
    """A box that reaches from the corner inwards, so that the sheet is never overstretched."""
    low, high = sorted((0.4 * x, x))
    return MotionBox((low, -0.25, z - 0.3), (high, 0.25, z + 0.1), fastest=1.2)


def _demonstration(x: float, z: float) -> list[Key]:
    return [
        (1, (x, 0.0, z)),
        (100, (0.75 * x, 0.15, z)),
        (180, (0.9 * x, -0.1, z - 0.2)),
        (250, (x, 0.0, z)),
    ]
