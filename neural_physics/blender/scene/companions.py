"""Objects that can be baked together: one simulation makes takes for all of them."""

from __future__ import annotations

import bpy

from ..settings.having_settings import having_settings
from ..settings.properties import settings_of
from .sources import physics_modifier, shows_modifiers, uses_solver
from .targets import channel_objects


def companions(layer: bpy.types.ViewLayer | None, obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The other objects that Blender simulates, and that react to nothing but what the object reacts to.

    None where something else simulates the object itself.
    """
    if layer is None or not _is_simulated(obj):
        return []
    known = set(channel_objects(obj))
    return [
        other
        for other in having_settings(layer.objects)
        if other != obj
        and settings_of(other).enabled
        and _is_simulated(other)
        and other.library is None
        and other.override_library is None
        and set(channel_objects(other)) <= known
    ]


def baked_together(layer: bpy.types.ViewLayer | None, obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Those that are baked with the object, as its settings say."""
    return companions(layer, obj) if settings_of(obj).bake_together else []


def _is_simulated(obj: bpy.types.Object) -> bool:
    return (
        obj.type == "MESH"
        and not uses_solver(obj)
        and not shows_modifiers(obj)
        and physics_modifier(obj) is not None
    )
