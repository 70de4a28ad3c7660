"""Which objects of a file have settings of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy


def has_settings(obj: bpy.types.Object) -> bool:
    """Whether it has any, and is not at all defaults."""
    return obj.is_property_set("neural_physics")


def having_settings(objects: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Object]:
    """Those of some objects that have any.

    To ask an object for its settings makes some, and of tens of thousands of objects few were ever set up.
    """
    return filter(has_settings, objects)
