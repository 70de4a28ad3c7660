"""Which object the artist means."""

from __future__ import annotations

import bpy

from ...errors import Problem
from ..settings.having_settings import having_settings
from ..settings.properties import settings_of
from .sources import physics_modifiers

# By the session_uid of what was grabbed: the object in whose panel that was clicked, by its own.
_grabbed_for: dict[int, int] = {}


def keep_target(mover: bpy.types.Object, obj: bpy.types.Object) -> None:
    """Of the objects that it moves, let this one be the target while `mover` is active."""
    _grabbed_for[mover.session_uid] = obj.session_uid


def target_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object, or, if that only moves or holds a simulated object or carries its capsules, that.

    Of several, the one that it was grabbed for, or one that plays.
    """
    active = context.active_object
    if active is None or context.scene is None:
        return None
    if settings_of(active).enabled or physics_modifiers(active):
        return active
    used = {
        obj: channel_objects(obj) + handle_objects(obj) + capsule_objects(obj)
        for obj in set_up_objects(context.scene)
    }
    moved = [obj for obj, others in used.items() if active in others]
    kept = _grabbed_for.get(active.session_uid)
    # Of equals, the first.
    return max(moved, key=lambda obj: (obj.session_uid == kept, settings_of(obj).playing), default=active)


def check_set_up(obj: bpy.types.Object | None) -> bpy.types.Object:
    """The object, if it has been set up. Raises Problem("nothing_selected" | "not_set_up")."""
    if obj is None:
        raise Problem("nothing_selected")
    if not settings_of(obj).enabled:
        raise Problem("not_set_up", object=obj.name)
    return obj


def check_editable(obj: bpy.types.Object) -> None:
    """Whether an object's settings can be changed in this file.

    Raises Problem("object_linked" | "object_overridden").
    """
    if obj.library:
        raise Problem("object_linked", object=obj.name)
    if obj.override_library:
        raise Problem("object_overridden", object=obj.name)


def set_up_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects of a scene that use Neural Physics."""
    return [obj for obj in having_settings(scene.objects) if settings_of(obj).enabled]


def channel_objects(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What an object reacts to."""
    return [item.object for item in settings_of(obj).interactions if item.object]


def handle_objects(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What the artist holds an object's handles by."""
    return [item.object for item in settings_of(obj).handles if item.object]


def capsule_objects(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What carries an object's capsules, once for each capsule."""
    return [item.source for item in settings_of(obj).capsules if item.source]


def named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """The object of that name; without a name, the only one that has been set up.

    Raises Problem("object_unknown" | "nothing_set_up" | "object_not_named").
    """
    if name:
        if name not in scene.objects:
            raise Problem("object_unknown", object=name, scene=bpy.data.filepath or scene.name)
        return scene.objects[name]
    candidates = set_up_objects(scene)
    if not candidates:
        raise Problem("nothing_set_up", scene=bpy.data.filepath or scene.name)
    if len(candidates) > 1:
        raise Problem("object_not_named", found=", ".join(obj.name for obj in candidates))
    return candidates[0]
