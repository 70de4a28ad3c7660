"""What an object is worn over, by hand."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...errors import Problem
from ..scene.layers import MOST, check_layers
from ..scene.targets import check_editable
from ..settings.edits import refresh_display
from ..settings.properties import settings_of


def add_layers(obj: bpy.types.Object, others: Iterable[bpy.types.Object]) -> list[str]:
    """Let an object be worn over other meshes; an entry to choose one in where there are none.

    Returns the names of those that were not in the list. Raises Problem("object_linked" |
    "object_overridden" | "layers_too_many" | "layer_without_faces" | "layers_circle"), and then changes
    nothing.
    """
    check_editable(obj)
    items = settings_of(obj).layers_below
    before, known = len(items), {item.object for item in items}
    chosen = [other for other in others if other.type == "MESH" and other != obj]
    new = [other for other in chosen if other not in known]
    if before + (len(new) if chosen else 1) > max(before, MOST):
        raise Problem("layers_too_many", object=obj.name, most=MOST)
    for other in new:
        items.add().object = other
    if not chosen:
        items.add()
    try:
        if new:
            check_layers(obj)
    except Problem as problem:
        if problem.code != "layer_lost":  # of an entry that was there
            while len(items) > before:
                items.remove(before)
            raise
    settings_of(obj).active_layer = max(0, len(items) - 1)
    refresh_display(settings_of(obj), bpy.context)
    return [other.name for other in new]


def check_has_layers(obj: bpy.types.Object) -> None:
    """Whether there is an entry to remove.

    Raises Problem("object_linked" | "object_overridden" | "layers_none").
    """
    check_editable(obj)
    if not settings_of(obj).layers_below:
        raise Problem("layers_none", object=obj.name)


def remove_layer(obj: bpy.types.Object) -> None:
    """Take away the chosen entry. Raises what `check_has_layers` does."""
    check_has_layers(obj)
    settings = settings_of(obj)
    last = len(settings.layers_below) - 1
    settings.layers_below.remove(min(settings.active_layer, last))
    settings.active_layer = max(0, min(settings.active_layer, last - 1))
    refresh_display(settings, bpy.context)
