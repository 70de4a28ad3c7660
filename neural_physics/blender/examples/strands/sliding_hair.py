"""Sliding Hair: strands below a cube that slides on a rail (Li 2025, section 4.1)."""

from __future__ import annotations

import bmesh
import bpy
from mathutils import Vector

from ....interaction.training_motion import MotionBox
from ..parts import animate, learn_by_latent_dynamics, react_to
from ..stage import BEAM, STRAW, View, add_mesh, block, open_stage, rod
from .strands import simulate_as_yarn, straight_strands

FRAMES, FPS = 250, 30
ROW, EDGES, LENGTH = 10, 17, 0.7  # strands in each direction, edges, metres
CUBE = 0.4  # metres
SPREAD = 0.35  # sideways to down, of the outermost strands
TAKE_FRAMES = 300
LATENTS = 16
MOTION = MotionBox((-0.6, 0.0, 0.0), (0.6, 0.0, 0.0), shortest=0.3, longest=1.2, fastest=2.0)
DEMONSTRATION = [
    (1, (0.0, 0.0, 0.0)),
    (25, (0.5, 0.0, 0.0)),
    (52, (-0.5, 0.0, 0.0)),
    (70, (0.2, 0.0, 0.0)),
    (80, (-0.1, 0.0, 0.0)),
    (120, (-0.1, 0.0, 0.0)),
    (150, (-0.6, 0.0, 0.0)),
    (180, (0.6, 0.0, 0.0)),
    (250, (0.0, 0.0, 0.0)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A hundred strands of 0.7 m below a cube of 0.4 m; returns the strands."""
    view = View(camera=(-1.5, -4.2, 0.3), target=(0.0, 0.0, -0.3), lens=70.0)
    collection = open_stage(scene, "Sliding Hair", view, ground=-1.3, frames=FRAMES, fps=FPS)
    rod(collection, "Rail", (0.0, 0.0, 0.0), "X", length=2.6)
    cube = block(collection, "Cube", (CUBE, CUBE, CUBE), (0.0, 0.0, 0.0), colour=BEAM)
    hair = add_mesh(collection, "Hair", _strands(), STRAW, roughness=0.5)
    simulate_as_yarn(hair, cube, EDGES)
    learn_by_latent_dynamics(hair, TAKE_FRAMES, LATENTS)
    react_to(hair, cube, MOTION)
    animate(cube, DEMONSTRATION)
    return hair


def _strands() -> bmesh.types.BMesh:
    """Rows of strands below the cube, which spread a little."""
    places = [0.9 * (2.0 * k / (ROW - 1) - 1.0) for k in range(ROW)]  # in halves of the cube
    roots = [
        (CUBE / 2 * Vector((x, y, -1.0)), Vector((SPREAD * x, SPREAD * y, -1.0)))
        for x in places
        for y in places
    ]
    return straight_strands(roots, LENGTH, EDGES)
