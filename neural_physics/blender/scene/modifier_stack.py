"""The place of the physics in an object's modifiers: switched off while something stands in for it."""

from __future__ import annotations

import json

import bpy

from ..settings.properties import settings_of
from .sources import carrying_modifiers, physics_modifier, physics_modifiers, uses_solver


def physics_place(obj: bpy.types.Object) -> int:
    """Where in the stack a stand-in for the physics belongs; 0 where there is no physics."""
    if uses_solver(obj):
        return len(carrying_modifiers(obj))
    modifier = physics_modifier(obj)
    return 0 if modifier is None else list(obj.modifiers).index(modifier)


def switch_off_physics(obj: bpy.types.Object) -> None:
    """Switch the physics off in viewport and render, and remember what it was; twice is harmless."""
    settings = settings_of(obj)
    remembered = _remembered(settings.hidden_modifiers)
    for modifier in physics_modifiers(obj):
        remembered.setdefault(modifier.name, [modifier.show_viewport, modifier.show_render])
        modifier.show_viewport = modifier.show_render = False
    settings.hidden_modifiers = json.dumps(remembered)


def restore_physics(obj: bpy.types.Object) -> None:
    """Undo `switch_off_physics`; a modifier that is no longer there is passed over."""
    settings = settings_of(obj)
    for name, (viewport, render) in _remembered(settings.hidden_modifiers).items():
        modifier = obj.modifiers.get(name)
        if modifier is not None:
            modifier.show_viewport, modifier.show_render = viewport, render
    settings.hidden_modifiers = ""


def _remembered(text: str) -> dict[str, list[bool]]:
    """Modifier name -> shown in the viewport, shown in renders."""
    try:
        item = json.loads(text or "{}")
        return {str(name): [bool(shown[0]), bool(shown[1])] for name, shown in item.items()}
    except (ValueError, TypeError, AttributeError, LookupError):
        return {}  # somebody's own edit: nothing to go back to
