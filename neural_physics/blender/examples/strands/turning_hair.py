"""Turning Hair: strands on the sides of a cube that turns upright (Li 2025, section 4.1)."""

from __future__ import annotations

from math import pi, radians

import bmesh
import bpy
from mathutils import Matrix, Vector

from ....interaction.training_motion import MotionBox
from ...settings.properties import settings_of
from ..parts import learn_by_latent_dynamics, react_to
from ..stage import BEAM, STRAW, View, add_mesh, block, open_stage, rod
from .strands import simulate_as_yarn, straight_strands

FRAMES, FPS = 250, 30
COLUMNS, ROWS = 10, 5  # of strands on each of four sides
EDGES, LENGTH = 17, 0.6  # metres
CUBE, ROOTS = 0.34, 0.2  # metres; of the cube its size, and how far the strands' roots are from its middle
OUT = Vector((1.0, 0.0, -0.5))  # of the side that looks along X
TAKE_FRAMES = 300
LATENTS = 16
TURN = radians(170.0)
STILL = MotionBox((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), shortest=0.8, longest=2.0)
DEMONSTRATION = [
    (1, 0.0),
    (30, 160.0),
    (65, -150.0),
    (85, -100.0),
    (130, -100.0),
    (165, 165.0),
    (200, -60.0),
    (250, 0.0),
]  # degrees


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Two hundred strands of 0.6 m on a cube, which is their reference frame; returns the strands."""
    view = View(camera=(-1.6, -4.4, 1.2), target=(0.0, 0.0, -0.15), lens=85.0)
    collection = open_stage(scene, "Turning Hair", view, ground=-0.95, frames=FRAMES, fps=FPS)
    rod(collection, "Axle", (0.0, 0.0, 0.8), "Z", length=1.6)
    cube = block(collection, "Cube", (CUBE, CUBE, CUBE), (0.0, 0.0, 0.0), colour=BEAM)
    hair = add_mesh(collection, "Hair", _strands(), STRAW, roughness=0.5)
    simulate_as_yarn(hair, cube, EDGES)
    learn_by_latent_dynamics(hair, TAKE_FRAMES, LATENTS)
    react_to(hair, cube, STILL)
    settings = settings_of(hair)
    # In the cube's axes its strands stand still where they are held, and it turns about the upright alone,
    # so that weight is always downwards.
    settings.frame_object, settings.moving_frame = cube, True
    settings.interactions[0].turn, settings.interactions[0].turn_axis = TURN, "Z"
    _turn(cube)
    return hair


def _strands() -> bmesh.types.BMesh:
    """Rows of strands on four sides of the cube, which grow outwards and a little down."""
    across = [0.9 * (2.0 * k / (COLUMNS - 1) - 1.0) for k in range(COLUMNS)]  # in distances of the roots
    up = [0.8 * (2.0 * k / (ROWS - 1) - 1.0) for k in range(ROWS)]
    roots = [(ROOTS * Vector((1.0, y, z)), OUT) for y in across for z in up]
    turns = [Matrix.Rotation(pi / 2 * side, 3, "Z") for side in range(4)]
    return straight_strands(
        [(turn @ root, turn @ out) for turn in turns for root, out in roots], LENGTH, EDGES
    )


def _turn(cube: bpy.types.Object) -> None:
    for frame, degrees in DEMONSTRATION:
        cube.rotation_euler.z = radians(degrees)
        cube.keyframe_insert("rotation_euler", frame=frame)
    cube.rotation_euler.z = 0.0
