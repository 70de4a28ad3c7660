"""What follows when the artist changes a setting that shows."""

from __future__ import annotations

from typing import cast

import bpy


class _Edits:
    number = 0


def edits() -> int:
    """Another number than last time: a setting that shows may have been edited since."""
    return _Edits.number


def note_edit() -> None:
    """Settings may have changed without notice, as they do in an undo."""
    _Edits.number += 1


def refresh_display(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let Blender evaluate the object again, so that what plays follows its settings."""
    note_edit()
    cast(bpy.types.Object, settings.id_data).update_tag()
