"""Soft Animal: a stout dog of flesh on bones, which trots, jumps and shakes itself."""

from __future__ import annotations

import bmesh
import bpy
from mathutils import Matrix

from .blobs import melted
from .dog import flesh, limbs
from .dog_motion import ACTIONS
from .flesh import learn_to_jiggle, soften
from .limbs import add_rig, balls_along, bind, follow_bone
from .stage import STEEL, STRAW, View, add_mesh, open_stage

RESOLUTION = 0.035  # of the body's faces, metres
BLEND = 0.035  # metres, of the weights of neighbouring bones
KEPT_FOR_TESTING = "Shake"
BONE_RADIUS, YOUNG, TETRAHEDRA = 0.045, 1.2e4, 7_000  # m; Pa: fat on muscle
EYES_AND_NOSE = [
    ((-0.085, -0.765, 0.985), 0.03),
    ((0.085, -0.765, 0.985), 0.03),
    ((0.0, -0.925, 0.905), 0.036),
]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A dog of 1.2 m from nose to rump, on its own rig; returns its body."""
    view = View(camera=(-3.0, -3.4, 1.25), target=(0.0, -0.05, 0.58), lens=72.0)
    collection = open_stage(scene, "Soft Animal", view, ground=0.0, frames=1)
    rig = add_rig(scene, collection, "Dog", limbs())
    body = add_mesh(collection, "Soft Dog", melted([*balls_along(limbs()), *flesh()], RESOLUTION), STRAW, 0.6)
    bind(body, rig, limbs(), BLEND)
    follow_bone(add_mesh(collection, "Eyes and Nose", _eyes_and_nose(), STEEL, 0.15), rig, "skull")
    soften(body, BONE_RADIUS, YOUNG, TETRAHEDRA)
    learn_to_jiggle(scene, body, rig, ACTIONS, KEPT_FOR_TESTING)
    return body


def _eyes_and_nose() -> bmesh.types.BMesh:
    """Three balls, half of each in the head."""
    shape = bmesh.new()
    for place, radius in EYES_AND_NOSE:
        bmesh.ops.create_icosphere(shape, subdivisions=3, radius=radius, matrix=Matrix.Translation(place))
    return shape
