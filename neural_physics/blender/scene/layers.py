"""What an object is worn over, as its settings have it."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...errors import Problem
from ..settings.properties import settings_of


def layers_below(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What an object is pushed out of, from the innermost as the list has them, each once."""
    settings = settings_of(obj)
    found = (item.object for item in settings.layers_below if item.enabled and settings.use_layers)
    return list(dict.fromkeys(other for other in found if other is not None and other != obj))


def is_layer(obj: bpy.types.Object) -> bool:
    """Whether anything is worn over an object, or it over something."""
    return bool(layers_below(obj)) or any(obj in layers_below(other) for other in bpy.data.objects)


def check_layers(obj: bpy.types.Object) -> None:
    """Whether an object can be pushed out of what is below it.

    Raises Problem("layer_lost" | "layer_without_faces" | "layers_circle").
    """
    for item in settings_of(obj).layers_below:
        other = item.object
        if not (item.enabled and settings_of(obj).use_layers):
            continue
        if other is None or not other.users_scene:
            raise Problem("layer_lost", object=obj.name)
        if not isinstance(other.data, bpy.types.Mesh) or not other.data.polygons:
            raise Problem("layer_without_faces", object=obj.name, layer=other.name)
    for first in layers_below(obj):
        if obj in _all_below(first):
            raise Problem("layers_circle", object=obj.name, layer=first.name)


def layers_problem(obj: bpy.types.Object) -> Problem | None:
    """What `check_layers` raises; None where it does not."""
    try:
        check_layers(obj)
    except Problem as problem:
        return problem
    return None


def _all_below(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """An object and all that is below it, each once."""
    found, left = set(), [obj]
    while left:
        here = left.pop()
        if here not in found:
            found.add(here)
            left += layers_below(here)
            yield here
