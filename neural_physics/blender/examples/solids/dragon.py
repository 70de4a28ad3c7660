"""Dragon: a long soft body with bends and spikes, and Suzanne to strike it with."""

from __future__ import annotations

from math import cos, pi, sin
from typing import cast

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ..blobs import Ball, melted
from ..parts import animate, pin, react_to, simulate_as, vertices_where
from ..stage import MOSS, STEEL, View, add_mesh, open_stage

FRAMES = 250
RESOLUTION = 0.05  # metres
FOOT = 0.06  # metres above the ground: what stands fast
YOUNG = 2e6  # Pa: it bears its own head, and lifts it again when it was struck
SIZE = 0.22  # of Suzanne, metres
MOTION = MotionBox((-1.2, -0.7, 0.35), (1.2, 0.7, 1.3), fastest=2.5)
START = (-0.9, -0.7, 1.1)
DEMONSTRATION = [
    (1, START),
    (35, (-0.6, -0.1, 0.75)),
    (70, (0.0, -0.45, 0.6)),
    (100, (0.2, 0.1, 0.9)),
    (130, (0.8, 0.3, 0.7)),
    (165, (0.9, -0.2, 1.2)),
    (205, (0.2, -0.5, 1.0)),
    (250, START),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A dragon of 2.4 m on four feet, and a hard Suzanne; returns the dragon."""
    view = View(camera=(-2.4, -5.2, 1.9), target=(0.05, 0.0, 0.55), lens=66.0)
    collection = open_stage(scene, "Dragon", view, ground=0.0, frames=FRAMES)
    dragon = add_mesh(collection, "Dragon", melted(_balls(), RESOLUTION), MOSS, roughness=0.4)
    pin(dragon, "Pins", vertices_where(dragon, lambda at: at.z < FOOT))
    simulate_as(dragon, "SOLID", "silicone").young = YOUNG
    suzanne = _suzanne(collection)
    react_to(dragon, suzanne, MOTION)
    animate(suzanne, DEMONSTRATION)
    return dragon


def _balls() -> list[Ball]:
    """A spine in an S from the tail to the raised head, with legs and a comb."""
    spine = [_spine(k / 22) for k in range(23)]
    body = [(place, _thickness(k / 22)) for k, place in enumerate(spine)]
    comb = [((x, y, z + radius + 0.02), 0.06) for (x, y, z), radius in body[6:19:2]]
    head = [((-1.10, -0.04, 1.10), 0.17), ((-1.28, -0.10, 1.05), 0.12)]
    horns = [((-1.02, side * 0.08, 1.24 + 0.07 * k), 0.05) for side in (-1, 1) for k in range(3)]
    legs = [
        ((x, y + side * 0.17, z), 0.09)
        for x, y, _ in (spine[8], spine[16])
        for side in (-1, 1)
        for z in (0.08, 0.2, 0.32)
    ]
    return [*body, *comb, *head, *horns, *legs]


def _spine(along: float) -> tuple[float, float, float]:
    """A point of the spine, from the tail's tip (0) to the neck (1)."""
    x = 1.2 - 2.25 * along
    y = 0.28 * sin(2.0 * pi * along) * (1.0 - 0.5 * along)
    tail, neck = max(0.0, 0.25 - along) / 0.25, max(0.0, along - 0.75) / 0.25
    return x, y, 0.42 + 0.22 * tail**2 + 0.5 * neck * (1.0 - 0.25 * cos(pi * neck))


def _thickness(along: float) -> float:
    """Radius of the body: a thin tail, a belly, a neck."""
    belly = 0.06 + 0.17 * sin(pi * min(1.0, 0.1 + 1.1 * along)) ** 2
    return max(belly, 0.13) if along > 0.5 else belly


def _suzanne(collection: bpy.types.Collection) -> bpy.types.Object:
    """Blender's monkey as a collider; her eyes are holes, which a Remesh modifier closes."""
    shape = bmesh.new()
    bmesh.ops.create_monkey(shape)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=(SIZE, SIZE, SIZE))
    obj = add_mesh(collection, "Suzanne", shape, STEEL, roughness=0.3)
    obj.location = START
    remesh = cast(bpy.types.RemeshModifier, obj.modifiers.new("Remesh", "REMESH"))
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", SIZE / 10, True
    obj.modifiers.new("Collision", "COLLISION")
    return obj
