"""Soft Animal: a stout dog of flesh on bones, which trots, jumps and shakes itself."""

from __future__ import annotations

import bmesh
import bpy
from mathutils import Matrix, Vector

from ...scene.sources import mesh_data
from ..blobs import melted
from ..limbs import add_rig, balls_along, bind
from ..stage import STEEL, STRAW, Point, View, add_mesh, open_stage
from .dog import flesh, limbs
from .dog_motion import ACTIONS
from .flesh import learn_to_jiggle, soften

RESOLUTION = 0.035  # of the body's faces, metres
BLEND = 0.035  # metres, of the weights of neighbouring bones
KEPT_FOR_TESTING = "Shake"
BONE_RADIUS, YOUNG, TETRAHEDRA = 0.05, 1.8e4, 7_000  # m; Pa: fat on muscle
# Where eyes and nose are, and their radii; metres.
FACE = [((-0.085, -0.765, 0.985), 0.03), ((0.085, -0.765, 0.985), 0.03), ((0.0, -0.955, 0.905), 0.036)]


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A dog of 1.2 m from nose to rump, on its own rig; returns its body."""
    view = View(camera=(-3.0, -3.4, 1.25), target=(0.0, -0.05, 0.58), lens=72.0)
    collection = open_stage(scene, "Soft Animal", view, ground=0.0, frames=1)
    rig = add_rig(scene, collection, "Dog", limbs())
    body = add_mesh(
        collection, "Soft Dog", melted([*balls_along(limbs()), *flesh()], RESOLUTION), STRAW, roughness=0.6
    )
    bind(body, rig, limbs(), BLEND)
    for place, radius in FACE:
        _add_ball(scene, collection, body, place, radius=radius)
    soften(body, BONE_RADIUS, YOUNG, TETRAHEDRA)
    learn_to_jiggle(scene, body, rig, ACTIONS, kept=KEPT_FOR_TESTING)
    return body


def _add_ball(
    scene: bpy.types.Scene,
    collection: bpy.types.Collection,
    body: bpy.types.Object,
    place: Point,
    *,
    radius: float,
) -> None:
    """An eye or a nose, on the face of the body that is nearest to it, however that moves."""
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=3, radius=radius, matrix=Matrix.Translation(place))
    ball = add_mesh(collection, "Eye or Nose", shape, STEEL, roughness=0.15)
    face = min(mesh_data(body).polygons, key=lambda face: (face.center - Vector(place)).length)
    ball.parent, ball.parent_type, ball.parent_vertices = body, "VERTEX_3", face.vertices[:]
    scene.view_layers[0].update()
    ball.matrix_parent_inverse = ball.matrix_world.inverted()  # it stays where it is now
