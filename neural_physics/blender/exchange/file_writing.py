"""What the other Blender does to write a file: it has the recorded objects alone, and exports them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import bpy

from ...datasets.point_caches import read_pc2
from ...jobs.events import Progress, StopRequest, print_event
from ...models.shape_keys import Blend
from ..scene.animation.keying import Span, key_frames
from .exporters import export_scene, import_scene, name_in_file
from .formats import format_of
from .keyed_shapes import blend_of, give_keys, said
from .plain_meshes import name_materials
from .recorded_file import NUMBER
from .tapes import Tape
from .textures.texture_writing import write_texture


def write_file(plan: Mapping[str, Any], stop: StopRequest) -> dict[str, Any]:
    """Export; what there is to say.

    `paths`, where the file is to be shown: of each object, where it is in it, for which that is read again;
    "" for what does not move.

    Raises Problem("export_failed"), and what `blend_of` and `write_texture` do.
    """
    path, first, last = Path(plan["path"]), plan["first"], plan["last"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = cast(bpy.types.Scene, bpy.context.scene)
    scene.frame_start, scene.frame_end = first, last
    scene.render.fps, scene.render.fps_base = plan["fps"], plan["fps_base"]
    loading: Any = bpy.data.libraries.load(plan["recorded"], link=False)
    with loading as (there, wanted):
        wanted.objects = list(there.objects)
    objects = sorted((obj for obj in wanted.objects if NUMBER in obj), key=lambda obj: obj[NUMBER])
    for obj, names, materials in zip(objects, plan["names"], plan["materials"], strict=True):
        obj.name, obj.data.name = names
        name_materials(obj.data, materials)
        scene.collection.objects.link(obj)
    progress = Progress(print_event, f"Writing {plan['name']}", last - first + 1)
    files = zip(plan["shapes"], plan["places"], strict=True)
    tapes = [Tape(Path(shapes), Path(places), stop) for shapes, places in files]
    if format_of(path) == "TEXTURE":
        return write_texture(plan, objects[0], tapes[0])
    if format_of(path) == "GLTF":
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        span = Span(first, last - first + 1, plan["fps"])
        pairs = zip(objects, tapes, strict=True)
        blends = [_as_keys(obj, tape, span, plan["error"]) for obj, tape in pairs]
        export_scene(path, first, last)
        return {"paths": [], "said": said(blends)}

    def follow(scene: bpy.types.Scene, *_: object) -> None:
        index = min(max(scene.frame_current, first), last) - first
        for obj, tape in zip(objects, tapes, strict=True):
            obj.location, obj.rotation_quaternion, obj.scale = tape.place(index)
        progress.at(index + 1)

    bpy.app.handlers.frame_change_pre.append(follow)
    named = [name_in_file(obj.name) for obj in objects]
    export_scene(path, first, last)
    if not plan["show"]:
        return {"paths": [], "said": ""}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path)
    found = {
        modifier.object_path.split("/")[-2]: modifier.object_path
        for obj in bpy.data.objects
        for modifier in obj.modifiers
        if isinstance(modifier, bpy.types.MeshSequenceCacheModifier)
    }
    return {"paths": [found.get(name, "") for name in named], "said": ""}


def _as_keys(obj: bpy.types.Object, tape: Tape, span: Span, error: float) -> Blend:
    """Shape keys in place of the modifier that shows what was recorded, and keys of where it was."""
    places = tape.places(span.count)
    obj.modifiers.clear()
    obj.animation_data_clear()
    key_frames(obj, "location", places[:, :3], span)
    key_frames(obj, "rotation_quaternion", places[:, 3:7], span)
    key_frames(obj, "scale", places[:, 7:], span)
    blend = blend_of(obj.name, read_pc2(tape.shapes), error)
    give_keys(obj, blend, span)
    return blend
