"""Whether the Python that a .blend brings may run in a bake: only where the artist lets Blender run it."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import cast

import bpy

from ..scene.animation.animated_paths import animations


def scripts_may_run() -> bool:
    """Whether Blender would run the open file's scripts by itself, by the preferences.

    And does: a file can be opened without its scripts whatever they say, which Blender only notes when there
    was anything to run.
    """
    preferences = bpy.context.preferences
    if preferences is None or not preferences.filepaths.use_scripts_auto_execute or bpy.app.autoexec_fail:
        return False
    path = bpy.data.filepath
    excluded = [entry for entry in preferences.autoexec_paths if entry.path]
    matches = (
        fnmatch(path, entry.path) if entry.use_glob else path.startswith(entry.path) for entry in excluded
    )
    return not any(matches) and _python_runs()


def _python_runs() -> bool:
    """Whether a driver that needs Python runs in the open file, tried on an object that is made for it."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    if scene is None or layer is None:
        return False
    probe = bpy.data.objects.new("Neural Physics Probe", None)
    try:
        scene.collection.objects.link(probe)
        driver = cast(bpy.types.FCurve, probe.driver_add("location", 0)).driver
        assert driver is not None  # it was just made
        driver.expression = "(1,).__len__()"  # of simpler ones Blender knows that they do no harm
        layer.update()
        return probe.evaluated_get(layer.depsgraph or bpy.context.evaluated_depsgraph_get()).location.x == 1.0
    finally:
        bpy.data.objects.remove(probe)


def holds_scripts() -> bool:
    """Whether the open file has Python of its own: drivers that need it, or texts that register."""
    return any(text.use_module for text in bpy.data.texts) or any(
        curve.driver is not None and curve.driver.type == "SCRIPTED" and not curve.driver.is_simple_expression
        for animation in animations()
        for curve in animation.drivers
    )
