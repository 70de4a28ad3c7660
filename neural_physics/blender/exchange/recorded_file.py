"""What was recorded as a .blend of its own, which another Blender opens: nothing of the artist's scene in it
but meshes and materials.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...arrays import Doubles
from ...datasets.point_caches import PC2_HEADER, pc2_size
from ...errors import Problem
from ..scene.animation.keying import Span, key_frames
from .recording import Recorded, Sampling

NUMBER = "number"  # the property that says which of the recorded objects one is
NO_SHEAR = 1e-6  # of a matrix's largest entry: how far location, rotation and scale may be from it


def write_recorded(recorded: Sequence[Recorded], sampling: Sampling, fps: float, path: Path) -> None:
    """Write objects, each with its `NUMBER`, that move as was recorded, one sample at each frame of a scene.

    The first sample is at frame `sampling.first * sampling.samples`. Raises Problem("disk_full" |
    "folder_not_writable").
    """
    made: list[bpy.types.Object] = []
    try:
        for number, one in enumerate(recorded):
            obj = bpy.data.objects.new("Recorded", one.mesh)
            obj[NUMBER] = number  # whatever it is called
            made.append(obj)
            _move(obj, one, Span(sampling.first * sampling.samples, len(one.worlds), fps))
            modifier = cast(bpy.types.MeshCacheModifier, obj.modifiers.new("Shapes", "MESH_CACHE"))
            modifier.cache_format, modifier.filepath = "PC2", str(one.shapes)
            modifier.frame_start = sampling.first * sampling.samples
        bpy.data.libraries.write(str(path), cast(Any, set(made)), path_remap="ABSOLUTE", compress=False)
    except (RuntimeError, OSError) as error:
        if os.strerror(errno.ENOSPC) in str(error):  # Blender reports a full disk in words only
            raise Problem("disk_full", path=path.parent) from error
        raise Problem("folder_not_writable", path=path.parent, reason=str(error).strip()) from error
    finally:
        for obj in made:
            action = obj.animation_data.action if obj.animation_data else None
            bpy.data.objects.remove(obj)
            if action is not None:
                bpy.data.actions.remove(action)


def _move(obj: bpy.types.Object, one: Recorded, span: Span) -> None:
    """Key where an object was, if it moved. What location, rotation and scale cannot say, its shapes do."""
    worlds = np.array(one.worlds)
    parts = [Matrix(world.tolist()).decompose() for world in worlds]
    again = np.array([Matrix.LocRotScale(*each) for each in parts])
    if np.abs(again - worlds).max() > NO_SHEAR * max(1.0, float(np.abs(worlds).max())):
        _carry(one.shapes, worlds)
        one.mesh.transform(Matrix(worlds[0].tolist()))
        return
    locations, turns, scales = zip(*parts, strict=True)
    obj.rotation_mode = "QUATERNION"
    values = {"location": locations, "rotation_quaternion": _unbroken(turns), "scale": scales}
    if (worlds == worlds[0]).all():
        for name, rows in values.items():
            setattr(obj, name, rows[0])
        return
    for name, rows in values.items():
        key_frames(obj, name, np.array(rows, np.float64), span)


def _unbroken(turns: Sequence[Quaternion]) -> list[Quaternion]:
    """The same rotations, each on the side of the one before."""
    found = [turns[0]]
    for turn in turns[1:]:
        turn.make_compatible(found[-1])
        found.append(turn)
    return found


def _carry(shapes: Path, worlds: Doubles) -> None:
    """Bring a PC2 file's frames (n, V, 3) from an object's axes to the world's, in place."""
    frames, vertices = pc2_size(shapes)
    stored = np.memmap(shapes, "<f4", "r+", PC2_HEADER.size, (frames, vertices, 3))
    for frame, world in zip(stored, worlds, strict=True):
        frame[:] = frame @ world[:3, :3].T + world[:3, 3]
    stored.flush()
