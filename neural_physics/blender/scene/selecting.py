"""One object selected alone, as a click on it does."""

from __future__ import annotations

import bpy

from ...errors import Problem


def check_selectable(obj: bpy.types.Object) -> None:
    """Raise Problem("object_not_in_scene" | "object_hidden") for what cannot be clicked on."""
    layer = bpy.context.view_layer
    assert layer is not None  # there is always one
    if obj.name not in layer.objects or layer.objects[obj.name] != obj:
        raise Problem("object_not_in_scene", object=obj.name, layer=layer.name)
    if not obj.visible_get():
        raise Problem("object_hidden", object=obj.name)


def select_only(obj: bpy.types.Object) -> None:
    """Select it, and nothing else, in Object Mode. Raises what `check_selectable` does."""
    check_selectable(obj)
    layer = bpy.context.view_layer
    assert layer is not None  # as above
    for other in list(layer.objects.selected):
        other.select_set(False)
    obj.select_set(True)
    layer.objects.active = obj
