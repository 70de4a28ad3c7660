"""Texts that are written into an object's settings by the way.

A setting that is set is an edit of its object to Blender, after which it simulates anew what depends on it,
and a fluid then deletes its frames, wherever the file says they are.
"""

from __future__ import annotations

from typing import Any, cast

import bpy

from .from_files.stored_types import NAME


def note_text(obj: bpy.types.Object, setting: str, text: str) -> None:
    """Set one of an object's settings, without its `update`, and without an edit."""
    # Where Blender 5 keeps those of add-ons.
    stored: Any = obj if bpy.app.version < (5,) else cast(Any, obj).bl_system_properties_get(do_create=True)
    if NAME not in stored:
        stored[NAME] = {}
    stored[NAME][setting] = text
