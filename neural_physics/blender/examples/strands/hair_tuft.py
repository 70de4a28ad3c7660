"""Hair Tuft: strands on a ball that the artist turns and shakes."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import bmesh
import bpy
from mathutils import Vector

from ....interaction.training_motion import MotionBox
from ..parts import animate, react_to
from ..stage import STRAW, View, add_mesh, open_stage
from .strands import simulate_as_yarn, straight_strands

FRAMES = 250
STRANDS, EDGES, LENGTH = 90, 16, 0.75  # metres
HEAD = 0.3  # metres
STEPS = 4  # in a frame: what is thin and stiff whips about
MOTION = MotionBox((-0.3, -0.3, -0.2), (0.3, 0.3, 0.2), fastest=1.5)
DEMONSTRATION = [
    (1, (0.0, 0.0, 0.0)),
    (35, (0.25, 0.0, 0.1)),
    (55, (-0.25, 0.1, 0.0)),
    (80, (0.2, -0.2, 0.0)),
    (140, (0.2, -0.2, 0.0)),
    (160, (0.0, 0.2, 0.2)),
    (250, (0.0, 0.0, 0.0)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Ninety strands of 0.75 m on a ball of 0.3 m; returns the strands."""
    view = View(camera=(-1.6, -4.4, 0.6), target=(0.0, 0.0, -0.2), lens=66.0)
    collection = open_stage(scene, "Hair Tuft", view, ground=-1.2, frames=FRAMES)
    ball = bmesh.new()
    bmesh.ops.create_icosphere(ball, subdivisions=4, radius=HEAD)
    head = add_mesh(collection, "Head", ball, (0.5, 0.3, 0.22), roughness=0.5)
    head.modifiers.new("Collision", "COLLISION")
    hair = add_mesh(collection, "Hair", _strands(), STRAW, roughness=0.5)
    simulate_as_yarn(hair, head, EDGES).steps = STEPS
    react_to(hair, head, MOTION)
    animate(head, DEMONSTRATION)
    return hair


def _strands() -> bmesh.types.BMesh:
    """Straight strands that stand on the upper half of the head, evenly spread (a Fibonacci spiral)."""
    roots = []
    for strand in range(STRANDS):
        z = 1.0 - 0.9 * (strand + 0.5) / STRANDS
        turn = strand * pi * (3.0 - sqrt(5.0))
        out = Vector((sqrt(1.0 - z * z) * cos(turn), sqrt(1.0 - z * z) * sin(turn), z))
        roots.append((HEAD * out, out))
    return straight_strands(roots, LENGTH, EDGES)
