"""What Blender evaluates of a file as things are now, and what it may be made to evaluate.

Whatever a setting of ours or a copy names is evaluated with it, with all that hangs on that, also where it is
hidden or in no scene. In a file in which something writes on disk, that may so be made to write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from ...errors import Problem
from .simulation_caches import anything_writes


def nameable(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those of some objects that a setting or a copy may name although the artist has not chosen them.

    Where nothing writes on disk these are all, else those that take part in the view layer on show: in
    another one nothing is simulated until somebody goes there.
    """
    asked, layer = list(objects), bpy.context.view_layer
    if not anything_writes():
        return asked
    enabled = set[bpy.types.Object]() if layer is None else enabled_objects(layer)
    return [each for each in asked if each in enabled]


def may_be_named(obj: bpy.types.Object) -> bool:
    """Whether it is `nameable`."""
    return bool(nameable([obj]))


def check_may_be_copied(obj: bpy.types.Object) -> None:
    """Raise Problem("object_hidden") where a copy of what Blender does not evaluate may have it evaluated."""
    if not may_be_named(obj):
        raise Problem("object_hidden", object=obj.name)


def enabled_objects(layer: bpy.types.ViewLayer) -> set[bpy.types.Object]:
    """What takes part in a view layer: what is hidden by its eye does, what is disabled in viewports not."""
    collections = (each.collection for each in _enabled(layer.layer_collection))
    return {obj for collection in collections for obj in collection.objects if not obj.hide_viewport}


def _enabled(top: bpy.types.LayerCollection) -> Iterator[bpy.types.LayerCollection]:
    left = [top]
    while left:
        each = left.pop()
        if not each.collection.hide_viewport:
            left += each.children
            if not each.exclude:
                yield each
