"""The bone of an armature that an artist takes hold of first."""

from __future__ import annotations

from typing import Any, cast

import bpy


def hold_main_control(rig: bpy.types.Object) -> bpy.types.Bone | None:
    """Select the active bone if it can be seen, else the control that carries most of the rig, alone.

    Returns it; None where no bone can be clicked on.
    """
    bones = cast(bpy.types.Armature, rig.data).bones
    active = bones.active
    if active is not None and _can_be_clicked(rig, active):
        _select(rig, active)
        return active
    chosen = _main_control(rig)
    if chosen is not None:
        for bone in bones:
            _select(rig, bone, bone == chosen)
        bones.active = chosen
    return chosen


def hold_bone(rig: bpy.types.Object, name: str) -> None:
    """Select a bone, and make it the active one."""
    bones = cast(bpy.types.Armature, rig.data).bones
    bones.active = bones[name]
    _select(rig, bones[name])


def _main_control(rig: bpy.types.Object) -> bpy.types.Bone | None:
    """Of the bones that can be clicked on, or those of them with a shape, the one with most bones below it.

    A bone without a parent need not be it: Rigify's root carries the rig by constraints alone.
    """
    bones = cast(bpy.types.Armature, rig.data).bones
    below = dict.fromkeys(bones.keys(), 0)
    for bone in reversed(bones):  # children come after their parents
        if bone.parent is not None:
            below[bone.parent.name] += 1 + below[bone.name]
    seen = [bone for bone in bones if _can_be_clicked(rig, bone)]
    shaped = [bone for bone in seen if _posed(rig, bone).custom_shape is not None]
    return max(shaped or seen, key=lambda bone: below[bone.name], default=None)


def _can_be_clicked(rig: bpy.types.Object, bone: bpy.types.Bone) -> bool:
    # Since 5.0 pose bones are hidden, before them bones were.
    hidden = getattr(_posed(rig, bone), "hide", bone.hide)
    shown = not bone.collections or any(each.is_visible_effectively for each in bone.collections)
    return shown and not hidden and not bone.hide_select


def _select(rig: bpy.types.Object, bone: bpy.types.Bone, selected: bool = True) -> None:
    # Since 5.0 pose bones are selected, before them bones were.
    posed = _posed(rig, bone)
    (posed if hasattr(posed, "select") else bone).select = selected


def _posed(rig: bpy.types.Object, bone: bpy.types.Bone) -> Any:  # noqa: ANN401 (Blender's versions differ)
    assert rig.pose is not None  # an armature has one
    return rig.pose.bones[bone.name]
