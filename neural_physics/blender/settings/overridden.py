"""What the settings of overridden objects point to in files of earlier versions.

There they lost it when a shot was opened: they name the library's objects, which are in no scene, and mean
the overrides of the same character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import bpy

from .having_settings import having_settings

Pointer = tuple[bpy.types.PropertyGroup, str, bpy.types.Object]


def misdirected() -> list[Pointer]:
    """Settings that name a library's object, the setting's name, and the override that is meant."""
    overridden = [obj for obj in bpy.data.objects if obj.override_library is not None]
    own = {(_root(obj), cast(Any, obj.override_library).reference): obj for obj in overridden}
    found = []
    for obj in having_settings(overridden):
        for owner, name in _pointing(cast(Any, obj).neural_physics):
            named = getattr(owner, name)
            meant = None if named is None else own.get((_root(obj), named))
            if meant is not None:
                found.append((owner, name, meant))
    return found


def redirect(pointers: Iterable[Pointer]) -> None:
    """Let settings name what they mean, which is evaluated with them from then on, hidden or not."""
    for owner, name, meant in pointers:
        setattr(owner, name, meant)


def _root(obj: bpy.types.Object) -> bpy.types.ID | None:
    """What all overrides of one character have in common."""
    return cast(Any, obj.override_library).hierarchy_root


def _pointing(settings: Any) -> Iterator[tuple[bpy.types.PropertyGroup, str]]:  # noqa: ANN401 (RNA's)
    yield settings, "frame_object"
    for items, name in (("capsules", "source"), ("layers_below", "object"), ("handles", "object")):
        for item in getattr(settings, items):
            yield item, name
