"""What an object is worn over, as its settings have it."""

from __future__ import annotations

import bpy

from ...errors import Problem
from ..settings.having_settings import having_settings
from ..settings.properties import settings_of

MOST = 20  # entries in the list of an object; no outfit has as many
MOST_BELOW = 100  # objects below one, through others as well


def layers_below(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What an object is pushed out of, from the innermost as the list has them, each once.

    Nothing where there are more than `MOST`, which `check_layers` refuses.
    """
    settings = settings_of(obj)
    if len(settings.layers_below) > MOST:
        return []
    found = (item.object for item in settings.layers_below if item.enabled and settings.use_layers)
    return list(dict.fromkeys(other for other in found if other is not None and other != obj))


def is_layer(obj: bpy.types.Object) -> bool:
    """Whether anything is worn over an object, or it over something."""
    return bool(layers_below(obj)) or any(
        obj in layers_below(other) for other in having_settings(bpy.data.objects)
    )


def check_layers(obj: bpy.types.Object) -> None:
    """Whether an object can be pushed out of what is below it.

    Raises Problem("layers_too_many" | "layer_lost" | "layer_without_faces" | "layers_circle").
    """
    settings = settings_of(obj)
    if not settings.use_layers:
        return
    if len(settings.layers_below) > MOST:
        raise Problem("layers_too_many", object=obj.name, most=MOST)
    for item in settings.layers_below:
        other = item.object
        if not item.enabled:
            continue
        if other is None or not other.users_scene:
            raise Problem("layer_lost", object=obj.name)
        if not isinstance(other.data, bpy.types.Mesh) or not other.data.polygons:
            raise Problem("layer_without_faces", object=obj.name, layer=other.name)
    _check_circle(obj)


def layers_problem(obj: bpy.types.Object) -> Problem | None:
    """What `check_layers` raises; None where it does not."""
    try:
        check_layers(obj)
    except Problem as problem:
        return problem
    return None


def _check_circle(obj: bpy.types.Object) -> None:
    """Raises Problem("layers_too_many" | "layers_circle")."""
    found: set[bpy.types.Object] = set()  # what was below one entry is not looked through again for the next
    for first in layers_below(obj):
        left = [first]
        while left:
            here = left.pop()
            if here == obj:
                raise Problem("layers_circle", object=obj.name, layer=first.name)
            if here not in found:
                found.add(here)
                left += layers_below(here)
            if len(found) > MOST_BELOW:
                raise Problem("layers_too_many", object=obj.name, most=MOST_BELOW)
