"""Actions from poses: how bones are turned at some frames, and what a rig makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians

import bpy
from mathutils import Euler, Vector

from ...scene.rigs.rig_actions import actions_of
from ..stage import Point

# How bones are turned, in degrees about the world's axes as the rig stands, which looks along -Y: X leans
# back, Y leans to its right, Z turns to its left. A name that ends in * stands for both sides, mirrored.
Pose = Mapping[str, Point]
Key = tuple[int, Pose, Point]  # frame; turns; how far the bone that carries all others is moved, metres

STILL: Point = (0.0, 0.0, 0.0)


def scaled(pose: Pose, share: float) -> Pose:
    """A pose with its angles multiplied by `share`."""
    return {bone: (share * x, share * y, share * z) for bone, (x, y, z) in pose.items()}


def mirrored(pose: Pose) -> Pose:
    """A pose with left and right exchanged."""
    other = {".L": ".R", ".R": ".L"}
    return {bone[:-2] + other.get(bone[-2:], bone[-2:]): (x, -y, -z) for bone, (x, y, z) in pose.items()}


def add_actions(
    rig: bpy.types.Object, poses: Mapping[str, Sequence[Key]], root: str = ""
) -> list[bpy.types.Action]:
    """Actions by their names; the rig is left without one, standing.

    Those that another character brought are shared: a rig plays whatever moves bones of its bones' names.
    root: the bone that carries all others, which is moved; the rig's first if empty.
    """
    animation = rig.animation_data_create()
    assert animation is not None and rig.pose is not None  # an armature has both
    carrier = rig.pose.bones[root or 0]
    there = {action.name: action for action in actions_of(rig)}
    actions = []
    for name, keys in poses.items():
        if name in there:
            actions.append(there[name])
            continue
        action = bpy.data.actions.new(name)
        action.use_fake_user = True
        animation.action = action
        bones = sorted({bone for _, pose, _ in keys for bone in _both_sides(pose)} | {carrier.name})
        for frame, pose, moved in keys:
            _set_pose(rig, bones, _both_sides(pose))
            carrier.location = carrier.bone.matrix_local.to_quaternion().inverted() @ Vector(moved)
            for bone in bones:
                rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
            carrier.keyframe_insert("location", frame=frame)
        actions.append(action)
    animation.action = None
    for posed in rig.pose.bones:
        posed.rotation_quaternion, posed.location = (1.0, 0.0, 0.0, 0.0), STILL
    return actions


def perform(
    scene: bpy.types.Scene, rig: bpy.types.Object, poses: Mapping[str, Sequence[Key]], root: str = ""
) -> list[bpy.types.Action]:
    """`add_actions`, which the scene shows one after the other, unless the rig does something already."""
    actions = add_actions(rig, poses, root)
    assert rig.animation_data is not None  # it has actions
    if not rig.animation_data.nla_tracks:
        scene.frame_end = _play_in_turn(rig, actions)
    return actions


def _play_in_turn(rig: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> int:
    """Let the rig do one action after the other, from the first frame on; returns the last frame."""
    animation = rig.animation_data
    assert animation is not None  # it has actions
    track = animation.nla_tracks.new()
    track.name = "Demonstration"
    frame = 1
    for action in actions:
        strip = track.strips.new(action.name, frame, action)
        if strip.action_slot is None:
            strip.action_slot = action.slots[0]
        frame = round(strip.frame_end)
    return frame


def _both_sides(pose: Pose) -> dict[str, Point]:
    sided: dict[str, Point] = {}
    for name, (x, y, z) in pose.items():
        if name.endswith("*"):
            sided[name[:-1] + ".L"], sided[name[:-1] + ".R"] = (x, y, z), (x, -y, -z)
        else:
            sided[name] = (x, y, z)
    return sided


def _set_pose(rig: bpy.types.Object, bones: Sequence[str], pose: Pose) -> None:
    """Turn bones about the axes of the world as they are at rest, each carried by its parent."""
    assert rig.pose is not None
    for name in bones:
        bone = rig.pose.bones[name]
        rest = bone.bone.matrix_local.to_quaternion()
        turn = Euler([radians(angle) for angle in pose.get(name, STILL)]).to_quaternion()
        bone.rotation_quaternion = rest.inverted() @ turn @ rest
