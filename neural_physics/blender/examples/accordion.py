"""Accordion: flat stripes, stiff and soft ones in turn, between two grips (Romero 2021, Fig. 8)."""

from __future__ import annotations

import bmesh
import bpy

from ...methods.requirements import CONTACT_CORRECTIONS
from ...motion import MotionBox
from ..properties import settings_of
from ..sources import mesh_data
from .parts import animate, hang_on, pin, react_to, simulate_as, thicken, vertices_where
from .stage import JELLY, PORCELAIN, STEEL, Point, View, add_mesh, block, material, open_stage

FRAMES = 250
LENGTH, HEIGHT = 0.9, 0.24  # metres
STRIPES, ACROSS, UP = 9, 6, 14  # stripes, faces across each, and up
YOUNG, SOFTEST = 1e6, 0.04  # Pa, of the stiff stripes; what share of it the soft ones have
THICKNESS = 0.08  # metres, only to look at
TRIANGLES = 1400
STRAY = 0.1  # metres, by which the grips go at most
SOFT = "Soft"  # the vertex group


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """The stripes, upright in the XZ plane, and what holds their ends; returns the stripes."""
    view = View(camera=(-0.6, -3.6, 0.9), target=(0.0, 0.0, 0.3), lens=75.0)
    collection = open_stage(scene, "Accordion", view, ground=-0.15, frames=FRAMES)
    body = add_mesh(collection, "Accordion", _stripes(), JELLY, 0.12)
    for side, name in ((-1.0, "Left Grip"), (1.0, "Right Grip")):
        end = side * 0.5 * LENGTH
        grip = block(collection, name, (0.05, 0.2, 1.15 * HEIGHT), (end + side * 0.025, 0.0, 0.3), STEEL)
        hang_on(body, grip, vertices_where(body, lambda at, end=end: abs(at.x - end) < 1e-4))
        low, high = _around(grip.location.to_tuple())
        react_to(body, grip, MotionBox(low, high, fastest=1.5))
        animate(grip, [(frame, _moved(grip, side, share, up)) for frame, share, up in DEMONSTRATION])
    pin(body, SOFT, vertices_where(body, lambda at: _stripe(at.x) % 2 == 1))
    _colour(body)
    thicken(body, THICKNESS)
    simulation = simulate_as(body, "SOLID", "rubber")
    simulation.young, simulation.softer, simulation.softest = YOUNG, SOFT, SOFTEST
    simulation.tetrahedra, simulation.damping = TRIANGLES, 0.005
    settings_of(body).method = CONTACT_CORRECTIONS
    return body


# Frame; by how much each grip goes outwards, and the right one up, shares of STRAY.
DEMONSTRATION = [(1, 0.0, 0.0), (40, 0.8, 0.0), (80, -0.5, 0.0), (120, 0.3, 0.8), (160, 0.6, -0.8)]
DEMONSTRATION += [(200, -0.4, 0.4), (FRAMES, 0.0, 0.0)]


def _around(place: Point) -> tuple[Point, Point]:
    x, y, z = place
    return (x - STRAY, y, z - STRAY), (x + STRAY, y, z + STRAY)


def _moved(grip: bpy.types.Object, side: float, out: float, up: float) -> Point:
    x, y, z = grip.location
    return x + side * out * STRAY, y, z + (up * STRAY if side > 0.0 else 0.0)


def _colour(body: bpy.types.Object) -> None:
    """The soft stripes in a colour of their own."""
    mesh = mesh_data(body)
    mesh.materials.append(material("Soft Stripes", PORCELAIN, 0.3))
    for face in mesh.polygons:
        face.material_index = _stripe(face.center.x) % 2


def _stripe(x: float) -> int:
    return min(int((x / LENGTH + 0.5) * STRIPES), STRIPES - 1)


def _stripes() -> bmesh.types.BMesh:
    """Upright, 0.3 m above the origin; faces end where stripes do."""
    shape = bmesh.new()
    columns = STRIPES * ACROSS
    rows = [
        [
            shape.verts.new((LENGTH * (i / columns - 0.5), 0.0, 0.3 + HEIGHT * (j / UP - 0.5)))
            for i in range(columns + 1)
        ]
        for j in range(UP + 1)
    ]
    for j in range(UP):
        for i in range(columns):
            shape.faces.new((rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]))
    return shape
