"""Jelly with Circle, Comb and Star: a flat jelly, and what is pressed into it (Romero 2021, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import cast

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ....methods.contact_corrections import specification as contact_corrections
from ...settings.properties import settings_of
from ..parts import animate, pin, react_to, simulate_as, thicken, vertices_where
from ..stage import BALL, JELLY, PORCELAIN, SAIL, STEEL, Colour, View, add_mesh, block, open_stage

FRAMES = 250
WIDTH, HEIGHT, THICKNESS = 0.8, 0.6, 0.12  # metres; the last only to look at
TAPER = 0.2  # by how much it is narrower at its top
COLUMNS, ROWS = 40, 30
TRIANGLES = 1000
YOUNG = 2e4  # Pa
DAMPING = 0.01  # seconds
DEPTH = 0.2  # of what is pressed in, m
RADIUS = 0.14
ABOVE = 0.1  # how far above it they go, m: low, so that they press most of the time, which is to be learned
PRESSED = 0.13  # how deep they go, m
ASIDE = 0.25  # how far to either side, m
TURN = 0.5  # radians, by which what has corners turns either way

Outline = Sequence[tuple[float, float]]


def circle(scene: bpy.types.Scene) -> bpy.types.Object:
    """The jelly, and a wheel; returns the jelly."""
    around = [2.0 * pi * k / 64 for k in range(64)]
    return _built(scene, "Circle", [(RADIUS * cos(a), RADIUS * sin(a)) for a in around], BALL)


def comb(scene: bpy.types.Scene) -> bpy.types.Object:
    """The jelly, and a comb of four round teeth, nearly as wide as it; returns the jelly."""
    teeth, apart, length, back, steps = 4, 0.12, 0.045, 0.06, 12
    half = 0.5 * teeth * apart
    # Wider than the jelly's triangles, and round: what is sharper catches now this and now that of them.
    waves = [(k / steps, 0.5 - 0.5 * cos(2.0 * pi * k / steps)) for k in range(teeth * steps + 1)]
    corners = [(apart * at - half, -length * down) for at, down in waves]
    # So far to its sides that the jelly's corners are not caught between its teeth.
    return _built(scene, "Comb", [*corners, (half, back), (-half, back)], SAIL, turn=TURN, aside=0.07)


def star(scene: bpy.types.Scene) -> bpy.types.Object:
    """The jelly, and a star of five points, one of them down; returns the jelly."""
    corners = []
    for k in range(10):
        angle, radius = -0.5 * pi + pi * k / 5.0, 0.1 if k % 2 else 0.22
        corners.append((radius * cos(angle), radius * sin(angle)))
    return _built(scene, "Star", corners, STEEL, turn=TURN)


def _built(
    scene: bpy.types.Scene,
    name: str,
    outline: Outline,
    colour: Colour,
    *,
    turn: float = 0.0,
    aside: float = ASIDE,
) -> bpy.types.Object:
    view = View(camera=(-0.9, -3.4, 1.0), target=(0.0, 0.0, 0.42), lens=75.0)
    collection = open_stage(scene, f"Jelly with {name}", view, ground=-0.08, frames=FRAMES)
    jelly = add_mesh(collection, "Jelly", _slab(), JELLY, roughness=0.12)
    thicken(jelly, THICKNESS)
    block(collection, "Plate", (1.1 * WIDTH, 0.5, 0.06), (0.0, 0.0, -0.031), colour=PORCELAIN)
    pin(jelly, "Pins", vertices_where(jelly, lambda at: at.z < 1e-4))
    simulation = simulate_as(jelly, "SOLID", "jelly")
    simulation.young, simulation.tetrahedra, simulation.damping = YOUNG, TRIANGLES, DAMPING
    settings_of(jelly).method = contact_corrections.SPECIFICATION.id
    presser = add_mesh(collection, name, _prism(outline), colour, roughness=0.3)
    cast(bpy.types.Mesh, presser.data).shade_flat()
    presser.modifiers.new("Collision", "COLLISION")
    reach = -min(z for _, z in outline)
    low, high = HEIGHT + reach - PRESSED, HEIGHT + reach + ABOVE
    react_to(jelly, presser, MotionBox((-aside, 0.0, low), (aside, 0.0, high), fastest=1.0))
    item = settings_of(jelly).interactions[0]
    item.turning, item.turn, item.turn_axis = turn > 0.0, turn, "Y"
    keys = [(1, 0.0, high), (30, 0.0, low), (50, 0.0, high), (75, -0.2, low + 0.03)]
    keys += [(105, 0.15, low + 0.05), (125, 0.2, high), (150, 0.1, low), (165, 0.1, high)]
    keys += [(200, -0.1, low), (215, -0.1, high), (FRAMES, 0.0, high)]
    animate(presser, [(frame, (x * aside / ASIDE, 0.0, z)) for frame, x, z in keys])
    if turn:
        for frame, share in ((50, 0.0), (75, -1.0), (105, 0.8), (165, 0.5), (200, -0.6), (FRAMES, 0.0)):
            presser.rotation_euler = (0.0, share * turn, 0.0)
            presser.keyframe_insert("rotation_euler", frame=frame)
        presser.rotation_euler = (0.0, 0.0, 0.0)
    return jelly


def _slab() -> bmesh.types.BMesh:
    """Flat, upright, its foot on the X axis."""
    shape = bmesh.new()
    rows = []
    for j in range(ROWS + 1):
        up = j / ROWS
        half = 0.5 * WIDTH * (1.0 - TAPER * up)
        along = [half * (2.0 * i / COLUMNS - 1.0) for i in range(COLUMNS + 1)]
        rows.append([shape.verts.new((x, 0.0, HEIGHT * up)) for x in along])
    for j in range(ROWS):
        for i in range(COLUMNS):
            shape.faces.new((rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]))
    return shape


def _prism(outline: Outline) -> bmesh.types.BMesh:
    """An outline in the XZ plane, as deep in front of it as behind."""
    shape = bmesh.new()
    face = shape.faces.new([shape.verts.new((x, -0.5 * DEPTH, z)) for x, z in outline])
    extruded = bmesh.ops.extrude_face_region(shape, geom=[face], use_keep_orig=True)["geom"]
    moved = [part for part in extruded if isinstance(part, bmesh.types.BMVert)]
    bmesh.ops.translate(shape, verts=moved, vec=(0.0, DEPTH, 0.0))
    bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))
    return shape
