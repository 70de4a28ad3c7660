"""How far each bone of a rig may turn: its limits where it has some, else a range for all."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

LIMITS = ("LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_SCALE", "LIMIT_DISTANCE")


@dataclass(frozen=True)
class JointRange:
    """A bone, and the least and most it turns about its X, Y and Z axes, radians, as Euler angles XYZ."""

    bone: str
    least: tuple[float, float, float]
    most: tuple[float, float, float]


def joint_ranges(rig: bpy.types.Object, bones: tuple[str, ...], most: float) -> list[JointRange]:
    """The ranges of those bones that turn by themselves: no constraint but a limit moves them.

    An axis has the limits of a Limit Rotation constraint in local space, else those of inverse kinematics; a
    locked axis none; others turn by `most` radians either way. Bones that cannot turn at all are left out.
    """
    assert rig.pose is not None  # an armature has one
    found = []
    for name in bones:
        bone = rig.pose.bones[name]
        if any(c.enabled and c.type not in LIMITS for c in bone.constraints):
            continue
        spans = [_span(bone, axis, most) for axis in range(3)]
        if any(low < high for low, high in spans):
            lows, highs = zip(*spans, strict=True)
            found.append(JointRange(name, lows, highs))
    return found


def _span(bone: bpy.types.PoseBone, axis: int, most: float) -> tuple[float, float]:
    letter = "xyz"[axis]
    if bone.lock_rotation[axis] or getattr(bone, f"lock_ik_{letter}"):
        return 0.0, 0.0
    limits = (c for c in bone.constraints if isinstance(c, bpy.types.LimitRotationConstraint))
    for limit in (c for c in limits if c.enabled and c.owner_space == "LOCAL"):
        if getattr(limit, f"use_limit_{letter}"):
            return getattr(limit, f"min_{letter}"), getattr(limit, f"max_{letter}")
    if getattr(bone, f"use_ik_limit_{letter}"):
        return getattr(bone, f"ik_min_{letter}"), getattr(bone, f"ik_max_{letter}")
    return -most, most
