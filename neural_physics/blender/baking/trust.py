"""Whether the Python that a .blend brings may run in a bake: only where the artist lets Blender run it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch

import bpy


def scripts_may_run() -> bool:
    """Whether Blender would run the open file's scripts by itself, by the preferences."""
    preferences = bpy.context.preferences
    if preferences is None or not preferences.filepaths.use_scripts_auto_execute or bpy.app.autoexec_fail:
        return False
    path = bpy.data.filepath
    excluded = [entry for entry in preferences.autoexec_paths if entry.path]
    return not any(
        fnmatch(path, entry.path) if entry.use_glob else path.startswith(entry.path) for entry in excluded
    )


def holds_scripts() -> bool:
    """Whether the open file has Python of its own: drivers that need it, or texts that register."""
    return any(text.use_module for text in bpy.data.texts) or any(
        curve.driver is not None and curve.driver.type == "SCRIPTED" and not curve.driver.is_simple_expression
        for animation in _animations()
        for curve in animation.drivers
    )


def _animations() -> Iterator[bpy.types.AnimData]:
    """The animation data of everything in the file, its node trees included."""
    for prop in bpy.data.bl_rna.properties:
        if prop.type != "COLLECTION":
            continue
        for item in getattr(bpy.data, prop.identifier):
            for owner in (item, getattr(item, "node_tree", None)):
                animation = getattr(owner, "animation_data", None)
                if animation is not None:
                    yield animation
