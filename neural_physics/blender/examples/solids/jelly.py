"""Jelly: a pudding on its plate, which the artist shakes."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ..parts import animate, hang_on, react_to, simulate_as, vertices_where
from ..stage import JELLY, PORCELAIN, View, add_mesh, open_stage

FRAMES = 250
FLUTES, SEGMENTS, RINGS = 10, 60, 14
BASE, TOP, HEIGHT = 0.5, 0.33, 0.55  # metres
DEPTH = 0.06  # of the flutes, in radii
YOUNG = 2.5e4  # Pa: as soft for its size as jelly is in a dessert bowl
MOTION = MotionBox((-0.35, -0.35, -0.1), (0.35, 0.35, 0.2), shortest=0.25, longest=1.2, fastest=1.5)
DEMONSTRATION = [
    (1, (0.0, 0.0, 0.0)),
    (30, (0.25, 0.0, 0.0)),
    (45, (-0.2, 0.1, 0.0)),
    (60, (0.1, -0.1, 0.1)),
    (110, (0.1, -0.1, 0.1)),
    (120, (0.1, -0.1, -0.05)),
    (180, (-0.3, 0.2, 0.0)),
    (195, (0.3, 0.2, 0.0)),
    (250, (0.0, 0.0, 0.0)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A pudding of 0.5 m on a plate that wanders; returns the pudding."""
    view = View(camera=(-1.5, -3.4, 1.5), target=(0.0, 0.0, 0.2), lens=70.0)
    collection = open_stage(scene, "Jelly", view, ground=-0.25, frames=FRAMES)
    jelly = add_mesh(collection, "Jelly", _pudding(), JELLY, roughness=0.08)
    plate = _plate(collection)
    hang_on(jelly, plate, vertices_where(jelly, lambda at: at.z < 1e-4))
    simulate_as(jelly, "SOLID", "jelly").young = YOUNG
    react_to(jelly, plate, MOTION)
    animate(plate, DEMONSTRATION)
    return jelly


def _pudding() -> bmesh.types.BMesh:
    """A fluted cone with a rounded rim, its base at the origin."""
    shape = bmesh.new()
    rings = [_ring(shape, *_profile(k / (RINGS - 1))) for k in range(RINGS)]
    for lower, upper in pairwise(rings):
        for k in range(SEGMENTS):
            following = (k + 1) % SEGMENTS
            shape.faces.new((lower[k], lower[following], upper[following], upper[k]))
    for ring, height, downward in ((rings[0], 0.0, True), (rings[-1], HEIGHT, False)):
        middle = shape.verts.new((0.0, 0.0, height))
        for k in range(SEGMENTS):
            corners = (ring[k], ring[(k + 1) % SEGMENTS], middle)
            shape.faces.new(corners[::-1] if downward else corners)
    return shape


def _profile(along: float) -> tuple[float, float]:
    """Radius and height of the side, from the base (0) over the rim to near the middle of the top (1)."""
    side = 0.72  # of the rings
    if along <= side:
        share = along / side
        return BASE + (TOP - BASE) * share, 0.88 * HEIGHT * share
    turn = pi / 2 * (along - side) / (1.0 - side)
    return TOP * (0.55 + 0.45 * cos(turn)), HEIGHT * (0.88 + 0.12 * sin(turn))


def _ring(shape: bmesh.types.BMesh, radius: float, height: float) -> list[bmesh.types.BMVert]:
    angles = [2.0 * pi * k / SEGMENTS for k in range(SEGMENTS)]
    fluted = [radius * (1.0 + DEPTH * cos(FLUTES * angle)) for angle in angles]
    return [shape.verts.new((r * cos(a), r * sin(a), height)) for r, a in zip(fluted, angles, strict=True)]


def _plate(collection: bpy.types.Collection) -> bpy.types.Object:
    """A plate under the pudding: it carries it, and collides with nothing."""
    shape = bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=64, radius1=0.5, radius2=0.72, depth=0.06)
    bmesh.ops.translate(shape, verts=list(shape.verts), vec=(0.0, 0.0, -0.032))
    return add_mesh(collection, "Plate", shape, PORCELAIN, roughness=0.2)
