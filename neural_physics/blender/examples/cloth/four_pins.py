"""Four Pins: a sheet held at its corners by Empties that the artist moves."""

from __future__ import annotations

import bpy

from ....interaction.training_motion import MotionBox
from ..parts import Key, animate, cotton, hand, react_to, sheet
from ..stage import SAIL, View, open_stage

FRAMES = 250
CORNERS = {"Pin A": (-1.0, -1.0), "Pin B": (1.0, -1.0), "Pin C": (1.0, 1.0), "Pin D": (-1.0, 1.0)}
PATCH = 0.13  # metres; a pin holds this much of its corner
INWARD, UP_DOWN = 0.6, 0.6  # metres a pin may stray from its corner


def build(scene: bpy.types.Scene, points: int = 41) -> bpy.types.Object:
    """A level sheet of points x points vertices, 2 m by 2 m, on four pins; returns the sheet."""
    view = View(camera=(-3.4, -5.4, 2.9), target=(0.0, 0.0, -0.3), lens=75.0)
    collection = open_stage(scene, "Four Pins", view, ground=-1.6, frames=FRAMES)
    cloth = sheet(collection, "Sheet", (points, points), (2.0, 2.0, 1.0), colour=SAIL)
    for name, (x, y) in CORNERS.items():
        empty = hand(collection, cloth, name, (x, y, 0.0), patch=PATCH)
        react_to(cloth, empty, _motion(x, y))
        animate(empty, _demonstration(x, y))
    # The hooks stand below the cloth in the stack: it is held where they have moved its corners.
    cotton(cloth, "Pins", FRAMES).settings.bending_stiffness = 6.0  # softer, its creases fray
    return cloth


def _motion(x: float, y: float) -> MotionBox:
    """A box that reaches from the pin's corner inwards, so that the cloth is never overstretched."""
    xs, ys = sorted((x, x - INWARD * x)), sorted((y, y - INWARD * y))
    return MotionBox((xs[0], ys[0], -UP_DOWN), (xs[1], ys[1], UP_DOWN), fastest=2.0)


def _demonstration(x: float, y: float) -> list[Key]:
    rise = 0.4 * x * y
    return [
        (1, (x, y, 0.0)),
        (40, (0.7 * x, 0.7 * y, rise)),
        (80, (0.5 * x, 0.9 * y, -rise)),
        (120, (0.9 * x, 0.5 * y, 0.3 * x)),
        (160, (0.9 * x, 0.6 * y, -0.4 * y)),
        (200, (0.6 * x, 0.6 * y, rise)),
        (250, (x, y, 0.0)),
    ]
