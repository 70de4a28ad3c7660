"""What the other Blender does to write poses: a skeletal mesh as FBX, and the true shapes as Alembic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ....arrays import Doubles
from ....jobs.events import Progress, StopRequest, print_event
from ....wording import plural
from ...scene.animation.keying import Span, key_frames
from ..exporters import export_posed, export_scene
from ..plain_meshes import name_materials
from ..recorded_file import NUMBER, show_shapes
from .pose_exporting import MOVES, OBJECTS, SHAPES

FPS = 30  # Unreal's own
UNIT = 0.01  # metres: the numbers are centimetres
CHANNELS = {"location": slice(0, 3), "rotation_quaternion": slice(3, 7), "scale": slice(7, 10)}


def write_poses(plan: Mapping[str, Any], _stop: StopRequest) -> dict[str, Any]:
    """Export both files; `said` is what there is to say. Raises Problem("export_failed")."""
    folder, count = Path(plan["folder"]), plan["count"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = cast(bpy.types.Scene, bpy.context.scene)
    scene.unit_settings.scale_length = UNIT
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.frame_start, scene.frame_end = 0, count - 1
    loading: Any = bpy.data.libraries.load(str(folder / OBJECTS), link=False)
    with loading as (there, wanted):
        wanted.objects = list(there.objects)
    body, rig = sorted((obj for obj in wanted.objects if NUMBER in obj), key=lambda obj: obj[NUMBER])
    body.name, body.data.name, rig.name = plan["name"], plan["data_name"], plan["rig"]
    name_materials(body.data, plan["materials"])
    for obj in (rig, body):
        scene.collection.objects.link(obj)
    moves = np.fromfile(folder / MOVES, "<f8").reshape(count, len(plan["bones"]), 4, 4)
    off = _pose(rig, moves, plan["bones"], body)
    modifier = cast(bpy.types.ArmatureModifier, body.modifiers.new("Armature", "ARMATURE"))
    modifier.object, body.parent = rig, rig
    progress = Progress(print_event, "Writing poses", 2 * count)

    def follow(scene: bpy.types.Scene, *_: object) -> None:
        progress.at(min(2 * count, done + max(scene.frame_current, 0)))

    done = 0
    bpy.app.handlers.frame_change_pre.append(follow)
    export_posed(Path(plan["path"]))
    body.modifiers.clear()
    body.parent = None
    bpy.data.objects.remove(rig)
    show_shapes(body, folder / SHAPES, 0)
    done = count
    export_scene(Path(plan["shapes"]), 0, count - 1)
    words = f"{plural(count, 'pose')} of {plural(len(plan['bones']), 'bone')}"
    return {"said": f"{words}, at most {10.0 * off:.2g} mm off what bones can say"}


def _pose(rig: bpy.types.Object, moves: Doubles, names: list[str], body: bpy.types.Object) -> float:
    """Key an armature that stands in the axes of the world; moves (T, K, 4, 4) of its bones `names`, cm.

    Bones that are not named stay where their parent takes them. Returns how far location, rotation and
    scale, which is all that bones have, take a vertex from where it should be, at most, cm.
    """
    _loosen(rig)
    span, where = Span(0, len(moves), float(FPS)), {name: index for index, name in enumerate(names)}
    corners = np.column_stack([np.array(body.bound_box), np.ones(8)])
    posed, off = dict[str, Doubles](), 0.0
    for bone in cast(bpy.types.Armature, rig.data).bones:  # parents come before their children
        rest = np.array(bone.matrix_local)
        above = np.broadcast_to(rest, (len(moves), 4, 4))
        if bone.parent is not None:
            above = posed[bone.parent.name] @ np.linalg.inv(np.array(bone.parent.matrix_local)) @ rest
        if bone.name not in where:
            posed[bone.name] = above
            continue
        move = moves[:, where[bone.name]]
        channels = _channels(np.linalg.inv(above) @ move @ rest)
        own = [Matrix.LocRotScale(row[:3], Quaternion(row[3:7]), row[7:]) for row in channels.tolist()]
        posed[bone.name] = above @ np.array(own)
        left = posed[bone.name] @ np.linalg.inv(rest) - move
        off = max(off, float(np.linalg.norm(left[:, :3] @ corners.T, axis=1).max()))
        pose = cast(bpy.types.Pose, rig.pose).bones[bone.name]
        pose.rotation_mode = "QUATERNION"
        for channel, columns in CHANNELS.items():
            path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{channel}'
            key_frames(rig, path, channels[:, columns], span)
    return off


def _loosen(rig: bpy.types.Object) -> None:
    """Let each bone be anywhere, with all that its parent does."""
    cast(bpy.types.ViewLayer, bpy.context.view_layer).objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in cast(bpy.types.Armature, rig.data).edit_bones:
        bone.use_connect, bone.use_inherit_rotation, bone.use_local_location = False, True, True
        bone.inherit_scale, bone.bbone_segments = "FULL", 1
    bpy.ops.object.mode_set(mode="OBJECT")


def _channels(local: Doubles) -> Doubles:
    """(T, 10): location, rotation and scale of matrices (T, 4, 4); rotations go the shorter way."""
    found = np.empty((len(local), 10))
    for index, matrix in enumerate(local):
        location, turn, scale = Matrix(matrix.tolist()).decompose()
        if index and np.dot(turn[:], found[index - 1, 3:7]) < 0.0:
            turn.negate()
        found[index] = *location.to_tuple(), *turn[:], *scale.to_tuple()
    return found
