"""Hair Tuft: strands on a ball that the artist turns and shakes."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin, sqrt

import bmesh
import bpy
from mathutils import Vector

from ...motion import MotionBox
from .parts import animate, hang_on, react_to, simulate_as
from .stage import STRAW, View, add_mesh, open_stage
from .strands import show_thick

FRAMES = 250
STRANDS, EDGES, LENGTH = 90, 16, 0.8  # metres
HEAD = 0.3  # metres
HELD = 2  # vertices of each strand that sit in the head, which is what gives it its direction
# Woollen yarn rather than hair, to be seen: metres, Pa, Pa, kg/m^3.
YARN = {"radius": 6e-3, "young": 5e5, "shear": 2e5, "density": 300.0}
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
    """Ninety strands of 0.8 m on a ball of 0.3 m; returns the strands."""
    view = View(camera=(-1.6, -4.4, 0.6), target=(0.0, 0.0, -0.2), lens=66.0)
    collection = open_stage(scene, "Hair Tuft", view, ground=-1.2, frames=FRAMES)
    ball = bmesh.new()
    bmesh.ops.create_icosphere(ball, subdivisions=4, radius=HEAD)
    head = add_mesh(collection, "Head", ball, (0.5, 0.3, 0.22), 0.5)
    head.modifiers.new("Collision", "COLLISION")
    hair = add_mesh(collection, "Hair", _strands(), STRAW, 0.5)
    roots = [strand * (EDGES + 1) + k for strand in range(STRANDS) for k in range(HELD)]
    hang_on(hair, head, roots)
    simulation = simulate_as(hair, "ROD", "hair")
    for quantity, value in YARN.items():
        setattr(simulation, quantity, value)
    simulation.steps = STEPS
    show_thick(hair, YARN["radius"])
    react_to(hair, head, MOTION)
    animate(head, DEMONSTRATION)
    return hair


def _strands() -> bmesh.types.BMesh:
    """Straight strands that stand on the upper half of the head, evenly spread (a Fibonacci spiral)."""
    shape = bmesh.new()
    for strand in range(STRANDS):
        z = 1.0 - 0.9 * (strand + 0.5) / STRANDS
        turn = strand * pi * (3.0 - sqrt(5.0))
        out = Vector((sqrt(1.0 - z * z) * cos(turn), sqrt(1.0 - z * z) * sin(turn), z))
        step = LENGTH / EDGES
        points = [shape.verts.new(out * (HEAD - step + step * k)) for k in range(EDGES + 1)]
        for lower, upper in pairwise(points):
            shape.edges.new((lower, upper))
    return shape
