"""What is recorded as a .blend of its own, for another Blender.

Nothing of the artist's scene is in it but meshes, and the names and colours of their materials.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import bpy
import numpy as np

from ..scene.animation.keying import Span, key_frames
from ..scene.saving import save_apart
from .plain_meshes import plain_materials
from .recording import Recorded

NUMBER = "number"  # the property that says which of the recorded objects one is
MOVES = "moves"  # the property whose keys let exporters see that an object moves


def write_recorded(recorded: Sequence[Recorded], first: int, path: Path) -> list[list[str]]:
    """Write objects, each with its `NUMBER`, that show their shapes, the first of them at frame `first`.

    They look as if they were keyed, and where they are is to be set in each frame. Returns the names of their
    materials. Raises what `save_apart` does.
    """
    made: list[bpy.types.Object] = []
    try:
        for number, one in enumerate(recorded):
            obj = bpy.data.objects.new("Recorded", one.mesh)
            made.append(obj)
            obj.rotation_mode = "QUATERNION"
            obj[NUMBER] = number
            show_shapes(obj, one.shapes, first)
        with plain_materials([one.mesh for one in recorded]) as names:
            save_apart(made, path)
        return names
    finally:
        actions = [obj.animation_data.action for obj in made if obj.animation_data]
        bpy.data.batch_remove(ids=[*made, *(action for action in actions if action is not None)])


def show_shapes(obj: bpy.types.Object, shapes: Path, first: int) -> None:
    """Let an object show a PC2 file, beginning at frame `first`; exporters see that it moves."""
    obj[MOVES] = 0.0
    key_frames(obj, f'["{MOVES}"]', np.array([[0.0], [1.0]]), Span(first, 2, 1.0))
    modifier = cast(bpy.types.MeshCacheModifier, obj.modifiers.new("Shapes", "MESH_CACHE"))
    modifier.cache_format, modifier.filepath = "PC2", str(shapes)
    modifier.frame_start = first
