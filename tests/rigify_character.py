"""Characters as artists have them: rigs that Rigify makes, bodies by their weights, clothes, and dances."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import bmesh
import bpy
from mathutils import Matrix, Vector

Point = tuple[float, ...]

EXAMPLES = "bl_ext.user_default.neural_physics.neural_physics.blender.examples."  # as it is installed

TAPER = 0.85
BALLS = 8  # along each bone, of which the body is made
WAIST, HEM, LENGTH = 0.17, 0.33, 0.45  # of the skirt, m


@dataclass(frozen=True)
class Metarig:
    """One of Rigify's, and what is made around it.

    thicknesses: half as thick as the body is around its bones, m; of hands and feet, one piece each. joined:
    bones of the trunk whose heads, and limbs whose heads, are joined by the body. turned: controls that
    dances turn, limbs on both sides.
    """

    add: str
    thicknesses: Mapping[str, float]
    joined: tuple[tuple[str, str], ...]
    limbs: tuple[str, ...]
    turned: tuple[str, ...]


HUMAN = Metarig(
    "armature_human_metarig_add",
    {
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
    },
    (("spine", "thigh"), ("spine.004", "upper_arm")),
    ("thigh",),
    ("thigh_fk.L", "thigh_fk.R", "hips"),
)
WOLF = Metarig(
    "armature_wolf_metarig_add",
    {
        "spine": 0.025,
        "spine.001": 0.03,
        "spine.002": 0.035,
        "spine.003": 0.05,
        "spine.004": 0.12,
        "spine.005": 0.12,
        "spine.006": 0.12,
        "spine.007": 0.13,
        "spine.008": 0.14,
        "spine.009": 0.08,
        "spine.010": 0.075,
        "spine.011": 0.08,
        "thigh": 0.07,
        "shin": 0.045,
        "foot": 0.035,
        "toe": 0.03,
        "front_thigh": 0.06,
        "front_shin": 0.04,
        "front_foot": 0.035,
        "front_toe": 0.03,
    },
    (("spine.004", "thigh"), ("spine.008", "front_thigh")),
    ("thigh", "front_thigh"),
    ("thigh_fk.L", "thigh_fk.R", "front_thigh_fk.L", "front_thigh_fk.R", "hips", "chest"),
)


def add_character(kind: Metarig = HUMAN) -> tuple[bpy.types.Object, bpy.types.Object]:
    """The rig, whose legs are turned by FK, and its body."""
    rig = importlib.import_module(EXAMPLES + "rigify.metarig").generate(kind.add)
    body = _body_around(rig, kind)
    bpy.ops.object.select_all(action="DESELECT")
    body.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    for limb in kind.limbs:
        for side in "LR":
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
    return rig, body


def add_skirt(rig: bpy.types.Object, sides: int = 32, rings: int = 12) -> bpy.types.Object:
    """Cloth around a human's hips, pinned at its first two rings, which follow the rig."""
    shapes = importlib.import_module(EXAMPLES + "cloth.garment_shapes")
    hips = rig.data.bones["DEF-spine"].head_local
    high = hips.z + 0.06
    shape = shapes.cone((WAIST, high), (HEM, high - LENGTH), sides, rings)
    bmesh.ops.translate(shape, verts=list(shape.verts), vec=(0.0, hips.y, 0.0))
    skirt = _add("Skirt", [], [], [])
    shape.to_mesh(skirt.data)
    shape.free()
    skirt.vertex_groups.new(name="DEF-spine").add(range(sides * rings), 1.0, "REPLACE")
    return _as_cloth(skirt, rig, range(2 * sides))


def add_blanket(rig: bpy.types.Object, across: int = 25, along: int = 17) -> bpy.types.Object:
    """Cloth over a wolf's back, pinned along the spine, whose bones it follows there."""
    spine = [rig.data.bones[f"DEF-spine.00{number}"] for number in range(4, 9)]
    rows = [
        spine[0].tail_local.y + (spine[-1].tail_local.y - spine[0].tail_local.y) * k / along
        for k in range(along)
    ]
    points, nearest = [], []
    for y in rows:
        bone = min(spine, key=lambda bone: abs(_middle(bone).y - y))
        nearest.append(bone.name)
        for turn in (pi * (k / (across - 1) - 0.5) for k in range(across)):
            points.append((0.19 * sin(turn), y, _middle(bone).z + 0.19 * cos(turn) - 0.15 * abs(turn / pi)))
    faces = [
        (row + k, row + k + 1, row + across + k + 1, row + across + k)
        for row in range(0, across * (along - 1), across)
        for k in range(across - 1)
    ]
    blanket = _add("Blanket", points, [], faces)
    for row, name in enumerate(nearest):
        group = blanket.vertex_groups.get(name) or blanket.vertex_groups.new(name=name)
        group.add(range(row * across, (row + 1) * across), 1.0, "REPLACE")
    middle = across // 2
    return _as_cloth(blanket, rig, [row * across + middle + k for row in range(along) for k in (-1, 0, 1)])


def _middle(bone: bpy.types.Bone) -> Vector:
    return (bone.head_local + bone.tail_local) / 2.0


def _as_cloth(garment: bpy.types.Object, rig: bpy.types.Object, pinned: Iterable[int]) -> bpy.types.Object:
    garment.vertex_groups.new(name="Pins").add(list(pinned), 1.0, "REPLACE")
    garment.modifiers.new("Armature", "ARMATURE").object = rig
    garment.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "Pins"
    return garment


def add_dances(
    rig: bpy.types.Object, count: int, frames: int, kind: Metarig = HUMAN
) -> list[bpy.types.Action]:
    """Actions of legs and trunk, by the controls that an artist turns."""
    numbers = random.Random(1)

    def around(*most: float) -> Point:
        return tuple(numbers.uniform(-each, each) for each in most)

    made = []
    for dance in range(count):
        action = bpy.data.actions.new(f"dance{dance}")
        action.use_fake_user = True
        rig.animation_data_create().action = action
        for frame in range(1, frames + 1, 10):
            for name in kind.turned:
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


def _body_around(rig: bpy.types.Object, kind: Metarig) -> bpy.types.Object:
    """A closed surface around the bones that the rig has from the metarig."""
    bones = {bone.name.removeprefix("ORG-"): bone for bone in rig.data.bones if bone.name.startswith("ORG-")}
    thickness: dict[Point, float] = {}
    edges: list[tuple[Point, Point]] = []
    for name, bone in bones.items():
        thick = kind.thicknesses.get(name.removesuffix(".L").removesuffix(".R"))
        if thick is not None:
            head, tail = _key(bone.head_local), _key(bone.tail_local)
            thickness.setdefault(head, thick)
            thickness.setdefault(tail, TAPER * thick)
            edges.append((head, tail))
    for trunk, limb in kind.joined:
        for side in "LR":
            edges.append((_key(bones[trunk].head_local), _key(bones[f"{limb}.{side}"].head_local)))
    balls = bmesh.new()
    for head, tail in edges:
        for share in (k / BALLS for k in range(BALLS + 1)):
            place = Vector(head).lerp(Vector(tail), share)
            radius = thickness[head] + (thickness[tail] - thickness[head]) * share
            matrix = Matrix.Translation(place)
            bmesh.ops.create_icosphere(balls, subdivisions=2, radius=radius, matrix=matrix)
    body = _add("Body", [], [], [])
    balls.to_mesh(body.data)
    balls.free()
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
