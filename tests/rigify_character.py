"""A character as an artist has it: the rig that Rigify makes, a body by its weights, a skirt, and dances."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin

import addon_utils
import bpy

Point = tuple[float, ...]

# Half as thick as the body is around bones of the metarig, m; of hands and feet, one piece each.
THICKNESSES = {
    "spine": 0.11,
    "spine.001": 0.11,
    "spine.002": 0.12,
    "spine.003": 0.11,
    "spine.004": 0.05,
    "spine.005": 0.06,
    "spine.006": 0.08,
    "thigh": 0.075,
    "shin": 0.055,
    "foot": 0.04,
    "toe": 0.03,
    "upper_arm": 0.045,
    "forearm": 0.038,
    "hand": 0.03,
}
TAPER = 0.85
WAIST, HEM, LENGTH = 0.17, 0.33, 0.45  # of the skirt, m


def add_character() -> tuple[bpy.types.Object, bpy.types.Object]:
    """The rig, whose legs are turned by FK, and its body."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    body = _body_around(metarig)
    bpy.context.view_layer.objects.active = metarig
    bpy.ops.pose.rigify_generate()
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj != metarig)
    bpy.data.objects.remove(metarig)
    bpy.ops.object.select_all(action="DESELECT")
    body.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    for side in "LR":
        rig.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
    return rig, body


def add_skirt(rig: bpy.types.Object, sides: int = 32, rings: int = 12) -> bpy.types.Object:
    """Cloth around the hips, pinned at its first two rings, which follow the rig."""
    waist = rig.data.bones["DEF-spine"].head_local
    turns = [2.0 * pi * side / sides for side in range(sides)]
    points = []
    for down in (ring / (rings - 1) for ring in range(rings)):
        radius, height = WAIST + (HEM - WAIST) * down, waist.z + 0.06 - LENGTH * down
        points += [(radius * cos(turn), waist.y + radius * sin(turn), height) for turn in turns]
    faces = [
        (high + side, high + (side + 1) % sides, low + (side + 1) % sides, low + side)
        for high, low in pairwise(range(0, len(points), sides))
        for side in range(sides)
    ]
    skirt = _add("Skirt", points, [], faces)
    skirt.vertex_groups.new(name="DEF-spine").add(range(len(points)), 1.0, "REPLACE")
    skirt.vertex_groups.new(name="Pins").add(range(2 * sides), 1.0, "REPLACE")
    skirt.modifiers.new("Armature", "ARMATURE").object = rig
    skirt.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "Pins"
    return skirt


def add_dances(rig: bpy.types.Object, count: int, frames: int) -> list[bpy.types.Action]:
    """Actions of legs and hips, by the controls that an artist turns."""
    numbers = random.Random(1)

    def around(*most: float) -> Point:
        return tuple(numbers.uniform(-each, each) for each in most)

    made = []
    for dance in range(count):
        action = bpy.data.actions.new(f"dance{dance}")
        action.use_fake_user = True
        rig.animation_data_create().action = action
        for frame in range(1, frames + 1, 10):
            for name in ("thigh_fk.L", "thigh_fk.R", "hips"):
                bone = rig.pose.bones[name]
                bone.rotation_mode, bone.rotation_euler = "XYZ", around(0.4, 0.2, 0.15)
                bone.keyframe_insert("rotation_euler", frame=frame)
            torso = rig.pose.bones["torso"]
            torso.location = around(0.08, 0.08, 0.05)
            torso.keyframe_insert("location", frame=frame)
        made.append(action)
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    rig.animation_data.action = None
    return made


def _body_around(metarig: bpy.types.Object) -> bpy.types.Object:
    """A closed surface around the metarig's bones."""
    bones = metarig.data.bones
    thickness: dict[Point, float] = {}
    edges: list[tuple[Point, Point]] = []
    for bone in bones:
        thick = THICKNESSES.get(bone.name.removesuffix(".L").removesuffix(".R"))
        if thick is not None:
            head, tail = _key(bone.head_local), _key(bone.tail_local)
            thickness.setdefault(head, thick)
            thickness.setdefault(tail, TAPER * thick)
            edges.append((head, tail))
    for side in "LR":
        edges.append((_key(bones["spine"].head_local), _key(bones[f"thigh.{side}"].head_local)))
        edges.append((_key(bones["spine.003"].tail_local), _key(bones[f"upper_arm.{side}"].head_local)))
    numbers = {point: number for number, point in enumerate(thickness)}
    body = _add("Body", list(thickness), [(numbers[a], numbers[b]) for a, b in edges], [])
    body.modifiers.new("Skin", "SKIN")
    for vertex, thick in zip(body.data.skin_vertices[0].data, thickness.values(), strict=True):
        vertex.radius = thick, thick
    body.data.skin_vertices[0].data[0].use_root = True
    body.modifiers.new("Subdivision", "SUBSURF").levels = 2
    remesh = body.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.03
    depsgraph = bpy.context.evaluated_depsgraph_get()
    surface = bpy.data.meshes.new_from_object(body.evaluated_get(depsgraph))
    body.modifiers.clear()
    body.data = surface
    return body


def _key(point: Sequence[float]) -> Point:
    return tuple(round(each, 4) for each in point)


def _add(name: str, points: Sequence[Point], edges: Sequence, faces: Sequence) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, edges, faces)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj
