"""Capsules by hand: more of them where the artist wants them, and fewer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import bpy
import numpy as np

from ...capsules.fitting import FittedCapsule
from ...errors import Problem
from ..scene.targets import check_editable
from ..settings.capsules import NEURALPHYSICS_PG_capsule
from ..settings.edits import refresh_display
from ..settings.properties import settings_of
from .capsule_fitting import Found, add, check_readable, of_mesh, rigs_of

Carrier = tuple[bpy.types.Object, str]  # and the name of its bone, "" where it has none

THICKNESS = 0.2  # the radius of a capsule along a bone, in lengths of the bone
BALL = 0.1  # the radius of a ball, in sizes of the simulated object
LEAST = 0.01  # metres: the radius where something has no size


def chosen_carriers(obj: bpy.types.Object, context: bpy.types.Context) -> list[Carrier]:
    """What the artist has selected beside the object to carry a capsule: bones in Pose Mode, else objects.

    Of an armature that is its active bone; so, too, of the armature that a mesh follows.
    """
    if context.mode == "POSE":
        active = [context.active_pose_bone] if context.active_pose_bone else []
        bones = context.selected_pose_bones or active
        return [(cast(bpy.types.Object, bone.id_data), bone.name) for bone in bones]
    others = (other for other in context.selected_objects if other != obj)
    return list(dict.fromkeys(carrier for other in others for carrier in _carriers_for(other)))


def add_capsules(obj: bpy.types.Object, carriers: Iterable[Carrier]) -> list[str]:
    """A capsule along each bone, around each mesh, and a ball at any other object; returns their names.

    Raises Problem("object_linked" | "object_overridden" | "body_missing" | "edit_mode"), and then changes
    nothing.
    """
    check_editable(obj)
    found = [_found(obj, source, bone) for source, bone in carriers]
    for one in found:
        add(obj, one)
    settings_of(obj).active_capsule = len(settings_of(obj).capsules) - 1
    refresh_display(settings_of(obj), bpy.context)
    return [one.name for one in found]


def add_capsule_at_cursor(obj: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """A ball at the 3D cursor, carried by a new Empty that the artist can move and parent; returns its name.

    Raises Problem("object_linked" | "object_overridden").
    """
    check_editable(obj)
    empty = bpy.data.objects.new("Capsule", None)
    empty.empty_display_size = _ball_radius(obj, empty)
    empty.location = scene.cursor.location
    scene.collection.objects.link(empty)
    return add_capsules(obj, [(empty, "")])[0]


def remove_capsule(obj: bpy.types.Object) -> None:
    """Take away the chosen capsule. Raises what `check_capsules` does."""
    check_capsules(obj)
    settings = settings_of(obj)
    last = len(settings.capsules) - 1
    settings.capsules.remove(min(settings.active_capsule, last))
    settings.active_capsule = max(0, min(settings.active_capsule, last - 1))
    refresh_display(settings, bpy.context)


def clear_capsules(obj: bpy.types.Object) -> None:
    """Take away all capsules. Raises what `check_capsules` does."""
    check_capsules(obj)
    settings = settings_of(obj)
    settings.capsules.clear()
    settings.active_capsule = 0
    refresh_display(settings, bpy.context)


def check_capsules(obj: bpy.types.Object) -> None:
    """Whether there is a capsule to take away.

    Raises Problem("object_linked" | "object_overridden" | "capsules_none").
    """
    check_editable(obj)
    if not settings_of(obj).capsules:
        raise Problem("capsules_none", object=obj.name)


def lost(obj: bpy.types.Object, item: NEURALPHYSICS_PG_capsule) -> Problem | None:
    """Problem("capsule_lost") where the object or the bone that carried a capsule is gone."""
    source = item.source
    if source is not None and (not item.bone or (source.pose and item.bone in source.pose.bones)):
        return None
    return Problem("capsule_lost", object=obj.name, capsule=item.name)


def _carriers_for(other: bpy.types.Object) -> Iterator[Carrier]:
    for source in rigs_of(other) or [other]:
        bone = _bones_of(source).active if source.type == "ARMATURE" else None
        yield source, bone.name if bone else ""


def _found(obj: bpy.types.Object, source: bpy.types.Object, bone: str) -> Found:
    """Raises Problem("body_missing" | "edit_mode")."""
    if bone:
        length = _bones_of(source)[bone].length
        tail, radius = np.array((0.0, length, 0.0)), THICKNESS * length
        return Found(source, bone, FittedCapsule(np.zeros(3), tail, radius, radius))
    if source.type == "MESH":
        check_readable(source)
        for one in of_mesh(source, settings_of(obj).projection.share):
            return one.found()
    radius = _ball_radius(obj, source)
    return Found(source, "", FittedCapsule(np.zeros(3), np.zeros(3), radius, radius))


def _ball_radius(obj: bpy.types.Object, source: bpy.types.Object) -> float:
    """The radius of a new ball, in lengths of the carrier's own axes."""
    scale = abs(source.matrix_world.to_3x3().determinant()) ** (1.0 / 3.0)
    return max(LEAST, BALL * max(obj.dimensions[:])) / (scale or 1.0)


def _bones_of(rig: bpy.types.Object) -> bpy.types.ArmatureBones:
    return cast(bpy.types.Armature, rig.data).bones
