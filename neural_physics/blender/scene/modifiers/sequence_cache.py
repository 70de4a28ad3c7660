"""An Alembic or USD file shown by Blender's Mesh Sequence Cache in the place of the physics.

The file holds the shape after all modifiers, so the modifier stands last.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import bpy

from .modifier_stack import SEQUENCE as MODIFIER
from .modifier_stack import beside_the_blend, restore_physics, switch_off_physics


def show_sequence(obj: bpy.types.Object, path: Path, place: str, samples: int = 1) -> None:
    """Show what a file has of an object instead of the physics.

    place: where in the file it is. samples: of the file's frames for each of the scene.
    """
    remove_sequence(obj)
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=str(path))
    (file,) = set(bpy.data.cache_files) - before
    file.filepath = beside_the_blend(path)
    file.user_clear()  # the operator counts one that there is not
    if samples > 1:
        _speed_up(file, samples)
    modifier = cast(bpy.types.MeshSequenceCacheModifier, obj.modifiers.new(MODIFIER, "MESH_SEQUENCE_CACHE"))
    modifier.cache_file, modifier.object_path, modifier.read_data = file, place, {"VERT"}
    modifier.use_vertex_interpolation = True
    switch_off_physics(obj)


def find_sequence(obj: bpy.types.Object) -> bpy.types.MeshSequenceCacheModifier | None:
    """The modifier that `show_sequence` made, if it is there."""
    modifier = obj.modifiers.get(MODIFIER)
    return modifier if isinstance(modifier, bpy.types.MeshSequenceCacheModifier) else None


def remove_sequence(obj: bpy.types.Object) -> None:
    """Take the modifier away and switch the physics on again; the file stays."""
    modifier = find_sequence(obj)
    if modifier is None:
        return
    file = modifier.cache_file
    obj.modifiers.remove(modifier)
    if file is not None and file.users == 0 and file.library is None:
        action = file.animation_data.action if file.animation_data else None
        own = action is not None and action.users == 1
        bpy.data.batch_remove(ids=[file, action] if own else [file])
    restore_physics(obj)


def _speed_up(file: bpy.types.CacheFile, samples: int) -> None:
    """Let it play so many of its frames in each of the scene's: a straight line that goes on for ever."""
    file.override_frame = True
    for frame in (0, 1):
        file.frame = float(samples * frame)
        file.keyframe_insert("frame", frame=frame)
    action = file.animation_data.action if file.animation_data else None
    assert action is not None  # it has just been keyed
    for layer in action.layers:
        for strip in layer.strips:
            for bag in getattr(strip, "channelbags", ()):
                for curve in bag.fcurves:
                    curve.extrapolation = "LINEAR"
                    for point in curve.keyframe_points:
                        point.interpolation = "LINEAR"
