"""What the settings of overridden objects point to in files of earlier versions.

There they lost it when a shot was opened: they name the library's objects, which are in no scene, and mean
the overrides of the same character.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import bpy
from bpy.app.handlers import persistent

from .having_settings import having_settings


@persistent
def _on_file(*_: object) -> None:
    overridden = [obj for obj in bpy.data.objects if obj.override_library is not None]
    own = {(_root(obj), cast(Any, obj.override_library).reference): obj for obj in overridden}
    for obj in having_settings(overridden):
        for owner, name in _pointing(cast(Any, obj).neural_physics):
            named = getattr(owner, name)
            meant = None if named is None else own.get((_root(obj), named))
            if meant is not None:
                setattr(owner, name, meant)


def _root(obj: bpy.types.Object) -> bpy.types.ID | None:
    """What all overrides of one character have in common."""
    return cast(Any, obj.override_library).hierarchy_root


def _pointing(settings: Any) -> Iterator[tuple[bpy.types.PropertyGroup, str]]:  # noqa: ANN401 (RNA's)
    yield settings, "frame_object"
    for items, name in (("capsules", "source"), ("layers_below", "object"), ("handles", "object")):
        for item in getattr(settings, items):
            yield item, name


def register() -> None:
    """Look at each file that is opened."""
    bpy.app.handlers.load_post.append(_on_file)


def unregister() -> None:
    """Look at no further files."""
    bpy.app.handlers.load_post.remove(_on_file)
