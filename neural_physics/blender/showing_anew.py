"""What follows when the artist changes a setting that shows."""

from __future__ import annotations

from typing import cast

import bpy


def show_anew(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let Blender evaluate the object again, so that what plays follows its settings."""
    cast(bpy.types.Object, settings.id_data).update_tag()
