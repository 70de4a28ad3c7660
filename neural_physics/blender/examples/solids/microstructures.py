"""Accordion and Auxetic: flat bodies of two materials, between two grips (Romero 2021, Fig. 8)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import hypot

import bmesh
import bpy
from mathutils import Vector

from ....interaction.training_motion import MotionBox
from ....methods.contact_corrections import specification as contact_corrections
from ...scene.sources import mesh_data
from ...settings.properties import settings_of
from ..parts import animate, hang_on, pin, react_to, simulate_as, thicken, vertices_where
from ..stage import JELLY, PORCELAIN, STEEL, Point, View, add_mesh, block, material, open_stage

FRAMES = 250
LENGTH = 0.9  # metres, from grip to grip
MIDDLE = 0.3  # metres, how high it is
THICKNESS = 0.08  # metres, only to look at
YOUNG = 1e6  # Pa, of what is stiff
DAMPING = 0.005  # seconds
STRAY = 0.06  # metres, by which the grips go at most
SOFT = "Soft"  # the vertex group
# Frame; by how much each grip goes outwards, and the right one up, shares of STRAY.
DEMONSTRATION = [(1, 0.0, 0.0), (40, 0.8, 0.0), (80, -0.5, 0.0), (120, 0.3, 0.8), (160, 0.6, -0.8)]
DEMONSTRATION += [(200, -0.4, 0.4), (FRAMES, 0.0, 0.0)]

STRIPES = 9
# Half the distances between columns and rows of struts, which are so high, and half as thick as; metres.
ACROSS, UP, STRUT, HALF = 0.075, 0.09, 0.13, 0.009

Pattern = Callable[[float, float], bool]


def accordion(scene: bpy.types.Scene) -> bpy.types.Object:
    """Stripes, stiff and soft ones in turn; returns them."""
    return _built(scene, "Accordion", (54, 14), 0.24, soft=_in_soft_stripe, softest=0.04, triangles=1400)


def auxetic(scene: bpy.types.Scene) -> bpy.types.Object:
    """Stiff struts that fold inwards, in a soft body: it gets thicker where it is pulled; returns it."""
    body = _built(scene, "Auxetic", (150, 72), 0.45, soft=_between_struts, softest=0.006, triangles=6000)
    settings_of(body).simulation.poisson = 0.0  # what keeps its volume gets thinner
    return body


def _built(
    scene: bpy.types.Scene,
    name: str,
    faces: tuple[int, int],
    height: float,
    *,
    soft: Pattern,
    softest: float,
    triangles: int,
) -> bpy.types.Object:
    """Upright in the XZ plane. faces: along and up. soft: whether the body is, at x and above its middle."""
    view = View(camera=(-0.6, -3.6, 0.9), target=(0.0, 0.0, MIDDLE), lens=75.0)
    collection = open_stage(scene, name, view, ground=-0.15, frames=FRAMES)
    body = add_mesh(collection, name, _grid(faces, height), JELLY, roughness=0.12)
    for side, grip_name in ((-1.0, "Left Grip"), (1.0, "Right Grip")):
        x = side * (0.5 * LENGTH + 0.025)
        grip = block(collection, grip_name, (0.05, 0.2, 1.1 * height), (x, 0.0, MIDDLE), colour=STEEL)
        hang_on(body, grip, vertices_where(body, _end(side)))
        low, high = (x - STRAY, 0.0, MIDDLE - STRAY), (x + STRAY, 0.0, MIDDLE + STRAY)
        react_to(body, grip, MotionBox(low, high, fastest=1.5))
        animate(grip, [(frame, _moved(x, side, share, up)) for frame, share, up in DEMONSTRATION])
    pin(body, SOFT, vertices_where(body, lambda at: soft(at.x, at.z - MIDDLE)))
    mesh = mesh_data(body)
    mesh.materials.append(material(SOFT, PORCELAIN, 0.3))
    for face in mesh.polygons:
        face.material_index = int(soft(face.center.x, face.center.z - MIDDLE))
    thicken(body, THICKNESS)
    simulation = simulate_as(body, "SOLID", "rubber")
    simulation.young, simulation.softer, simulation.softest = YOUNG, SOFT, softest
    simulation.tetrahedra, simulation.damping = triangles, DAMPING
    settings_of(body).method = contact_corrections.SPECIFICATION.id
    return body


def _in_soft_stripe(x: float, _z: float) -> bool:
    return min(int((x / LENGTH + 0.5) * STRIPES), STRIPES - 1) % 2 == 1


def _between_struts(x: float, z: float) -> bool:
    """Columns of upright struts, every other one half a row higher, and ribs that lead inwards from their
    ends to those of the next: a honeycomb whose cells are drawn in at their waists.
    """
    if abs(x) > 0.5 * LENGTH - 2.0 * HALF:
        return False  # what the grips hold
    column = round(x / (2.0 * ACROSS))
    x, z = abs(x - 2.0 * ACROSS * column), abs(z - 2.0 * UP * round(z / (2.0 * UP)))
    top = 0.5 * STRUT
    here, beyond = (0.0, top), (ACROSS, UP - top)
    return min(_distance((x, z), (0.0, 0.0), here), _distance((x, z), here, beyond)) > HALF and (
        _distance((x, z), beyond, (ACROSS, UP)) > HALF
    )


def _distance(at: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """The distance of a place from the line between two others, m."""
    along = b[0] - a[0], b[1] - a[1]
    share = (at[0] - a[0]) * along[0] + (at[1] - a[1]) * along[1]
    share = min(max(share / (along[0] ** 2 + along[1] ** 2), 0.0), 1.0)
    return hypot(at[0] - a[0] - share * along[0], at[1] - a[1] - share * along[1])


def _end(side: float) -> Callable[[Vector], bool]:
    """Whether a place is at the body's end on that side, -1 or 1."""
    return lambda at: abs(at.x - 0.5 * side * LENGTH) < 1e-4


def _moved(x: float, side: float, out: float, up: float) -> Point:
    """Where the grip of a side goes that is at x at first."""
    return x + side * out * STRAY, 0.0, MIDDLE + (up * STRAY if side > 0.0 else 0.0)


def _grid(faces: tuple[int, int], height: float) -> bmesh.types.BMesh:
    """(along, up) faces, LENGTH by height metres."""
    shape = bmesh.new()
    columns, rows = faces
    vertices = [
        [
            shape.verts.new((LENGTH * (i / columns - 0.5), 0.0, MIDDLE + height * (j / rows - 0.5)))
            for i in range(columns + 1)
        ]
        for j in range(rows + 1)
    ]
    for lower, upper in pairwise(vertices):
        for i in range(columns):
            shape.faces.new((lower[i], lower[i + 1], upper[i + 1], upper[i]))
    return shape
