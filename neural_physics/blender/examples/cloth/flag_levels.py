"""Hierarchical Flag: 3,577 vertices of which 247 are simulated while it plays (Oh 2018, section 4)."""

from __future__ import annotations

from math import pi

import bpy

from ..parts import add_interaction, cloth_of_levels, pin, sheet, vertices_where
from ..stage import FLAG, View, open_stage, rod
from .flag import add_wind

FRAMES = 250
LENGTH, HEIGHT = 1.5, 1.0
# Frame, strength of the wind, and how far it has turned, in radians.
DEMONSTRATION = (
    (1, 1500.0, 0.0),
    (50, 2500.0, 0.5),
    (110, 1000.0, -0.6),
    (170, 2500.0, 0.4),
    (250, 1500.0, 0.0),
)


def build(scene: bpy.types.Scene, points: tuple[int, int] = (73, 49)) -> bpy.types.Object:
    """A flag of so many vertices along and across, 1.5 m by 1 m, in the wind; returns the flag."""
    view = View(camera=(0.45, -5.0, 0.1), target=(0.15, 0.0, -0.15), lens=58.0)
    collection = open_stage(scene, "Hierarchical Flag", view, ground=-1.8, frames=FRAMES)
    flag = sheet(collection, "Banner", points, (LENGTH, HEIGHT, 1.0), colour=FLAG)
    flag.rotation_euler.x = pi / 2
    pin(flag, "Pins", vertices_where(flag, lambda at: at.x < -LENGTH / 2 + 1e-4))
    cloth_of_levels(flag)
    rod(collection, "Pole", (-LENGTH / 2, 0.0, -0.5), "Z", length=2.7)
    wind = add_wind(collection, (-1.7, 0.0, 0.0), DEMONSTRATION)
    item = add_interaction(flag, wind)
    item.strength_low, item.strength_high, item.turn = 300.0, 3000.0, 0.8
    return flag
