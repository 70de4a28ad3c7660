"""Cantilever: a rubber beam, clamped at one end by what the artist moves."""

from __future__ import annotations

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ..parts import animate, hang_on, react_to, simulate_as, vertices_where
from ..stage import BEAM, STEEL, Colour, View, add_mesh, open_stage

FRAMES = 250
LENGTH, SECTION = 2.0, 0.25  # metres
YOUNG = 5e6  # Pa: its end sinks by a quarter of its length
MOTION = MotionBox((-0.3, -0.3, -0.4), (0.3, 0.3, 0.4), fastest=2.0)
CLAMPED = 0.15  # metres of the beam are in the clamp
DEMONSTRATION = [
    (1, (0.0, 0.0, 0.0)),
    (40, (0.0, 0.0, 0.35)),
    (55, (0.0, 0.0, -0.2)),
    (110, (0.0, 0.25, -0.2)),
    (125, (0.0, -0.25, 0.0)),
    (180, (0.25, 0.0, 0.2)),
    (250, (0.0, 0.0, 0.0)),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A beam of 2 m by 0.25 m by 0.25 m in a clamp that wanders; returns the beam."""
    view = View(camera=(-0.4, -6.2, 0.9), target=(0.75, 0.0, -0.25), lens=70.0)
    collection = open_stage(scene, "Cantilever", view, ground=-1.3, frames=FRAMES)
    cells = round(LENGTH / SECTION * 4)
    beam = _block(
        collection, "Beam", (LENGTH, SECTION, SECTION), LENGTH / 2, cells=(cells, 4, 4), colour=BEAM
    )
    clamp = _block(collection, "Clamp", (0.3, 0.45, 0.45), 0.0, cells=(1, 1, 1), colour=STEEL)
    hang_on(beam, clamp, vertices_where(beam, lambda at: at.x < CLAMPED))
    simulate_as(beam, "SOLID", "rubber").young = YOUNG
    react_to(beam, clamp, MOTION)
    animate(clamp, DEMONSTRATION)
    return beam


def _block(
    collection: bpy.types.Collection,
    name: str,
    size: tuple[float, float, float],
    middle: float,
    *,
    cells: tuple[int, int, int],
    colour: Colour,
) -> bpy.types.Object:
    """A block around (middle, 0, 0), cut into cells along its axes."""
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0)
    for axis, count in enumerate(cells):
        for cut in range(1, count):
            place, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
            place[axis], normal[axis] = cut / count - 0.5, 1.0
            everything = [*shape.verts, *shape.edges, *shape.faces]
            bmesh.ops.bisect_plane(shape, geom=everything, plane_co=place, plane_no=normal)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=size)
    bmesh.ops.translate(shape, verts=list(shape.verts), vec=(middle, 0.0, 0.0))
    return add_mesh(collection, name, shape, colour, roughness=0.45)
