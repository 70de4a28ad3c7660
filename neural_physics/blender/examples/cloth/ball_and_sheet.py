"""Ball & Sheet: a sheet hung by its upper edge, and a ball under the artist's hand."""

from __future__ import annotations

from math import pi

import bpy

from ....interaction.training_motion import MotionBox
from ..parts import animate, collider, cotton, pin, react_to, sheet, vertices_where
from ..stage import BALL, CLOTH, View, open_stage, rod

FRAMES = 250
# So far inside the sheet's outline that the ball never slips under its hem or round its sides: on which
# side the sheet then falls is chance, which no model can learn (see docs/benchmarks/subspace_physics.md).
MOTION = MotionBox((-0.5, -0.9, -0.3), (0.5, 0.55, 0.5), shortest=0.5, longest=2.0, fastest=2.5)
BALL_RADIUS = 0.3
BALL_START = (0.0, -0.8, 0.0)
DEMONSTRATION = [
    (1, BALL_START),
    (40, (0.1, 0.5, -0.25)),
    (75, (-0.45, 0.5, 0.1)),
    (110, (-0.4, -0.8, -0.25)),
    (150, (0.45, 0.5, -0.25)),
    (190, (0.45, -0.5, 0.2)),
    (250, BALL_START),
]


def build(scene: bpy.types.Scene, points: int = 41) -> bpy.types.Object:
    """A sheet of points x points vertices, 2 m by 2 m, and a ball of 0.3 m; returns the sheet."""
    view = View(camera=(-2.7, -5.2, 0.7), target=(0.0, 0.0, -0.2), lens=65.0)
    collection = open_stage(scene, "Ball & Sheet", view, ground=-1.5, frames=FRAMES)
    cloth = sheet(collection, "Sheet", (points, points), (2.0, 2.0, 1.0), colour=CLOTH)
    cloth.rotation_euler.x = pi / 2
    pin(cloth, "Pins", vertices_where(cloth, lambda place: place.y > 1.0 - 1e-4))
    cotton(cloth, "Pins", FRAMES)
    ball = collider(collection, "Ball", BALL_RADIUS, BALL_START, colour=BALL)
    rod(collection, "Rod", (0.0, 0.0, 1.0), "X", length=2.2)
    animate(ball, DEMONSTRATION)
    react_to(cloth, ball, MOTION)
    return cloth
