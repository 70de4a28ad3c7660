"""The frame rate of a scene, as the artist sets it under Output."""

from __future__ import annotations

from math import isfinite

import bpy

from ...errors import Problem


def frame_rate_of(scene: bpy.types.Scene) -> float:
    """Frames per second. Raises Problem("frame_rate_missing").

    Blender lets nobody set a base of 0, but keeps the one that a file says.
    """
    rate, base = scene.render.fps, scene.render.fps_base
    if not (rate > 0 and base > 0.0 and isfinite(base)):
        raise Problem("frame_rate_missing", scene=scene.name)
    return rate / base
