"""Keying training motion into the copy of the scene (Holden 2019, section 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ....arrays import Doubles
from ....datasets.dataset_info import Role
from ....errors import Problem
from ....interaction.training_motion import (
    MotionBox,
    Triple,
    wander,
    wander_and_follow,
    wander_strength,
    wander_turn,
)
from ...scene.animation.keying import Span, key_frames
from ...scene.live_fabric import fabric_varies
from ...scene.references import with_parents
from ...scene.rigs.rig_actions import ActionsOfRigs, Channel, actions_played, check_actions, curves_of
from ...settings.from_files.readable_names import readable_name
from ...settings.motions import is_wind
from ...settings.properties import NEURALPHYSICS_PG_interaction, settings_of

LONGEST_CLIP = 100_000  # frames of an action: more than an hour
BLEND_SECONDS = 0.3  # from one action to the next
LOCATION: tuple[Channel, ...] = (("location", 0), ("location", 1), ("location", 2))


def check_training_motion(obj: bpy.types.Object) -> None:
    """Raise the Problem of the first line of settings that no motion can be made of.

    Problem("motion_box_empty" | "wind_range_empty") and those of `rig_actions.check_actions`.
    """
    settings = settings_of(obj)
    actions: dict[bpy.types.Object, set[str]] = {}  # of each rig, sought among all once and not for each line
    known: ActionsOfRigs | None = None  # that any rig may play
    for item in settings.interactions:
        mover = item.object
        if mover is None or item.motion == "KEEP":
            continue
        if item.motion == "ACTIONS":
            if mover not in actions:
                known = known or ActionsOfRigs()
                actions[mover] = {readable_name(action) for action in known.of(mover)}
            check_actions(item, settings.take_count, actions[mover])
        else:
            _check_box(item)


def check_boxes(obj: bpy.types.Object) -> None:
    """The same of what wanders alone, for a worker: the plan says what is kept for testing.

    Raises Problem("motion_box_empty" | "wind_range_empty").
    """
    for item in settings_of(obj).interactions:
        if item.object is not None and item.motion not in ("KEEP", "ACTIONS"):
            _check_box(item)


def _check_box(item: NEURALPHYSICS_PG_interaction) -> None:
    mover = cast(bpy.types.Object, item.object)
    _box(item).check(mover.name)
    if is_wind(mover) and item.strength_low > item.strength_high:
        raise Problem("wind_range_empty", object=mover.name)


def motion_varies(obj: bpy.types.Object) -> bool:
    """Whether one take would differ from the next."""
    moves = any(item.object and item.motion != "KEEP" for item in settings_of(obj).interactions)
    return moves or fabric_varies(obj)


def moving_takes(obj: bpy.types.Object) -> int:
    """How many takes with motion a bake makes: one, where all would be the same."""
    return settings_of(obj).take_count if motion_varies(obj) else 1


def animation_end(mover: bpy.types.Object) -> float | None:
    """The frame after which an object's animation rests; None where it never does, or cannot be known."""
    ends: list[float] = []
    for owner in with_parents(mover):
        animation = owner.animation_data
        bones = owner.pose.bones if owner.pose else ()
        if owner.constraints or any(bone.constraints for bone in bones):
            return None
        if animation is not None:
            if animation.drivers:
                return None
            strips = [strip for track in animation.nla_tracks for strip in track.strips]
            actions = [animation.action, *(strip.action for strip in strips)]
            if any(_goes_on(action, owner) for action in actions if action):
                return None
            ends += [strip.frame_end for strip in strips]
            ends += [animation.action.frame_range[1]] if animation.action else []
    return max(ends, default=None)


def _goes_on(action: bpy.types.Action, owner: bpy.types.Object) -> bool:
    """Whether an action moves something beyond its last key."""
    curves = curves_of(action, owner).values()
    return any(curve.extrapolation == "LINEAR" or curve.modifiers for curve in curves)


def key_training_motion(obj: bpy.types.Object, span: Span, seed: int, role: Role) -> None:
    """Give everything that `obj` reacts to its motion for one take of a role.

    The scene is at the first frame.
    """
    settings = settings_of(obj)
    frame = settings.frame_object or obj
    for row, item in enumerate(settings.interactions):
        mover = item.object
        if mover is None or item.motion == "KEEP":
            continue
        # Of its own for each line, so that one more line leaves the others' motion as it was.
        rng = np.random.default_rng([seed, row])
        if item.motion == "ACTIONS":
            variation = 0.0 if role == "test" else item.variation
            _play_actions(mover, actions_played(item, role), span, rng, variation=variation)
        elif is_wind(mover):
            _blow(mover, item, span, rng)
        else:
            turns = item.turning or (settings.moving_frame and mover == frame)
            _wander(mover, item, span, rng, turns=turns)


def _box(item: NEURALPHYSICS_PG_interaction) -> MotionBox:
    return MotionBox(
        item.box_low[:],
        item.box_high[:],
        item.shortest,
        item.longest,
        fastest=item.fastest,
    )


def _wander(
    mover: bpy.types.Object,
    item: NEURALPHYSICS_PG_interaction,
    span: Span,
    rng: np.random.Generator,
    *,
    turns: bool,
) -> None:
    path = _keyed_path(mover) if item.own_motion else None
    placed = _set_free(mover)
    start, box = cast(Triple, placed.translation.to_tuple()), _box(item)
    if path is None:
        places = wander(box, span.count, span.dt, rng, start=start)
    else:
        places = wander_and_follow(
            box, span.count, span.dt, rng, start=start, path=path, share=item.own_motion
        )
    key_frames(mover, "location", places, span)
    if turns:
        _turn(mover, placed, item, span, rng=rng)


def location_curves(mover: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Those of an object's own location keys; none where something else moves it, too."""
    animation = mover.animation_data
    if animation is None or animation.action is None or mover.parent or animation.drivers:
        return []
    if any(not constraint.mute for constraint in mover.constraints):
        return []
    return [curve for channel, curve in curves_of(animation.action, mover).items() if channel in LOCATION]


def _keyed_path(mover: bpy.types.Object) -> Doubles | None:
    """Where its action puts an object, from the first frame to the last: (n, 3) metres.

    None where they do not move it.
    """
    if not location_curves(mover):
        return None
    assert mover.animation_data and mover.animation_data.action  # there the curves were found
    path = clip_of(mover, mover.animation_data.action, LOCATION, np.array(mover.location[:], float))
    return path + np.array(mover.delta_location[:]) if np.ptp(path, axis=0).any() else None


def _blow(
    mover: bpy.types.Object, item: NEURALPHYSICS_PG_interaction, span: Span, rng: np.random.Generator
) -> None:
    box = _box(item)
    strengths = wander_strength(item.strength_low, item.strength_high, box, span.count, dt=span.dt, rng=rng)
    key_frames(mover, "field.strength", strengths[:, None], span)
    _turn(mover, _set_free(mover), item, span, rng=rng)


def _turn(
    mover: bpy.types.Object,
    placed: Matrix,
    item: NEURALPHYSICS_PG_interaction,
    span: Span,
    *,
    rng: np.random.Generator,
) -> None:
    base = placed.to_quaternion()
    axis = None if item.turn_axis == "ANY" else "XYZ".index(item.turn_axis)
    vectors = wander_turn(item.turn, _box(item), span.count, span.dt, rng=rng, axis=axis)
    turned = [base @ Quaternion(tuple(v), math.hypot(*v)) for v in vectors.tolist()]
    mover.rotation_mode = "QUATERNION"
    key_frames(mover, "rotation_quaternion", np.array([(q.w, q.x, q.y, q.z) for q in turned]), span)


def _set_free(mover: bpy.types.Object) -> Matrix:
    """Let an object's own location place it in the world; returns where it stands now."""
    placed = mover.matrix_world.copy()
    for constraint in mover.constraints:
        constraint.mute = True
    if mover.rigid_body:
        mover.rigid_body.kinematic = True
    for path in ("location", "rotation_quaternion", "field.strength"):
        mover.driver_remove(path)
    mover.delta_location = (0.0, 0.0, 0.0)
    if mover.parent:
        mover.parent = None
        mover.matrix_world = placed
    return placed


def _play_actions(
    rig: bpy.types.Object,
    actions: Sequence[bpy.types.Action],
    span: Span,
    rng: np.random.Generator,
    *,
    variation: float,
) -> None:
    """Actions of a rig, in a random order again and again, each blended into the next.

    variation: see `_varied`.
    """
    for constraint in rig.constraints:
        constraint.mute = True
    keyed = sorted({channel for action in actions for channel in curves_of(action, rig)})
    values = {channel: value_of(rig, *channel) for channel in keyed}
    channels = [channel for channel, value in values.items() if value is not None]
    still = np.array([values[channel] for channel in channels])
    clips = [clip_of(rig, action, channels, still) for action in actions]
    blend = max(1, round(BLEND_SECONDS * span.fps))
    poses = np.tile(still, (blend + 1, 1))  # from the pose that the simulation starts in
    while len(poses) < span.count:
        for number in rng.permutation(len(clips)):
            clip = clips[number]
            if variation:
                clip = _varied(clip, still, channels, variation, rng=rng)
            poses = _append(poses, clip, blend, channels)
    key_channels(rig, channels, poses[: span.count], span)


def key_channels(rig: bpy.types.Object, channels: Sequence[Channel], rows: Doubles, span: Span) -> None:
    """A key of each channel of a rig in each frame; rows (count, channels)."""
    if rig.animation_data:
        rig.animation_data.use_nla = False
    for path in dict.fromkeys(path for path, _ in channels):
        where = [i for i, channel in enumerate(channels) if channel[0] == path]
        indices = [channels[i][1] for i in where]
        key_frames(rig, path, rows[:, where], span, indices=indices)


def clip_of(
    owner: bpy.types.Object, action: bpy.types.Action, channels: Sequence[Channel], still: Doubles
) -> Doubles:
    """(frames, channels): an action frame by frame, up to LONGEST_CLIP; what it does not move stays still."""
    curves = curves_of(action, owner)
    first, last = round(action.frame_range[0]), round(action.frame_range[1])
    last = min(last, first + LONGEST_CLIP - 1)
    clip = np.tile(still, (last - first + 1, 1))
    for column, channel in enumerate(channels):
        if channel in curves:
            clip[:, column] = [curves[channel].evaluate(frame) for frame in range(first, last + 1)]
    return clip


def _varied(
    clip: Doubles,
    still: Doubles,
    channels: Sequence[Channel],
    variation: float,
    *,
    rng: np.random.Generator,
) -> Doubles:
    """A clip at another pace, and going further from the pose in which it is still, or less far.

    Both by a factor between 1 - variation and 1 + variation: what was learned from one walk alone does not
    hold for any other.
    """
    pace, extent = 1.0 + variation * rng.uniform(-1.0, 1.0, 2)
    places = np.linspace(0.0, len(clip) - 1.0, max(2, round(len(clip) / pace)))
    before = np.minimum(places.astype(np.intp), len(clip) - 2)
    clip = clip[before] + (places - before)[:, None] * (clip[before + 1] - clip[before])
    turns = list(_quaternions(channels))
    for columns in turns:
        opposite = clip[:, columns] @ still[columns] < 0.0
        clip[:, columns] *= np.where(opposite, -1.0, 1.0)[:, None]  # the short way from still
    varied = still + extent * (clip - still)
    for columns in turns:
        varied[:, columns] /= np.linalg.norm(varied[:, columns], axis=1, keepdims=True)
    return np.asarray(varied)


def _append(poses: Doubles, clip: Doubles, blend: int, channels: Sequence[Channel]) -> Doubles:
    """Fade over `blend` frames from the last poses into the first of a clip; a short clip holds its end."""
    if len(clip) < 2 * blend:
        clip = np.concatenate([clip, np.repeat(clip[-1:], 2 * blend - len(clip), axis=0)])
    tail, head = poses[-blend:], clip[:blend].copy()
    for columns in _quaternions(channels):
        opposite = np.sum(tail[:, columns] * head[:, columns], axis=1) < 0.0
        head[np.ix_(opposite, columns)] *= -1.0  # the same turn, the short way round
        clip[:, columns] *= -1.0 if opposite[-1] else 1.0
    share = (np.arange(1, blend + 1) / (blend + 1))[:, None]
    return np.concatenate([poses[:-blend], tail + share * (head - tail), clip[blend:]])


def _quaternions(channels: Sequence[Channel]) -> Iterable[list[int]]:
    paths = dict.fromkeys(path for path, _ in channels if path.endswith("rotation_quaternion"))
    return ([i for i, channel in enumerate(channels) if channel[0] == path] for path in paths)


def value_of(owner: bpy.types.Object, path: str, index: int) -> float | None:
    """A property's value now; None for one that this object lacks, such as another rig's own."""
    try:
        value: Any = owner.path_resolve(path)
        return float(value[index] if hasattr(value, "__len__") else value)
    except (ValueError, TypeError, IndexError):
        return None
