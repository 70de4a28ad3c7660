"""Ears: two long soft ears on a hard head that wanders and nods (Li 2025, section 4.3)."""

from __future__ import annotations

from math import radians
from typing import cast

import bmesh
import bpy
from mathutils import Matrix, Vector

from ....interaction.training_motion import MotionBox
from ...settings.properties import settings_of
from ..blobs import Ball, melted
from ..parts import Key, animate, hang_on, learn_by_latent_dynamics, react_to, simulate_as, vertices_where
from ..stage import CLAY, PORCELAIN, STEEL, View, add_mesh, material, open_stage

FRAMES, FPS = 250, 30
EAR, HEAD = 0.035, 0.05  # metres: the size of their faces
FLAT = 0.5  # of an ear's width is its thickness
HELD = 0.24  # metres above the head's middle, up to which the ears sit in it
YOUNG, TETRAHEDRA = 1e6, 14_000  # Pa: they stand up, and flop
NOSE = (0.0, -0.345, -0.02)  # metres
NOD = radians(35.0)
TAKE_FRAMES = 300
LATENTS = 4
MOTION = MotionBox((-0.3, -0.3, -0.15), (0.3, 0.3, 0.15), shortest=0.4, longest=1.5, fastest=1.5)
DEMONSTRATION: list[tuple[Key, float]] = [
    ((1, (0.0, 0.0, 0.0)), 0.0),
    ((30, (0.2, 0.0, 0.1)), 20.0),
    ((45, (-0.15, 0.0, 0.0)), -10.0),
    ((80, (-0.15, -0.2, 0.0)), 30.0),
    ((95, (-0.15, 0.2, -0.1)), -25.0),
    ((140, (-0.15, 0.2, -0.1)), -25.0),
    ((170, (0.25, 0.0, 0.0)), 10.0),
    ((185, (0.25, 0.0, 0.15)), 0.0),
    ((250, (0.0, 0.0, 0.0)), 0.0),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Ears of 0.8 m on a head that is their reference frame; returns the ears, which are one object."""
    view = View(camera=(-1.6, -4.2, 0.7), target=(0.0, 0.0, 0.38), lens=68.0)
    collection = open_stage(scene, "Ears", view, ground=-0.75, frames=FRAMES, fps=FPS)
    head = add_mesh(collection, "Head", _head(), PORCELAIN, roughness=0.35)
    cast(bpy.types.Mesh, head.data).materials.append(material("Eyes", STEEL, 0.1))
    ears = add_mesh(collection, "Ears", _ears(), CLAY, roughness=0.5)
    hang_on(ears, head, vertices_where(ears, lambda at: at.z < HELD))
    simulation = simulate_as(ears, "SOLID", "silicone")
    simulation.young, simulation.tetrahedra = YOUNG, TETRAHEDRA
    learn_by_latent_dynamics(ears, TAKE_FRAMES, LATENTS)
    react_to(ears, head, MOTION)
    settings = settings_of(ears)
    settings.frame_object, settings.moving_frame, settings.use_ground = head, True, True
    settings.interactions[0].turn, settings.interactions[0].turn_axis = NOD, "X"
    animate(head, [key for key, _ in DEMONSTRATION])
    for (frame, _), degrees in DEMONSTRATION:
        head.rotation_euler.x = radians(degrees)
        head.keyframe_insert("rotation_euler", frame=frame)
    head.rotation_euler.x = 0.0
    return ears


def _head() -> bmesh.types.BMesh:
    """Round, with cheeks and a chin, dark eyes and a dark nose; it looks towards -Y."""
    cheeks: list[Ball] = [((side * 0.11, -0.23, -0.10), 0.13) for side in (-1, 1)]
    shape = melted([((0.0, 0.0, 0.0), 0.29), ((0.0, -0.06, -0.12), 0.24), *cheeks], HEAD)
    white = list(shape.faces)
    for place, radius in [((-0.13, -0.25, 0.08), 0.045), ((0.13, -0.25, 0.08), 0.045), (NOSE, 0.04)]:
        bmesh.ops.create_icosphere(shape, subdivisions=3, radius=radius, matrix=Matrix.Translation(place))
    for face in set(shape.faces).difference(white):
        face.material_index = 1
    return shape


def _ears() -> bmesh.types.BMesh:
    """Both ears: wide in the middle, round at the tip, spread apart, and half as thick as wide."""
    widths = [0.075, 0.085, 0.095, 0.105, 0.11, 0.11, 0.105, 0.095, 0.08]
    balls = [
        ((side * (0.13 + 0.035 * k), 0.0, 0.20 + 0.085 * k), width)
        for side in (-1, 1)
        for k, width in enumerate(widths)
    ]
    shape = melted(balls, EAR)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=Vector((1.0, FLAT, 1.0)))
    return shape
