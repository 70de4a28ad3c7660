"""What the other Blender does to write a file: it has the recorded objects alone, and exports them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import bpy

from ...jobs.events import Progress, print_event
from .exporters import export_scene, import_scene, name_in_file
from .recorded_file import NUMBER


def write_file(plan: Mapping[str, Any]) -> list[str]:
    """Export, and read it again: of each object, where it is in the file; "" for what does not move.

    Raises Problem("export_failed").
    """
    path, first, last = Path(plan["path"]), plan["first"], plan["last"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = cast(bpy.types.Scene, bpy.context.scene)
    scene.frame_start, scene.frame_end = first, last
    scene.render.fps, scene.render.fps_base = plan["fps"], plan["fps_base"]
    loading: Any = bpy.data.libraries.load(plan["recorded"], link=False)
    with loading as (there, wanted):
        wanted.objects = list(there.objects)
    objects = sorted(wanted.objects, key=lambda obj: obj[NUMBER])
    for obj, names in zip(objects, plan["names"], strict=True):
        del obj[NUMBER]
        obj.name, obj.data.name = names
        scene.collection.objects.link(obj)
    progress = Progress(print_event, f"Writing {plan['shown']}", last - first + 1)
    bpy.app.handlers.frame_change_post.append(
        lambda scene, *_: progress.at(min(scene.frame_current, last) - first + 1)
    )
    named = [name_in_file(obj.name) for obj in objects]
    export_scene(path, first, last)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path)
    found = {
        modifier.object_path.split("/")[-2]: modifier.object_path
        for obj in bpy.data.objects
        for modifier in obj.modifiers
        if isinstance(modifier, bpy.types.MeshSequenceCacheModifier)
    }
    return [found.get(name, "") for name in named]
