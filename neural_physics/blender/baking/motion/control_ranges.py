"""Which controls of a rig turn the bones that something else drives, found by trying each.

Production rigs, such as Rigify's, drive their deforming bones by constraints, from bones that an artist
turns. A control counts where it turns a deforming bone against the one before it about as far as it is turned
itself; others shift, twist or carry a whole limb, or scale bones, as that of the jaw does. Where several turn
the same bone, that one is taken which turns the fewest others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ....arrays import Doubles
from ....skinning.moves import LARGEST_SCALE
from .joint_ranges import JointRange, joint_ranges

TRIED = 0.4  # radians about each axis, if a range goes so far
FOLLOWS = 0.75  # of its control's turn, at least
FK = (
    "IK_FK"  # Rigify's property of a limb: at 1 its bones are turned one by one, at 0 they reach for a target
)


def controls_of(rig: bpy.types.Object) -> tuple[str, ...]:
    """The bones that are drawn for an artist to take hold of."""
    assert rig.pose is not None  # an armature has one
    return tuple(bone.name for bone in rig.pose.bones if bone.custom_shape is not None)


def switches_of(rig: bpy.types.Object) -> list[str]:
    """The paths of what lets controls turn the bones of a limb one by one, where it is 1."""
    assert rig.pose is not None
    names = [bone.name for bone in rig.pose.bones if isinstance(bone.get(FK), float)]
    return [f'pose.bones["{bpy.utils.escape_identifier(name)}"]["{FK}"]' for name in names]


def control_ranges(rig: bpy.types.Object, driven: Collection[str], most: float) -> list[JointRange]:
    """The ranges of the controls that turn these bones, see `joint_ranges`; the rig stays as it is."""
    with _switched(rig):
        at_rest, found = _turns(rig, driven), []
        for turning in joint_ranges(rig, controls_of(rig), most):
            turned = _turned_by(rig, turning, driven, at_rest)
            if turned:
                found.append((turning, turned))
    found.sort(key=lambda each: len(each[1]))
    chosen, turned_already = [], set[str]()
    for turning, turned in found:
        if not turned <= turned_already:
            chosen.append(turning)
            turned_already |= turned
    return chosen


def _turned_by(
    rig: bpy.types.Object, turning: JointRange, driven: Collection[str], at_rest: Doubles
) -> set[str]:
    """The bones that a control turns; none where it scales one of these bones besides."""
    angles = [
        np.clip(high if high > -low else low, -TRIED, TRIED)
        for low, high in zip(turning.least, turning.most, strict=True)
    ]
    turn = Euler(angles, "XYZ").to_quaternion()
    assert rig.pose is not None
    bone = rig.pose.bones[turning.bone]
    with _posed(bone, turn):
        if _is_scaled(rig, driven):
            return set()
        turns = _turns(rig, driven)
    away = np.linalg.norm(turns - at_rest, axis=(1, 2)) / np.sqrt(8.0)  # the sine of half the angle
    enough = np.sin(0.5 * FOLLOWS * abs(turn.angle))
    turned = {name for name, distance in zip(driven, away, strict=True) if distance >= enough}
    if turned:
        with _posed(bone, turn.inverted()):
            if _is_scaled(rig, driven):
                return set()
    return turned


@contextmanager
def _posed(bone: bpy.types.PoseBone, turn: Quaternion) -> Iterator[None]:
    """A bone is turned by this from where it is."""
    mode, before = bone.rotation_mode, bone.matrix_basis.copy()
    bone.matrix_basis = before @ turn.to_matrix().to_4x4()
    try:
        yield
    finally:
        bone.rotation_mode, bone.matrix_basis = mode, before


def _turns(rig: bpy.types.Object, bones: Collection[str]) -> Doubles:
    """(n, 3, 3): how bones are turned against the deforming bones before them."""
    posed, turns = _evaluated_bones(rig), []
    for name in bones:
        bone = posed[name]
        before = next((other for other in bone.parent_recursive if other.bone.use_deform), None)
        own = _turn_of(bone)
        turns.append(own if before is None else _turn_of(before).inverted() @ own)
    return np.array(turns).reshape(-1, 3, 3)


def _is_scaled(rig: bpy.types.Object, bones: Collection[str]) -> bool:
    """Whether one of these bones is longer, wider or smaller than flesh on bones can follow."""
    posed = _evaluated_bones(rig)
    sizes = np.array([posed[name].matrix.to_scale()[:] for name in bones])
    return bool((sizes > LARGEST_SCALE).any() or (sizes < 1.0 / LARGEST_SCALE).any())


def _evaluated_bones(rig: bpy.types.Object) -> Any:  # noqa: ANN401 (a collection of Blender's)
    pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose
    assert pose is not None  # an armature has one
    return pose.bones


def _turn_of(bone: bpy.types.PoseBone) -> Matrix:
    return bone.matrix.to_3x3().normalized()


@contextmanager
def _switched(rig: bpy.types.Object) -> Iterator[None]:
    assert rig.pose is not None
    bones: list[Any] = [bone for bone in rig.pose.bones if isinstance(bone.get(FK), float)]
    before = [bone[FK] for bone in bones]
    try:
        for bone in bones:
            bone[FK] = 1.0
        rig.update_tag()
        yield
    finally:
        for bone, value in zip(bones, before, strict=True):
            bone[FK] = value
        rig.update_tag()
