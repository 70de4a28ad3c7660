"""A PC2 file shown by Blender's Mesh Cache modifier in the place of the physics."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import bpy

from .modifier_stack import CACHE as MODIFIER
from .modifier_stack import CACHE_BLENDED as BLENDED
from .modifier_stack import beside_the_blend, physics_place, restore_physics, switch_off_physics
from .sequence_cache import find_sequence, remove_sequence


def show_cache(obj: bpy.types.Object, path: Path, first: int, rate: float = 1.0) -> None:
    """Show a PC2 file instead of the physics, its first frame at the scene's frame `first`.

    rate: frames of the file per frame of the scene.
    """
    remove_cache(obj)
    place = physics_place(obj)
    modifier = cast(bpy.types.MeshCacheModifier, obj.modifiers.new(MODIFIER, "MESH_CACHE"))
    modifier.cache_format, modifier.filepath = "PC2", beside_the_blend(path)
    # Blender shows the file's frame number frame_scale * (scene's frame) - frame_start.
    modifier.frame_scale, modifier.frame_start = rate, rate * first
    obj.modifiers.move(len(obj.modifiers) - 1, place)
    switch_off_physics(obj)


def blend_in(obj: bpy.types.Object, path: Path) -> bpy.types.MeshCacheModifier:
    """Let a second PC2 file be blended over what `show_cache` shows, by the modifier's factor, 0 so far.

    The two files have the same frames.
    """
    shown = find_cache(obj)
    assert shown is not None  # `show_cache` comes first
    modifier = cast(bpy.types.MeshCacheModifier, obj.modifiers.new(BLENDED, "MESH_CACHE"))
    modifier.cache_format, modifier.filepath, modifier.factor = "PC2", beside_the_blend(path), 0.0
    modifier.frame_scale, modifier.frame_start = shown.frame_scale, shown.frame_start
    obj.modifiers.move(len(obj.modifiers) - 1, obj.modifiers.find(MODIFIER) + 1)
    return modifier


def find_blend(obj: bpy.types.Object) -> bpy.types.MeshCacheModifier | None:
    """The modifier that `blend_in` made, if it is there."""
    modifier = obj.modifiers.get(BLENDED)
    return modifier if isinstance(modifier, bpy.types.MeshCacheModifier) else None


def find_cache(obj: bpy.types.Object) -> bpy.types.MeshCacheModifier | None:
    """The modifier that `show_cache` made, if it is there."""
    modifier = obj.modifiers.get(MODIFIER)
    return modifier if isinstance(modifier, bpy.types.MeshCacheModifier) else None


def shown_file(obj: bpy.types.Object) -> str:
    """The file that is shown in the place of the physics, as it is named in the scene; "" if none is."""
    cache, sequence = find_cache(obj), find_sequence(obj)
    if cache is not None:
        return cache.filepath
    return sequence.cache_file.filepath if sequence is not None and sequence.cache_file is not None else ""


def remove_cache(obj: bpy.types.Object) -> None:
    """Take away what shows a file and switch the physics on again; the file stays."""
    remove_sequence(obj)
    modifier = find_cache(obj)
    if modifier is not None:
        obj.modifiers.remove(modifier)
        restore_physics(obj)
