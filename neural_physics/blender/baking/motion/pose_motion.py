"""The quasistatic poses of a rigged body: which there are to be, and keying those of one take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bmesh
import bpy
import numpy as np
from mathutils import Euler

from ....arrays import Doubles
from ....baking.pose_plan import pose_take_names
from ....errors import Problem
from ...scene.animation.keying import Span
from ...scene.rigs.holding_bones import holding_rig
from ...scene.rigs.rig_actions import Channel, actions_of, curves_of
from ...scene.rigs.skins import armature_modifier, count_loose, followed_bones
from ...scene.sources import mesh_data
from ...settings.from_files.readable_names import readable_name
from ...settings.glances import Glances
from ...settings.properties import method_of, settings_of
from .control_ranges import control_ranges, controls_of, switches_of
from .joint_ranges import JointRange, joint_ranges
from .training_motion import clip_of, key_channels, value_of

_loose: Glances[int] = Glances()
_volumes: Glances[float] = Glances()
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def posed_rig(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The armature whose poses are baked for an object; None where the method or the solver has none."""
    if not method_of(obj).follows_bones:
        return None
    rig = holding_rig(obj)
    return rig if rig is not None and rig.pose is not None else None


def poses_asked_for(obj: bpy.types.Object) -> int:
    """How many poses are to be baked; 0 where none can be."""
    return settings_of(obj).pose_count if posed_rig(obj) is not None else 0


def pose_takes(obj: bpy.types.Object) -> int:
    """How many takes those poses are in."""
    return len(pose_take_names(poses_asked_for(obj)))


def check_poses(obj: bpy.types.Object) -> None:
    """Raise the Problem that keeps an object's poses from being baked, if some are asked for.

    Problem("poses_unweighted" | "poses_without_action" | "poses_without_bones"), and what `count_loose` does.
    """
    if not poses_asked_for(obj):
        return
    settings, rig = settings_of(obj), cast(bpy.types.Object, armature_modifier(obj).object)
    loose = _loose.of(_as_it_is(obj), lambda: count_loose(obj))
    if loose:
        raise Problem("poses_unweighted", object=obj.name, rig=rig.name, count=loose)
    if settings.pose_source != "RANDOM" and not _posing_actions(obj, rig):
        raise Problem("poses_without_action", object=obj.name, rig=rig.name)
    if settings.pose_source != "ACTIONS" and not _may_turn(obj, rig):
        raise Problem("poses_without_bones", object=obj.name, rig=rig.name)


def key_poses(scene: bpy.types.Scene, obj: bpy.types.Object, span: Span, seed: int) -> None:
    """Give an object's armature another pose in each frame, while all else stays as it is now.

    The scene is at the first frame. Random turns replace those of the bones that turn; of an action's frames
    one is drawn from each of as many equal parts of all actions as there are poses from actions.
    Raises Problem("poses_without_bones").
    """
    settings, rig = settings_of(obj), cast(bpy.types.Object, armature_modifier(obj).object)
    rng = np.random.default_rng(seed)
    actions = _posing_actions(obj, rig) if settings.pose_source != "RANDOM" else []
    for constraint in rig.constraints:
        constraint.mute = True
    _hold_still(scene)
    ranges = _ranges(obj, rig) if settings.pose_source != "ACTIONS" else []
    if not ranges and settings.pose_source == "RANDOM":
        raise Problem("poses_without_bones", object=obj.name, rig=rig.name)
    channels = _channels(rig, ranges, actions)
    still = np.array([value_of(rig, *channel) for channel in channels], np.float64)
    drawn = span.count if not actions else span.count // 2 if ranges else 0
    rows = np.concatenate(
        [
            _random_rows(rig, channels, still, ranges, count=drawn, rng=rng),
            _action_rows(rig, channels, still, actions, count=span.count - drawn, rng=rng),
        ]
    )
    key_channels(rig, channels, rows[rng.permutation(span.count)], span)


def _may_turn(obj: bpy.types.Object, rig: bpy.types.Object) -> bool:
    """Whether there are bones that may be turned at random; which of a rig's controls do, is tried later."""
    most = settings_of(obj).pose_range
    return bool(joint_ranges(rig, long_bones(obj, rig), most) or joint_ranges(rig, controls_of(rig), most))


def _ranges(obj: bpy.types.Object, rig: bpy.types.Object) -> list[JointRange]:
    """The ranges of all bones that turn by themselves, and of the controls that turn the others."""
    bones, most = long_bones(obj, rig), settings_of(obj).pose_range
    ranges = joint_ranges(rig, bones, most)
    free = {turning.bone for turning in ranges}
    driven = [bone for bone in bones if bone not in free]
    controls = control_ranges(rig, driven, most) if driven else []
    return [*ranges, *(turning for turning in controls if turning.bone not in free)]


def long_bones(obj: bpy.types.Object, rig: bpy.types.Object) -> tuple[str, ...]:
    """All bones but those that are shorter than a tetrahedron is wide, fingers for the most part.

    There is no flesh between such bones that could bend: turned by themselves they turn it inside out.
    """
    bones, scale = followed_bones(obj, rig), _size(rig)
    width = _element_width(obj)
    long = tuple(
        name for name in bones if scale * cast(bpy.types.Armature, rig.data).bones[name].length >= width
    )
    return long or bones


def _element_width(obj: bpy.types.Object) -> float:
    """How long the edges are of as many regular tetrahedra as the object is simulated with, metres."""
    volume = _volumes.of(_as_it_is(obj), lambda: _volume(obj)) * _size(obj) ** 3
    # A regular tetrahedron of edge a has the volume a^3 / (6 sqrt(2)).
    return float(np.cbrt(6.0 * np.sqrt(2.0) * volume / settings_of(obj).simulation.tetrahedra))


def _volume(obj: bpy.types.Object) -> float:
    """In the object's own units."""
    mesh = bmesh.new()
    mesh.from_mesh(mesh_data(obj))
    volume = float(abs(mesh.calc_volume()))
    mesh.free()
    return volume


def _as_it_is(obj: bpy.types.Object) -> tuple[int, ...]:
    """What an object of another mesh, or with more vertices, does not share."""
    return obj.session_uid, mesh_data(obj).session_uid, len(mesh_data(obj).vertices)


def _size(obj: bpy.types.Object) -> float:
    """The mean scale of an object in the world."""
    return float(np.cbrt(abs(obj.matrix_world.to_3x3().determinant())))


def _posing_actions(obj: bpy.types.Object, rig: bpy.types.Object) -> list[bpy.types.Action]:
    """The actions to take poses from, by name; without test actions, which no model may have seen."""
    kept = {item.test_action for item in settings_of(obj).interactions if item.object == rig}
    return sorted((a for a in actions_of(rig) if readable_name(a) not in kept), key=readable_name)


def _hold_still(scene: bpy.types.Scene) -> None:
    """Let everything stay as it is now: what is animated has nothing to do with a pose. Drivers go on."""
    for obj in scene.objects:
        if obj.animation_data is not None:
            obj.animation_data.action = None
            obj.animation_data.use_nla = False


def _channels(
    rig: bpy.types.Object, ranges: Sequence[JointRange], actions: Sequence[bpy.types.Action]
) -> list[Channel]:
    """All that is keyed, in order; what an action moves that this rig lacks is left out."""
    found = {channel for action in actions for channel in curves_of(action, rig)}
    if ranges:
        found |= {(path, 0) for path in switches_of(rig)}
    for turning in ranges:
        path = _rotation_path(rig, turning.bone)
        count = 3 if path.endswith("rotation_euler") else 4
        found |= {(path, index) for index in range(count)}
    return sorted(channel for channel in found if value_of(rig, *channel) is not None)


def _random_rows(
    rig: bpy.types.Object,
    channels: Sequence[Channel],
    still: Doubles,
    ranges: Sequence[JointRange],
    *,
    count: int,
    rng: np.random.Generator,
) -> Doubles:
    """(count, channels): each bone turned evenly within its range, independently; limbs by FK."""
    if not count:
        return np.empty((0, len(still)))
    rows, places = np.tile(still, (count, 1)), {channel: i for i, channel in enumerate(channels)}
    rows[:, [places[path, 0] for path in switches_of(rig)]] = 1.0
    for row in rows:
        for turning in ranges:
            angles = rng.uniform(turning.least, turning.most)
            path = _rotation_path(rig, turning.bone)
            for index, value in enumerate(_as_keyed(rig, turning.bone, angles.tolist())):
                row[places[path, index]] = value
    return rows


def _action_rows(
    rig: bpy.types.Object,
    channels: Sequence[Channel],
    still: Doubles,
    actions: Sequence[bpy.types.Action],
    *,
    count: int,
    rng: np.random.Generator,
) -> Doubles:
    """(count, channels): frames of all actions, one from each of as many parts of them."""
    if not count:
        return np.empty((0, len(still)))
    frames = np.concatenate([clip_of(rig, action, channels, still) for action in actions])
    return frames[((np.arange(count) + rng.random(count)) / count * len(frames)).astype(np.intp)]


def _rotation_path(rig: bpy.types.Object, bone: str) -> str:
    assert rig.pose is not None
    mode = rig.pose.bones[bone].rotation_mode
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{PATHS.get(mode, "rotation_euler")}'


def _as_keyed(rig: bpy.types.Object, bone: str, angles: list[float]) -> list[float]:
    """A turn by Euler angles XYZ in the numbers that the bone's rotation mode has."""
    assert rig.pose is not None
    mode, turn = rig.pose.bones[bone].rotation_mode, Euler(angles, "XYZ").to_quaternion()
    if mode == "QUATERNION":
        return [turn.w, turn.x, turn.y, turn.z]
    if mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return [angle, axis.x, axis.y, axis.z]
    turned = turn.to_euler(mode)
    return [turned.x, turned.y, turned.z]
