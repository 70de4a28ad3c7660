"""What the character does: short actions that all begin and end as it stands, so that any may follow any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians

import bpy
from mathutils import Euler, Vector

from ..rig_actions import actions_of
from .stage import Point

# How bones are turned, in degrees about the world's axes as the character stands: X leans back, Y leans to
# its right, Z turns to its left. What ends in * is meant for both sides, mirrored.
Pose = Mapping[str, Point]
Key = tuple[int, Pose, Point]  # frame; turns; how far the hips are moved, metres

STILL: Point = (0.0, 0.0, 0.0)
STEP_LEFT: Pose = {
    "thigh.L": (-30, 0, 0), "shin.L": (12, 0, 0), "thigh.R": (24, 0, 0), "shin.R": (22, 0, 0),
    "upper_arm.L": (26, 0, 0), "upper_arm.R": (-26, 0, 0), "hips": (0, 0, -6), "chest": (-3, 0, 10),
}  # fmt: skip
STEP_RIGHT: Pose = {
    "thigh.R": (-30, 0, 0), "shin.R": (12, 0, 0), "thigh.L": (24, 0, 0), "shin.L": (22, 0, 0),
    "upper_arm.R": (26, 0, 0), "upper_arm.L": (-26, 0, 0), "hips": (0, 0, 6), "chest": (-3, 0, -10),
}  # fmt: skip
STRIDE_LEFT: Pose = {
    "thigh.L": (-52, 0, 0), "shin.L": (40, 0, 0), "thigh.R": (34, 0, 0), "shin.R": (48, 0, 0),
    "upper_arm.L": (44, 0, 0), "upper_arm.R": (-44, 0, 0), "spine": (12, 0, 0), "hips": (0, 0, -8),
}  # fmt: skip
STRIDE_RIGHT: Pose = {
    "thigh.R": (-52, 0, 0), "shin.R": (40, 0, 0), "thigh.L": (34, 0, 0), "shin.L": (48, 0, 0),
    "upper_arm.R": (44, 0, 0), "upper_arm.L": (-44, 0, 0), "spine": (12, 0, 0), "hips": (0, 0, 8),
}  # fmt: skip
MARCH_LEFT: Pose = {
    "thigh.L": (-72, 0, 0), "shin.L": (78, 0, 0), "thigh.R": (8, 0, 0),
    "upper_arm.L": (38, 0, 0), "upper_arm.R": (-38, 0, 0), "chest": (-4, 0, 4),
}  # fmt: skip
MARCH_RIGHT: Pose = {
    "thigh.R": (-72, 0, 0), "shin.R": (78, 0, 0), "thigh.L": (8, 0, 0),
    "upper_arm.R": (38, 0, 0), "upper_arm.L": (-38, 0, 0), "chest": (-4, 0, -4),
}  # fmt: skip
SNEAK_LEFT: Pose = {
    "thigh.L": (-52, 0, 0), "shin.L": (52, 0, 0), "thigh.R": (6, 0, 0), "shin.R": (46, 0, 0),
    "spine": (20, 0, 0), "chest": (8, 0, 12), "upper_arm.L": (16, 0, 0), "upper_arm.R": (-16, 0, 0),
}  # fmt: skip
SNEAK_RIGHT: Pose = {
    "thigh.R": (-52, 0, 0), "shin.R": (52, 0, 0), "thigh.L": (6, 0, 0), "shin.L": (46, 0, 0),
    "spine": (20, 0, 0), "chest": (8, 0, -12), "upper_arm.R": (16, 0, 0), "upper_arm.L": (-16, 0, 0),
}  # fmt: skip
CROUCH: Pose = {"thigh*": (-70, 0, 0), "shin*": (95, 0, 0), "foot*": (-25, 0, 0), "spine": (22, 0, 0)}
LEAP: Pose = {"thigh*": (-6, -8, 0), "foot*": (30, 0, 0), "upper_arm*": (0, -70, 0), "chest": (-8, 0, 0)}
BOW: Pose = {"hips": (16, 0, 0), "spine": (26, 0, 0), "chest": (20, 0, 0), "thigh*": (-16, 0, 0)}
SPREAD: Pose = {"upper_arm*": (0, -75, 0), "head": (-12, 0, 0), "chest": (-10, 0, 0)}
SWAY_LEFT: Pose = {
    "spine": (0, -16, 0),
    "chest": (0, -14, 12),
    "upper_arm.L": (0, -40, 0),
    "hips": (0, 0, 18),
}
SWAY_RIGHT: Pose = {
    "spine": (0, 16, 0),
    "chest": (0, 14, -12),
    "upper_arm.R": (0, 40, 0),
    "hips": (0, 0, -18),
}
KICK: Pose = {
    "thigh.R": (-75, 0, 0), "shin.R": (20, 0, 0), "thigh.L": (8, 0, 0), "spine": (-10, 0, 0),
    "upper_arm.L": (-40, 0, 0), "upper_arm.R": (30, 0, 0),
}  # fmt: skip
DRAWN_BACK: Pose = {
    "thigh.R": (40, 0, 0), "shin.R": (50, 0, 0), "thigh.L": (-8, 0, 0), "spine": (10, 0, 0),
    "upper_arm.L": (30, 0, 0), "upper_arm.R": (-30, 0, 0),
}  # fmt: skip
TWIST_LEFT: Pose = {"chest": (0, 0, 35), "spine": (6, 0, 20), "upper_arm.R": (-40, 0, 0), "head": (0, 0, 20)}
TWIST_RIGHT: Pose = {
    "chest": (0, 0, -35), "spine": (6, 0, -20), "upper_arm.L": (-40, 0, 0), "head": (0, 0, -20),
}  # fmt: skip


def _scaled(pose: Pose, share: float) -> Pose:
    return {bone: (share * x, share * y, share * z) for bone, (x, y, z) in pose.items()}


def _on_foot(left: Pose, right: Pose, frames: int, steps: int, low: float) -> list[Key]:
    """Steps of so many frames each, the hips lower by `low` metres while the legs are apart."""
    strides = [(9 + frames * k, (left, right)[k % 2], (0.0, 0.0, -low)) for k in range(steps)]
    return [(1, {}, STILL), *strides, (strides[-1][0] + 14, {}, STILL)]


ACTIONS: Mapping[str, Sequence[Key]] = {
    "Walk": _on_foot(STEP_LEFT, STEP_RIGHT, 14, 6, 0.03),
    "Run": _on_foot(STRIDE_LEFT, STRIDE_RIGHT, 9, 8, 0.02),
    "Stroll": _on_foot(_scaled(STEP_LEFT, 0.65), _scaled(STEP_RIGHT, 0.65), 18, 5, 0.015),
    "Jog": _on_foot(_scaled(STRIDE_LEFT, 0.72), _scaled(STRIDE_RIGHT, 0.72), 11, 7, 0.025),
    "March": _on_foot(MARCH_LEFT, MARCH_RIGHT, 13, 6, 0.0),
    "Sneak": _on_foot(SNEAK_LEFT, SNEAK_RIGHT, 20, 5, 0.12),
    "Jump": [
        (1, {}, STILL), (16, CROUCH, (0.0, 0.0, -0.25)), (29, LEAP, (0.0, 0.0, 0.3)),
        (42, CROUCH, (0.0, 0.0, -0.2)), (58, {}, STILL),
    ],
    "Bow": [(1, {}, STILL), (24, BOW, (0.0, 0.06, -0.02)), (36, BOW, (0.0, 0.06, -0.02)), (60, {}, STILL)],
    "Spread": [(1, {}, STILL), (20, SPREAD, STILL), (40, SPREAD, (0.0, -0.1, 0.0)), (62, {}, STILL)],
    "Sway": [(1, {}, STILL)]
    + [(14 + 16 * k, (SWAY_LEFT, SWAY_RIGHT)[k % 2], (0.06 - 0.12 * (k % 2), 0.0, -0.02)) for k in range(4)]
    + [(78, {}, STILL)],
    "Turn": [
        (1, {}, STILL), (18, {"hips": (0, 0, 70), "thigh.L": (-18, 0, 0)}, STILL),
        (44, {"hips": (0, 0, -70), "thigh.R": (-18, 0, 0)}, STILL), (64, {}, STILL),
    ],
    "Kick": [(1, {}, STILL), (16, DRAWN_BACK, STILL), (26, KICK, STILL), (34, KICK, STILL), (54, {}, STILL)],
    "Twist": [(1, {}, STILL), (16, TWIST_LEFT, STILL), (34, TWIST_RIGHT, STILL), (52, {}, STILL)],
}  # fmt: skip


def add_actions(rig: bpy.types.Object) -> list[bpy.types.Action]:
    """All actions of the character; the rig is left without one, standing.

    Those that another character brought are shared: a rig plays whatever moves bones of its bones' names.
    """
    animation = rig.animation_data_create()
    assert animation is not None and rig.pose is not None  # an armature has both
    there = {action.name: action for action in actions_of(rig)}
    actions = []
    for name, keys in ACTIONS.items():
        if name in there:
            actions.append(there[name])
            continue
        action = bpy.data.actions.new(name)
        action.use_fake_user = True
        animation.action = action
        bones = sorted({bone for _, pose, _ in keys for bone in _both_sides(pose)} | {"hips"})
        for frame, pose, moved in keys:
            _set_pose(rig, bones, _both_sides(pose), moved)
            for bone in bones:
                rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
            rig.pose.bones["hips"].keyframe_insert("location", frame=frame)
        actions.append(action)
    animation.action = None
    for posed in rig.pose.bones:
        posed.rotation_quaternion, posed.location = (1.0, 0.0, 0.0, 0.0), STILL
    return actions


def play_in_turn(rig: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> int:
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


def _set_pose(rig: bpy.types.Object, bones: Sequence[str], pose: Pose, moved: Point) -> None:
    """Turn bones about the axes of the world as they are at rest, each carried by its parent."""
    assert rig.pose is not None
    for name in bones:
        bone = rig.pose.bones[name]
        rest = bone.bone.matrix_local.to_quaternion()
        turn = Euler([radians(angle) for angle in pose.get(name, STILL)]).to_quaternion()
        bone.rotation_quaternion = rest.inverted() @ turn @ rest
    hips = rig.pose.bones["hips"]
    hips.location = hips.bone.matrix_local.to_quaternion().inverted() @ Vector(moved)
