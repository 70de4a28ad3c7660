"""Flag: a flag on its pole, which the artist moves, in a wind that the artist turns and drives."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import cast

import bpy

from ....interaction.training_motion import MotionBox
from ..parts import Key, add_interaction, animate, cotton, hang_on, react_to, sheet, vertices_where
from ..stage import FLAG, Point, View, open_stage, rod

FRAMES = 250
LENGTH, HEIGHT = 2.0, 1.2
# Frame, strength of the wind, and how far it has turned, in radians.
DEMONSTRATION = (
    (1, 2000.0, 0.0),
    (50, 3500.0, 0.5),
    (110, 1500.0, -0.6),
    (170, 3000.0, 0.4),
    (250, 2000.0, 0.0),
)
POLE = (-LENGTH / 2, 0.0, -0.6)
# Where it may be taken on the ground, and where it goes before it is.
POLE_BOX = MotionBox((-1.3, -0.4, POLE[2]), (-0.7, 0.4, POLE[2]), fastest=1.5)
POLE_KEYS: tuple[Key, ...] = (
    (1, POLE),
    (60, POLE),
    (85, (-0.75, 0.3, POLE[2])),
    (130, (-1.25, -0.3, POLE[2])),
    (190, (-0.85, -0.35, POLE[2])),
    (250, POLE),
)


def build(scene: bpy.types.Scene, points: int = 51) -> bpy.types.Object:
    """A flag of points x (3 points / 5) vertices, 2 m by 1.2 m, on a pole in the wind; returns the flag."""
    view = View(camera=(0.6, -6.4, 0.1), target=(0.25, 0.0, -0.2), lens=58.0)
    collection = open_stage(scene, "Flag", view, ground=-2.2, frames=FRAMES)
    flag = sheet(
        collection, "Flag", (points, round(points * HEIGHT / LENGTH)), (LENGTH, HEIGHT, 1.0), colour=FLAG
    )
    flag.rotation_euler.x = pi / 2
    pole = rod(collection, "Pole", POLE, "Z", length=3.2)
    # The hook stands below the cloth in the stack: it is held where the pole has moved its edge.
    hang_on(flag, pole, vertices_where(flag, lambda at: at.x < -LENGTH / 2 + 1e-4))
    cloth = cotton(flag, "Pins", FRAMES).settings
    cloth.mass, cloth.bending_stiffness = 0.15, 0.1  # light enough to fly
    wind = add_wind(collection, (-2.2, 0.0, 0.0), DEMONSTRATION)
    item = add_interaction(flag, wind)
    item.strength_low, item.strength_high, item.turn = 500.0, 4000.0, 0.8
    animate(pole, POLE_KEYS)
    react_to(flag, pole, POLE_BOX)
    return flag


def add_wind(
    collection: bpy.types.Collection, place: Point, keys: Sequence[tuple[int, float, float]]
) -> bpy.types.Object:
    """A wind along its Z axis, from the pole towards the flag; noise is off, for it cannot be learned.

    keys: of frames, strengths, and how far it has turned, in radians.
    """
    wind = bpy.data.objects.new("Wind", None)
    wind.empty_display_type = "SINGLE_ARROW"
    wind.location = place
    collection.objects.link(wind)
    # The data API cannot give an object its first field.
    with bpy.context.temp_override(object=wind, active_object=wind):
        bpy.ops.object.forcefield_toggle()
    field = cast(bpy.types.FieldSettings, wind.field)
    field.type = "WIND"
    field.flow, field.noise = 0.0, 0.0
    for frame, strength, turn in keys:
        field.strength = strength
        field.keyframe_insert("strength", frame=frame)
        wind.rotation_euler = (0.0, pi / 2, turn)
        wind.keyframe_insert("rotation_euler", frame=frame)
    return wind
