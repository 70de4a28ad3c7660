"""A character from nothing but bones and balls: a rig of 19 bones, and a body that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ..sources import mesh_data, read_positions
from .blobs import Ball, melted
from .stage import CLAY, Point, add_mesh

RESOLUTION = 0.03  # of the body's faces, metres
BALLS_PER_METRE = 24.0
BLEND = 0.025  # metres: how far from one bone's limb its neighbour's pull has halved, and more
LEAST_SHARE = 0.05  # of a vertex; what a bone has less of is not worth having
THICKNESS = 0.008  # of the collider's skin, metres
SLIM = 0.75  # balls that melt together bulge beyond their radii


@dataclass(frozen=True)
class Limb:
    """A bone at rest, and the radii of what is around it; metres."""

    name: str
    parent: str
    head: Point
    tail: Point
    head_radius: float
    tail_radius: float


TRUNK = (
    Limb("hips", "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.08), 0.125, 0.115),
    Limb("spine", "hips", (0.0, 0.0, 1.08), (0.0, 0.0, 1.24), 0.11, 0.125),
    Limb("chest", "spine", (0.0, 0.0, 1.24), (0.0, 0.01, 1.44), 0.13, 0.105),
    Limb("neck", "chest", (0.0, 0.01, 1.44), (0.0, 0.0, 1.55), 0.055, 0.05),
    Limb("head", "neck", (0.0, 0.0, 1.57), (0.0, -0.02, 1.72), 0.085, 0.1),
)
# On the character's left, which is the world's +X: it looks along -Y.
LEFT = (
    Limb("shoulder", "chest", (0.03, 0.0, 1.41), (0.17, 0.0, 1.41), 0.065, 0.065),
    Limb("upper_arm", "shoulder", (0.17, 0.0, 1.41), (0.36, 0.0, 1.20), 0.06, 0.048),
    Limb("forearm", "upper_arm", (0.36, 0.0, 1.20), (0.53, -0.03, 1.02), 0.046, 0.034),
    Limb("hand", "forearm", (0.53, -0.03, 1.02), (0.61, -0.05, 0.93), 0.034, 0.03),
    Limb("thigh", "hips", (0.095, 0.0, 0.92), (0.11, -0.01, 0.50), 0.088, 0.062),
    Limb("shin", "thigh", (0.11, -0.01, 0.50), (0.12, 0.015, 0.09), 0.06, 0.04),
    Limb("foot", "shin", (0.12, 0.015, 0.08), (0.125, -0.14, 0.04), 0.045, 0.035),
)


def limbs() -> list[Limb]:
    """All of them, those on the right mirrored from the left."""
    return [*TRUNK, *(_sided(limb, "L", 1.0) for limb in LEFT), *(_sided(limb, "R", -1.0) for limb in LEFT)]


def add_character(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bpy.types.Object:
    """A character of 1.8 m on the ground at the origin, its body a collider; returns its armature."""
    rig = _rig(scene, collection)
    body = add_mesh(collection, "Body", melted(_balls(), RESOLUTION), CLAY, 0.6)
    _weigh(body)
    body.parent = rig
    cast(bpy.types.ArmatureModifier, body.modifiers.new("Armature", "ARMATURE")).object = rig
    body.modifiers.new("Collision", "COLLISION")
    cast(bpy.types.CollisionSettings, body.collision).thickness_outer = THICKNESS
    return rig


def follow_bone(obj: bpy.types.Object, rig: bpy.types.Object, bone: str) -> None:
    """Let a bone carry all of a mesh, before what simulates it."""
    group = obj.vertex_groups.new(name=bone)
    group.add(range(len(mesh_data(obj).vertices)), 1.0, "REPLACE")
    cast(bpy.types.ArmatureModifier, obj.modifiers.new("Armature", "ARMATURE")).object = rig


def _sided(limb: Limb, side: str, sign: float) -> Limb:
    # What hangs on the trunk hangs on its one bone.
    parent = limb.parent if limb.parent in ("chest", "hips") else f"{limb.parent}.{side}"
    head, tail = ((sign * x, y, z) for x, y, z in (limb.head, limb.tail))
    return Limb(f"{limb.name}.{side}", parent, head, tail, limb.head_radius, limb.tail_radius)


def _rig(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bpy.types.Object:
    data = bpy.data.armatures.new("Character")
    data.display_type = "STICK"
    rig = bpy.data.objects.new("Character", data)
    rig.show_in_front = True
    collection.objects.link(rig)
    layer = scene.view_layers[0]
    layer.objects.active = rig
    with bpy.context.temp_override(scene=scene, view_layer=layer, active_object=rig, object=rig):
        bpy.ops.object.mode_set(mode="EDIT")
        for limb in limbs():
            bone = data.edit_bones.new(limb.name)
            bone.head, bone.tail = limb.head, limb.tail
            if limb.parent:
                bone.parent = data.edit_bones[limb.parent]
        bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _balls() -> list[Ball]:
    """Balls along every bone, so close that they melt into a limb."""
    balls: list[Ball] = []
    for limb in limbs():
        head, tail = Vector(limb.head), Vector(limb.tail)
        count = max(2, round(BALLS_PER_METRE * (tail - head).length))
        for k in range(count + 1):
            share = k / count
            place = head.lerp(tail, share).to_tuple()
            balls.append(
                (cast(Point, place), (limb.head_radius * (1.0 - share) + limb.tail_radius * share) * SLIM)
            )
    return balls


def _weigh(body: bpy.types.Object) -> None:
    """Vertex groups by how far a vertex is from the limbs' surfaces: the nearer, the more."""
    points = read_positions(mesh_data(body)).astype(np.float64)
    gaps = np.array([_gaps(points, limb) for limb in limbs()])
    shares = np.exp2(-(gaps - gaps.min(0)) / BLEND)
    shares /= shares.sum(0)
    shares[shares < LEAST_SHARE] = 0.0
    for limb, weights in zip(limbs(), shares / shares.sum(0), strict=True):
        group = body.vertex_groups.new(name=limb.name)
        for vertex in np.flatnonzero(weights).tolist():
            group.add([vertex], float(weights[vertex]), "REPLACE")


def _gaps(points: NDArray[np.float64], limb: Limb) -> NDArray[np.float64]:
    """(n,): how far points (n, 3) are from the surface of a limb."""
    head, along = np.array(limb.head), np.array(limb.tail) - np.array(limb.head)
    places = np.clip((points - head) @ along / (along @ along), 0.0, 1.0)
    middles = head + places[:, None] * along
    radii = limb.head_radius + places * (limb.tail_radius - limb.head_radius)
    return np.asarray(np.linalg.norm(points - middles, axis=1) - radii)
