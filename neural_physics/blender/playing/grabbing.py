"""Grab: what moves an object lies in the artist's hand, its keys put aside until it is released.

A keyed collider snaps back to its keys at every frame, so that moving it by hand does nothing while the
animation plays. Its action is taken off it meanwhile, and kept in its settings, which a file saves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import bpy

from ...errors import Problem
from ..scene.animation.animated_paths import paths_in, paths_in_strips
from ..scene.references import is_in
from ..scene.selecting import check_selectable
from ..settings.properties import settings_of

TRANSFORM = "TRANSFORM_OT_"  # how the names of the operators begin that move what is selected
# What curves that are given back may move: of an action that came with a file, anything else may be anywhere.
BONE = r'pose\.bones\["([^"\\]|\\.)*"\]\.'
PLACED = re.compile(rf"({BONE})?(delta_)?(location|rotation_(euler|quaternion|axis_angle)|scale)")

STRIPS = 0  # in the place of an action's session_uid
_put_aside = set[tuple[int, int]]()  # movers and actions, by session_uid, of which that was done here


def may_grab(mover: bpy.types.Object) -> bool:
    """Whether keys move an object, which could be put aside."""
    animation = mover.animation_data
    return (
        mover.is_editable
        and animation is not None
        and (animation.action is not None or _plays_strips(animation))
    )


def check_grab(obj: bpy.types.Object, mover: bpy.types.Object) -> None:
    """Whether what an object reacts to can be taken in the hand.

    Raises Problem("interaction_missing") and what `check_selectable` does.
    """
    scene = bpy.context.scene
    if scene is None or not is_in(scene, mover):
        raise Problem("interaction_missing", object=obj.name, interaction=mover.name)
    check_selectable(mover)


def grab_problem(obj: bpy.types.Object, mover: bpy.types.Object) -> Problem | None:
    """What `check_grab` raises; None where it does not."""
    try:
        check_grab(obj, mover)
    except Problem as problem:
        return problem
    return None


def is_grabbed(mover: bpy.types.Object) -> bool:
    """Whether an object's keys were put aside."""
    settings = settings_of(mover)
    return settings.resting_action is not None or settings.resting_strips


def grab(mover: bpy.types.Object) -> None:
    """Put an object's keys aside; it stays where it is. Harmless where it has none."""
    animation, settings = mover.animation_data, settings_of(mover)
    if animation is None or not may_grab(mover):
        return
    if animation.action is not None:
        _put_aside.add((mover.session_uid, animation.action.session_uid))
        settings.resting_action = animation.action
        animation.action = None
    if _plays_strips(animation):
        _put_aside.add((mover.session_uid, STRIPS))
        settings.resting_strips, animation.use_nla = True, False


def release(mover: bpy.types.Object) -> None:
    """Give an object its keys back; harmless where none were put aside.

    An action that it has been given meanwhile is its own, and stays.
    Raises Problem("keys_of_more") where a file says what was put aside, and that animates more than a place.
    """
    settings = settings_of(mover)
    action, strips = settings.resting_action, settings.resting_strips
    animation = mover.animation_data or mover.animation_data_create()
    if animation is None:
        return
    if action is not None and (mover.session_uid, action.session_uid) not in _put_aside:
        _check_paths(mover, action.name, paths_in(action))
    if strips and (mover.session_uid, STRIPS) not in _put_aside:
        _check_paths(mover, "of its strips", paths_in_strips(animation))
    settings.resting_action, settings.resting_strips = None, False
    if action is not None and animation.action is None:
        animation.action = action
        suitable = animation.action_suitable_slots
        if animation.action_slot is None and len(suitable):
            animation.action_slot = suitable[0]
    if strips:
        animation.use_nla = True


def _check_paths(mover: bpy.types.Object, action: str, paths: Iterable[str]) -> None:
    path = next((path for path in paths if not PLACED.fullmatch(path)), None)
    if path is not None:
        raise Problem("keys_of_more", object=mover.name, action=action, path=path)


def grab_what_is_moved(movers: Callable[[], Iterable[bpy.types.Object]]) -> None:
    """Grab those of what `movers` gives that are being moved by hand now, in any window."""
    manager = bpy.context.window_manager
    if bpy.app.background or manager is None:
        return
    for window in manager.windows:
        if any(operator.bl_idname.startswith(TRANSFORM) for operator in window.modal_operators):
            for mover in set(movers()) & set(window.view_layer.objects.selected):
                grab(mover)


def _plays_strips(animation: bpy.types.AnimData) -> bool:
    return animation.use_nla and len(animation.nla_tracks) > 0
