"""Settings of a file that was opened or appended from, brought within the limits that they declare.

Blender holds to them where somebody types a number. What a file says is shown as it is, and anybody may have
written it: a billion takes, or a time of no seconds.
"""

from __future__ import annotations

import math
from typing import Any, cast

import bpy
from bpy.app.handlers import persistent


def bring_within(settings: bpy.types.PropertyGroup) -> None:
    """Bring all numbers of settings, and of those that they hold, within their limits.

    What is no number becomes what it is at first.
    """
    for prop in settings.bl_rna.properties:
        if prop.identifier == "rna_type":  # which is called a group of settings, too
            continue
        value = getattr(settings, prop.identifier)
        if isinstance(prop, bpy.types.IntProperty | bpy.types.FloatProperty):
            _limit(settings, prop, value)
        elif isinstance(value, bpy.types.PropertyGroup):
            bring_within(value)
        elif isinstance(prop, bpy.types.CollectionProperty):
            for item in value:
                bring_within(item)


def enable(settings: bpy.types.PropertyGroup) -> None:
    """Let an object use Neural Physics; what a file says of one that did not was not looked at before."""
    typed = cast(Any, settings)
    if not typed.enabled:
        bring_within(settings)
        typed.enabled = True


def _limit(settings: bpy.types.PropertyGroup, prop: Any, value: Any) -> None:  # noqa: ANN401 (RNA's)
    numbers = list(value) if prop.is_array else [value]
    if not all(map(math.isfinite, numbers)):
        settings.property_unset(prop.identifier)
        return
    within = [min(max(number, prop.hard_min), prop.hard_max) for number in numbers]
    if within != numbers:
        setattr(settings, prop.identifier, within if prop.is_array else within[0])


@persistent
def _on_file(*_: object) -> None:
    if not isinstance(bpy.data, bpy.types.BlendData):
        return  # while an add-on is being enabled at startup, there is no file yet
    for obj in bpy.data.objects:
        settings: Any = obj.neural_physics  # type: ignore[attr-defined]
        if settings.enabled or settings.playing:
            bring_within(settings)


def register() -> None:
    """Look at the file that is open, and at each that is opened or appended from."""
    for handlers in _lists():
        handlers.append(_on_file)
    _on_file()


def unregister() -> None:
    """Look at no further files."""
    for handlers in _lists():
        handlers.remove(_on_file)


def _lists() -> tuple[list[Any], ...]:
    return bpy.app.handlers.load_post, bpy.app.handlers.blend_import_post
