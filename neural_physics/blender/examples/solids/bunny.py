"""Bunny: a soft animal that sits, and a ball under the artist's hand."""

from __future__ import annotations

import bpy

from ....interaction.training_motion import MotionBox
from ..blobs import melted
from ..parts import animate, collider, pin, react_to, simulate_as, vertices_where
from ..stage import CLAY, STEEL, View, add_mesh, open_stage

FRAMES = 250
RESOLUTION = 0.055  # metres
BALLS = [
    ((0.0, 0.0, 0.38), 0.38),  # body
    ((0.0, 0.22, 0.28), 0.30),  # haunch
    ((0.0, -0.2, 0.85), 0.25),  # head
    ((0.0, -0.38, 0.80), 0.13),  # muzzle
    *(((x, 0.50, 0.12), 0.12) for x in (-0.22, 0.22)),
    *(((x, -0.28, 0.10), 0.12) for x in (-0.18, 0.18)),
    ((0.0, 0.58, 0.32), 0.11),  # tail
    *(
        ((side * (0.10 + 0.05 * k), -0.12 + 0.05 * k, 1.06 + 0.11 * k), 0.085)
        for side in (-1, 1)
        for k in range(5)
    ),
]
FOOT = 0.07  # metres above the ground: what sits fast
YOUNG = 4e4  # Pa
MOTION = MotionBox((-0.75, -0.8, 0.35), (0.75, 0.8, 1.5), fastest=2.5)
START = (-0.75, -0.6, 0.9)
DEMONSTRATION = [
    (1, START),
    (30, (-0.35, -0.3, 0.9)),
    (55, (-0.6, 0.0, 1.3)),
    (85, (0.1, 0.1, 1.35)),
    (115, (0.6, 0.3, 0.6)),
    (140, (0.3, 0.15, 0.45)),
    (175, (0.5, -0.6, 0.9)),
    (205, (0.1, -0.5, 1.0)),
    (250, START),
]


def build(scene: bpy.types.Scene, resolution: float = RESOLUTION) -> bpy.types.Object:
    """A soft animal of 1.6 m, and a hard ball of 0.2 m; returns the animal. resolution: of its skin, m."""
    view = View(camera=(-3.0, -4.2, 1.5), target=(0.0, 0.0, 0.7), lens=68.0)
    collection = open_stage(scene, "Bunny", view, ground=0.0, frames=FRAMES)
    bunny = add_mesh(collection, "Bunny", melted(BALLS, resolution), CLAY, roughness=0.5)
    pin(bunny, "Pins", vertices_where(bunny, lambda at: at.z < FOOT))
    simulate_as(bunny, "SOLID", "silicone").young = YOUNG
    ball = collider(collection, "Ball", 0.2, START, colour=STEEL)
    react_to(bunny, ball, MOTION)
    animate(ball, DEMONSTRATION)
    return bunny
