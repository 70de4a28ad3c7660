"""Hanging Figure: a soft creature that hangs by its feet from a bar (as in Li 2025, section 4.3)."""

from __future__ import annotations

from math import cos, hypot, sin

import bpy

from ....interaction.training_motion import MotionBox
from ..blobs import Ball, melted
from ..parts import animate, hang_on, learn_by_latent_dynamics, react_to, simulate_as, vertices_where
from ..stage import RUBBER, View, add_mesh, open_stage, rod

FRAMES, FPS = 250, 30
RESOLUTION = 0.045  # metres
BAR = 1.62  # metres above the ground
GRIP = 0.11  # metres around the bar: what holds on to it
YOUNG, TETRAHEDRA = 2e5, 11_000  # Pa: it hangs longer than it was made
TAKE_FRAMES = 300
LATENTS = 12
MOTION = MotionBox((-0.4, -0.4, BAR - 0.15), (0.4, 0.4, BAR + 0.15), shortest=0.4, longest=1.5, fastest=1.8)
DEMONSTRATION = [
    (1, (0.0, 0.0, BAR)),
    (30, (0.35, 0.0, BAR)),
    (55, (-0.35, 0.1, BAR)),
    (75, (0.1, -0.1, BAR + 0.1)),
    (110, (0.1, -0.1, BAR - 0.1)),
    (140, (0.0, 0.35, BAR)),
    (165, (0.0, -0.35, BAR)),
    (210, (-0.3, 0.0, BAR + 0.1)),
    (250, (0.0, 0.0, BAR)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A soft creature of 1.5 m, upside down, on a bar that wanders; returns the creature."""
    view = View(camera=(-2.9, -3.6, 1.2), target=(0.0, 0.1, 0.85), lens=72.0)
    collection = open_stage(scene, "Hanging Figure", view, ground=-0.35, frames=FRAMES, fps=FPS)
    bar = rod(collection, "Bar", (0.0, 0.0, BAR), "X", length=1.2)
    figure = add_mesh(collection, "Figure", melted(_balls(), RESOLUTION), RUBBER, roughness=0.4)
    hang_on(figure, bar, vertices_where(figure, lambda at: hypot(at.y, at.z - BAR) < GRIP))
    simulation = simulate_as(figure, "SOLID", "silicone")
    simulation.young, simulation.tetrahedra = YOUNG, TETRAHEDRA
    learn_by_latent_dynamics(figure, TAKE_FRAMES, LATENTS)
    react_to(figure, bar, MOTION)
    animate(bar, DEMONSTRATION)
    return figure


def _balls() -> list[Ball]:
    """The figure's balls, from its feet on the bar down to its ears; it looks towards -Y."""
    trunk = [((0.0, 0.03, 1.10), 0.21), ((0.0, 0.0, 0.93), 0.22), ((0.0, 0.02, 0.76), 0.18)]
    head = [((0.0, -0.03, 0.50), 0.20), ((0.0, -0.20, 0.46), 0.12), ((0.0, 0.02, 0.63), 0.12)]
    bends = [0.17 * k for k in range(12)]
    tail = [((0.1 * a, 0.16 + 0.38 * sin(a), 0.78 + 0.38 * cos(a)), 0.10 - 0.02 * a) for a in bends]
    return [*trunk, *head, *tail, *(ball for side in (-1.0, 1.0) for ball in _limbs(side))]


def _limbs(side: float) -> list[Ball]:
    """Leg and foot, arm and hand, and the ear of one side, -1 or 1."""
    leg = [((side * (0.13 + 0.012 * k), 0.0, 1.22 + 0.08 * k), 0.115 - 0.006 * k) for k in range(5)]
    foot = [((side * 0.18, -0.07, BAR), 0.10), ((side * 0.18, 0.05, BAR + 0.01), 0.10)]
    arm = [((side * (0.17 + 0.06 * k), -0.02 * k, 0.78 - 0.055 * k), 0.085) for k in range(6)]
    hand = [((side * 0.50, -0.12, 0.45), 0.105)]
    ear = [((side * (0.13 + 0.04 * k), 0.02, 0.38 - 0.07 * k), 0.085 - 0.008 * k) for k in range(5)]
    return [*leg, *foot, *arm, *hand, *ear]
