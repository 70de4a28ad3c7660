"""Worm: three bones in soft flesh, led by its head between posts (Romero 2021, Figs. 2 and 10)."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ....methods.contact_corrections import specification as contact_corrections
from ...settings.properties import settings_of
from ..limbs import Limb, add_rig
from ..parts import add_handle, animate, hang_on, react_to, simulate_as, thicken, vertices_where
from ..stage import CLAY, PORCELAIN, STEEL, View, add_mesh, block, open_stage

FRAMES = 250
LENGTH, WIDTH, THICKNESS = 1.2, 0.2, 0.14  # metres; the last only to look at
HEIGHT = 0.1  # metres, of the plane it lies in
COLUMNS, ROWS = 60, 10
TRIANGLES = 1000
YOUNG = 3e4  # Pa, of the flesh
DAMPING = 0.02  # seconds
BONES = {"head": 0.38, "middle": 0.0, "tail": -0.38}  # where their middles are, metres
BONE, CORE = 0.16, 0.05  # metres: how long they are, and how near to them what goes along is
POST = 0.05  # metres, their radius
OPEN, CLOSED = 0.3, 0.135  # metres from the middle: there posts touch nothing, here they press by 1.5 cm
APART = 0.25  # metres, from post to post along the worm
LEAD = 0.1  # metres, by which the head is led either way


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A worm of 1.2 m that lies in a plane, where gravity does not pull it; returns it."""
    view = View(camera=(0.0, -2.0, 3.2), target=(0.0, 0.0, HEIGHT), lens=70.0)
    collection = open_stage(scene, "Worm", view, ground=0.0, frames=FRAMES)
    worm = add_mesh(collection, "Worm", _outline(), CLAY, roughness=0.3)
    lead = block(collection, "Lead", (0.05, 0.1, 0.16), (0.5 * LENGTH + 0.025, 0.0, HEIGHT), colour=STEEL)
    hang_on(worm, lead, vertices_where(worm, lambda at: at.x > 0.5 * LENGTH - 1e-4))
    thicken(worm, THICKNESS)
    simulation = simulate_as(worm, "SOLID", "jelly")
    simulation.young, simulation.tetrahedra, simulation.damping = YOUNG, TRIANGLES, DAMPING
    settings_of(worm).method = contact_corrections.SPECIFICATION.id
    limbs = [
        Limb(
            name,
            "",
            (x - 0.5 * BONE, 0.0, HEIGHT),
            (x + 0.5 * BONE, 0.0, HEIGHT),
            head_radius=CORE,
            tail_radius=CORE,
        )
        for name, x in BONES.items()
    ]
    rig = add_rig(scene, collection, "Worm Bones", limbs)
    for name in BONES:
        add_handle(worm, rig, name, CORE)
    x = lead.location.x
    react_to(worm, lead, MotionBox((x - LEAD, -LEAD, HEIGHT), (x + LEAD, LEAD, HEIGHT), fastest=0.6))
    animate(
        lead, [(1, (x, 0.0, HEIGHT)), (40, (x + 0.5 * LEAD, 0.5 * LEAD, HEIGHT)), (220, (x, 0.0, HEIGHT))]
    )
    for number in range(3):
        for side, which in ((1.0, "Left"), (-1.0, "Right")):
            _add_post(collection, worm, f"{which} Post {number + 1}", side, x=APART * (number - 2))
    return worm


def _add_post(
    collection: bpy.types.Collection, worm: bpy.types.Object, name: str, side: float, *, x: float
) -> None:
    """One that wanders beside the worm for training; here it closes in and goes along it to its head."""
    shape = bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=48, radius1=POST, radius2=POST, depth=2.0 * HEIGHT)
    post = add_mesh(collection, name, shape, PORCELAIN, roughness=0.3)
    post.modifiers.new("Collision", "COLLISION")
    far, near = sorted((side * OPEN, side * CLOSED), key=abs, reverse=True)
    keys = [(1, x, far), (40, x, near), (180, x + 2.0 * APART, near), (215, x + 2.0 * APART, far)]
    animate(post, [(frame, (along, off, HEIGHT)) for frame, along, off in keys])
    low, high = sorted((side * 0.9 * CLOSED, side * OPEN))
    react_to(worm, post, MotionBox((-0.55, low, HEIGHT), (0.55, high, HEIGHT), fastest=0.6))


def _outline() -> bmesh.types.BMesh:
    """Along the X axis, its ends rounded."""
    shape = bmesh.new()
    columns = []
    for i in range(COLUMNS + 1):
        x = LENGTH * (i / COLUMNS - 0.5)
        beyond = max(0.0, abs(x) - 0.5 * (LENGTH - WIDTH)) / (0.5 * WIDTH)
        half = 0.5 * WIDTH * max(0.4, sqrt(max(0.0, 1.0 - beyond**2)))
        columns.append([shape.verts.new((x, half * (2.0 * j / ROWS - 1.0), HEIGHT)) for j in range(ROWS + 1)])
    for left, right in pairwise(columns):
        for j in range(ROWS):
            shape.faces.new((left[j], right[j], right[j + 1], left[j + 1]))
    return shape
