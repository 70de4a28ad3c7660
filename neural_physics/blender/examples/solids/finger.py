"""Finger: soft tissue around bones that stand still, and balls of four sizes (Romero 2021, Fig. 12).

As in the paper, palm and phalanges are rigid frames, and r_ext learns the radius of a ball. There, springs
hold the phalanges, which are all that is simulated. Here bones that hold flesh go exactly where their pose
says, so that nothing would be left to swing: what is simulated are free points in the tissue. They are spread
over it by the trainer, because a finger is not to be pulled by points of its skin.
"""

from __future__ import annotations

from itertools import pairwise
from math import cos, exp, pi, sin, sqrt

import bmesh
import bpy

from ....interaction.training_motion import MotionBox
from ....methods.contact_corrections import specification as contact_corrections
from ...scene.sources import mesh_data
from ...settings.properties import settings_of
from ..limbs import Limb, add_rig, bind
from ..parts import Key, animate, collider, pin, react_to, simulate_as, vertices_where
from ..stage import BALL, BEAM, PORCELAIN, STEEL, STRAW, Colour, Point, View, add_mesh, block, open_stage

FRAMES = 300
LENGTH, THICK, THIN = 0.6, 0.09, 0.078  # metres: from the palm to the tip, and its radii there
KNUCKLES, KNUCKLE = (0.09, 0.27, 0.43), 0.01  # where joints are, and by how much it is thicker there, metres
RINGS, SEGMENTS = 36, 28
TETRAHEDRA = 1250
YOUNG = 2e4  # Pa, of the tissue
DAMPING = 0.01  # seconds
BONES = {"palm": (-0.03, -0.02), "proximal": (0.17, 0.18), "middle": (0.34, 0.35), "distal": (0.505, 0.51)}
BONE_RADIUS = 0.055  # metres; bones end so far before a joint that each is a frame of its own
BLEND = 0.02  # metres
PALM = 0.02  # metres from its end: what sits fast
PRESSED, AWAY = 0.022, 0.08  # metres: how deep balls go, and how far off
BALLS: list[tuple[str, float, tuple[int, int], Colour]] = [  # name, radius, which side: y, z
    ("Large Ball", 0.1, (0, 1), BALL),
    ("Small Ball", 0.05, (-1, 0), STEEL),
    ("Medium Ball", 0.065, (1, 0), STRAW),
    ("Thick Ball", 0.08, (0, -1), PORCELAIN),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A finger of 0.6 m that points along the X axis, and a ball on each side of it; returns the finger."""
    view = View(camera=(0.9, -2.6, 1.1), target=(0.28, 0.0, 0.0), lens=80.0)
    collection = open_stage(scene, "Finger", view, ground=-0.35, frames=FRAMES)
    finger = add_mesh(collection, "Finger", _tissue(), BEAM, roughness=0.5)
    _add_nail(scene, collection, finger)
    block(collection, "Hand", (0.08, 0.3, 0.24), (-0.041, 0.0, 0.0), colour=PORCELAIN)
    pin(finger, "Pins", vertices_where(finger, lambda at: at.x < PALM))
    limbs = [
        Limb(name, "", (head, 0.0, 0.0), (tail, 0.0, 0.0), head_radius=BONE_RADIUS, tail_radius=BONE_RADIUS)
        for name, (head, tail) in BONES.items()
    ]
    bind(finger, add_rig(scene, collection, "Finger Bones", limbs), limbs, BLEND)
    simulation = simulate_as(finger, "SOLID", "flesh")
    simulation.young, simulation.damping, simulation.tetrahedra = YOUNG, DAMPING, TETRAHEDRA
    simulation.bone_radius = BONE_RADIUS
    settings_of(finger).method = contact_corrections.SPECIFICATION.id
    for number, (name, radius, side, colour) in enumerate(BALLS):
        _add_ball(collection, finger, name, radius, side=side, colour=colour, begins=1 + 70 * number)
    return finger


def _add_ball(
    collection: bpy.types.Collection,
    finger: bpy.types.Object,
    name: str,
    radius: float,
    *,
    side: tuple[int, int],
    colour: Colour,
    begins: int,
) -> None:
    """One that wanders beside the finger for training; here it goes along it, from a frame on."""
    near, far = THIN + radius - PRESSED, THICK + radius + AWAY

    def beside(x: float, off: float) -> Point:
        return x, side[0] * off, side[1] * off

    ball = collider(collection, name, radius, beside(0.3, far), colour=colour)
    path: list[tuple[int, float, float]] = [(0, 0.3, far), (20, 0.45, near), (50, 0.25, near), (70, 0.3, far)]
    keys: list[Key] = [(begins + frame, beside(x, off)) for frame, x, off in path]
    animate(ball, keys)
    across = 0.04  # metres
    low, high = [0.12, -across, -across], [LENGTH, across, across]
    for axis, sign in enumerate(side, 1):
        if sign:
            low[axis], high[axis] = sorted((sign * near, sign * far))
    box = MotionBox((low[0], low[1], low[2]), (high[0], high[1], high[2]), fastest=0.6)
    react_to(finger, ball, box)


def _add_nail(scene: bpy.types.Scene, collection: bpy.types.Collection, finger: bpy.types.Object) -> None:
    """Add a nail on the back of the tip, which carries it."""
    shape = bmesh.new()
    bmesh.ops.create_uvsphere(shape, u_segments=24, v_segments=12, radius=1.0)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=(0.05, 0.042, 0.016))
    nail = add_mesh(collection, "Nail", shape, PORCELAIN, roughness=0.2)
    nail.location = (LENGTH - 0.065, 0.0, 0.066)
    nail.rotation_euler = (0.0, 0.35, 0.0)
    face = min(mesh_data(finger).polygons, key=lambda face: (face.center - nail.location).length)
    nail.parent, nail.parent_type, nail.parent_vertices = finger, "VERTEX_3", face.vertices[:3]
    scene.view_layers[0].update()
    placed = nail.matrix_basis.copy()
    nail.matrix_parent_inverse = (nail.matrix_world @ placed.inverted()).inverted()


def _tissue() -> bmesh.types.BMesh:
    """Along the X axis, with a flat end at the palm and a round tip."""
    shape = bmesh.new()
    rings = []
    for k in range(RINGS):
        x = (LENGTH - 0.002) * k / (RINGS - 1)
        r = _radius(x)
        angles = [2.0 * pi * s / SEGMENTS for s in range(SEGMENTS)]
        rings.append([shape.verts.new((x, r * cos(a), r * sin(a))) for a in angles])
    for left, right in pairwise(rings):
        for s in range(SEGMENTS):
            following = (s + 1) % SEGMENTS
            shape.faces.new((left[s], left[following], right[following], right[s]))
    for ring, x, backward in ((rings[0], 0.0, True), (rings[-1], LENGTH, False)):
        middle = shape.verts.new((x, 0.0, 0.0))
        for s in range(SEGMENTS):
            corners = (ring[s], ring[(s + 1) % SEGMENTS], middle)
            shape.faces.new(corners[::-1] if backward else corners)
    bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))
    return shape


def _radius(x: float) -> float:
    """The radius of the finger so far from the palm, m."""
    radius = THICK + (THIN - THICK) * x / LENGTH
    radius += sum(KNUCKLE * exp(-(((x - joint) / 0.04) ** 2)) for joint in KNUCKLES)
    beyond = max(0.0, x - (LENGTH - THIN)) / THIN
    return radius * sqrt(max(0.0, 1.0 - beyond**2))
