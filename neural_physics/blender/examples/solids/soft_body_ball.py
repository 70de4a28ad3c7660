"""Soft Body Ball: a rubber ball on its foot, and a hard ball that squashes and shoves it."""

from __future__ import annotations

from typing import cast

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ..parts import animate, collider, pin, react_to, vertices_where
from ..stage import RUBBER, STEEL, View, add_mesh, open_stage

FRAMES = 250
RADIUS = 0.6
SHAPE_WEIGHT = 0.6  # how strongly the free vertices are drawn to the ball's shape
MOTION = MotionBox((-0.9, -0.9, 0.45), (0.9, 0.9, 1.1), fastest=2.0)
START = (-0.9, -0.4, 0.6)
DEMONSTRATION = [
    (1, START),
    (35, (-0.35, -0.2, 0.5)),
    (65, (-0.8, 0.2, 0.9)),
    (100, (0.0, 0.0, 0.6)),
    (125, (0.1, 0.0, 1.0)),
    (160, (0.7, -0.4, 0.5)),
    (190, (0.3, -0.2, 0.5)),
    (220, (0.4, -0.8, 0.8)),
    (250, START),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A soft ball of 642 vertices and 0.6 m, held at its foot; returns it."""
    view = View(camera=(-2.2, -4.4, 1.5), target=(0.0, 0.0, 0.0), lens=70.0)
    collection = open_stage(scene, "Soft Body Ball", view, ground=-0.55, frames=FRAMES)
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=4, radius=RADIUS)
    soft = add_mesh(collection, "Soft Ball", shape, RUBBER, roughness=0.25)
    everything = vertices_where(soft, lambda at: True)
    pin(soft, "Goal", everything, SHAPE_WEIGHT)
    pin(soft, "Goal", vertices_where(soft, lambda at: at.z < -0.75 * RADIUS), 1.0)
    _soft_body(soft)
    ball = collider(collection, "Ball", 0.3, START, colour=STEEL)
    animate(ball, DEMONSTRATION)
    react_to(soft, ball, MOTION)
    return soft


def _soft_body(obj: bpy.types.Object) -> None:
    modifier = cast(bpy.types.SoftBodyModifier, obj.modifiers.new("Softbody", "SOFT_BODY"))
    body = modifier.settings
    body.mass, body.friction = 1.0, 1.0
    body.use_goal, body.vertex_group_goal = True, "Goal"
    # Vertex weights are scaled by these two: only 1 lets a weight of 1 hold fast.
    body.goal_default = body.goal_max = 1.0
    body.goal_min, body.goal_spring, body.goal_friction = 0.0, 0.75, 8.0
    body.use_edges, body.use_stiff_quads = True, True
    body.pull = body.push = 0.9
    body.bend, body.damping, body.shear = 1.0, 8.0, 0.5
    body.use_auto_step, body.step_min, body.step_max = True, 5, 60
    modifier.point_cache.frame_end = FRAMES
