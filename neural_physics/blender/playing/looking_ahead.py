"""Where keys say what is to come, so that what plays can look ahead."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...errors import Problem
from ..scene.references import Named
from ..scene.setting_up import is_animated


def look_ahead_obstacle(obj: bpy.types.Object, sources: Iterable[Named]) -> Problem | None:
    """Problem("look_ahead_not_keyed") where nothing that moves an object is animated, else None.

    sources: what it reacts to. Raises Problem("interaction_missing").
    """
    if is_animated(obj) or any(is_animated(source.original()) for source in sources):
        return None
    return Problem("look_ahead_not_keyed", object=obj.name)
