"""Bodies from nothing but bones and balls: what both are made of, the rig, and the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
from mathutils import Vector

from ...arrays import Doubles
from ..scene.sources import mesh_data, read_positions
from .blobs import Ball
from .stage import Point

BALLS_PER_METRE = 24.0
LEAST_SHARE = 0.05  # of a vertex; what a bone has less of is not worth having
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


def with_both_sides(trunk: Sequence[Limb], left: Sequence[Limb]) -> list[Limb]:
    """The trunk, the limbs on the left, and those on the right mirrored from them."""
    middle = {limb.name for limb in trunk}
    sides = [_sided(limb, side, sign, middle) for side, sign in (("L", 1.0), ("R", -1.0)) for limb in left]
    return [*trunk, *sides]


def add_rig(
    scene: bpy.types.Scene, collection: bpy.types.Collection, name: str, limbs: Sequence[Limb]
) -> bpy.types.Object:
    """An armature with a bone for each limb, parents before their children; at the origin."""
    data = bpy.data.armatures.new(name)
    data.display_type = "STICK"
    rig = bpy.data.objects.new(name, data)
    rig.show_in_front = True
    collection.objects.link(rig)
    layer = scene.view_layers[0]
    layer.objects.active = rig
    with bpy.context.temp_override(scene=scene, view_layer=layer, active_object=rig, object=rig):
        bpy.ops.object.mode_set(mode="EDIT")
        for limb in limbs:
            bone = data.edit_bones.new(limb.name)
            bone.head, bone.tail = limb.head, limb.tail
            if limb.parent:
                bone.parent = data.edit_bones[limb.parent]
        bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def balls_along(limbs: Sequence[Limb]) -> list[Ball]:
    """Balls along every bone, so close that they melt into a limb."""
    balls: list[Ball] = []
    for limb in limbs:
        head, tail = Vector(limb.head), Vector(limb.tail)
        count = max(2, round(BALLS_PER_METRE * (tail - head).length))
        for k in range(count + 1):
            share = k / count
            place = head.lerp(tail, share).to_tuple()
            balls.append(
                (cast(Point, place), (limb.head_radius * (1.0 - share) + limb.tail_radius * share) * SLIM)
            )
    return balls


def bind(body: bpy.types.Object, rig: bpy.types.Object, limbs: Sequence[Limb], blend: float) -> None:
    """Let the limbs' bones carry a body that is a child of their rig.

    Vertex groups are by how far a vertex is from the limbs' surfaces: the nearer, the more. blend, m: how
    far from one bone's limb its neighbour's pull has halved, and more.
    """
    points = read_positions(mesh_data(body)).astype(np.float64)
    gaps = np.array([_gaps(points, limb) for limb in limbs])
    shares = np.exp2(-(gaps - gaps.min(0)) / blend)
    shares /= shares.sum(0)
    shares[shares < LEAST_SHARE] = 0.0
    for limb, weights in zip(limbs, shares / shares.sum(0), strict=True):
        group = body.vertex_groups.new(name=limb.name)
        for vertex in np.flatnonzero(weights).tolist():
            group.add([vertex], float(weights[vertex]), "REPLACE")
    body.parent = rig
    cast(bpy.types.ArmatureModifier, body.modifiers.new("Armature", "ARMATURE")).object = rig


def follow_bone(obj: bpy.types.Object, rig: bpy.types.Object, bone: str) -> None:
    """Let a bone carry all of a mesh, before what simulates it."""
    group = obj.vertex_groups.new(name=bone)
    group.add(range(len(mesh_data(obj).vertices)), 1.0, "REPLACE")
    cast(bpy.types.ArmatureModifier, obj.modifiers.new("Armature", "ARMATURE")).object = rig


def _sided(limb: Limb, side: str, sign: float, middle: set[str]) -> Limb:
    parent = limb.parent if limb.parent in middle else f"{limb.parent}.{side}"
    head, tail = ((sign * x, y, z) for x, y, z in (limb.head, limb.tail))
    return Limb(
        f"{limb.name}.{side}", parent, head, tail, head_radius=limb.head_radius, tail_radius=limb.tail_radius
    )


def _gaps(points: Doubles, limb: Limb) -> Doubles:
    """(n,): how far points (n, 3) are from the surface of a limb."""
    head, along = np.array(limb.head), np.array(limb.tail) - np.array(limb.head)
    places = np.clip((points - head) @ along / (along @ along), 0.0, 1.0)
    middles = head + places[:, None] * along
    radii = limb.head_radius + places * (limb.tail_radius - limb.head_radius)
    return np.asarray(np.linalg.norm(points - middles, axis=1) - radii)
