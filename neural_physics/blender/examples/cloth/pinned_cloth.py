"""Pinned Cloth: a small sheet that hangs from two corners of a bar that slides (Li 2025, section 4.2)."""

from __future__ import annotations

from math import pi, radians
from typing import cast

import bpy
from mathutils import Matrix

from ....interaction.training_motion import MotionBox
from ..parts import animate, hang_on, learn_by_latent_dynamics, react_to, sheet, simulate_as, vertices_where
from ..stage import CLOTH, View, open_stage, rod

FRAMES, FPS = 250, 30
POINTS, WIDTH, HEIGHT = (12, 16), 0.8, 1.0  # metres
OBLIQUE = radians(35.0)  # of the sheet to the bar's way, so that it swings sideways as well
TAKE_FRAMES = 300
LATENTS = 24
MOTION = MotionBox((0.0, -0.5, 0.0), (0.0, 0.5, 0.0), shortest=0.4, longest=1.5, fastest=1.8)
DEMONSTRATION = [
    (1, (0.0, 0.0, 0.0)),
    (40, (0.0, 0.45, 0.0)),
    (70, (0.0, -0.4, 0.0)),
    (90, (0.0, 0.1, 0.0)),
    (140, (0.0, 0.1, 0.0)),
    (180, (0.0, -0.5, 0.0)),
    (210, (0.0, 0.5, 0.0)),
    (250, (0.0, 0.0, 0.0)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A sheet of 192 vertices, 0.8 m by 1 m, below a bar that holds two of its corners; returns the sheet."""
    view = View(camera=(-0.6, -4.3, 0.5), target=(0.0, 0.0, -0.45), lens=80.0)
    collection = open_stage(scene, "Pinned Cloth", view, ground=-1.25, frames=FRAMES, fps=FPS)
    bar = rod(collection, "Bar", (0.0, 0.0, 0.0), "X", length=1.1 * WIDTH)
    bar.rotation_euler.z = OBLIQUE
    cloth = sheet(collection, "Cloth", POINTS, (WIDTH, HEIGHT, 1.0), colour=CLOTH)
    hanging = Matrix.Rotation(OBLIQUE, 4, "Z") @ Matrix.Rotation(pi / 2, 4, "X")
    lowered = Matrix.Translation((0.0, 0.0, -HEIGHT / 2)) @ hanging
    corners = vertices_where(cloth, lambda at: at.y > 0.49 * HEIGHT and abs(at.x) > 0.49 * WIDTH)
    cast(bpy.types.Mesh, cloth.data).transform(lowered)
    hang_on(cloth, bar, corners)
    simulate_as(cloth, "SHELL", "cotton")
    learn_by_latent_dynamics(cloth, TAKE_FRAMES, LATENTS)
    react_to(cloth, bar, MOTION)
    animate(bar, DEMONSTRATION)
    return cloth
