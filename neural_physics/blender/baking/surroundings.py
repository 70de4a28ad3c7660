"""What the evaluation wants to know of the scene a dataset was baked in: gravity, and balls."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...arrays import Doubles
from ...interaction.channels import ChannelLayout
from ..scene.sources import mesh_data, read_positions
from ..settings.properties import settings_of

ROUND = 0.05  # how much the distances of a ball's vertices from its origin may differ, of their mean


def gravity_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> tuple[float, float, float]:
    """The scene's gravity, m/s^2, in the axes of the object, or of the object or bone it is framed by."""
    if not scene.use_gravity:
        return 0.0, 0.0, 0.0
    x, y, z = (_world_from_frame(obj).to_3x3().inverted_safe() @ scene.gravity).to_tuple()
    return float(x), float(y), float(z)


def ball_radii(scene: bpy.types.Scene, obj: bpy.types.Object, layout: ChannelLayout) -> dict[str, float]:
    """Radii of the colliders that are balls about their origin, by channel, in the units of the frame."""
    scale = float(np.mean(frame_scale(obj)))
    radii: dict[str, float] = {}
    for channel in layout.channels:
        source = scene.objects.get(channel.source)
        if channel.kind == "position" and source is not None and _collides(source):
            size = np.array(source.matrix_world.to_scale().to_tuple())
            distances = np.linalg.norm(read_positions(mesh_data(source)) * size, axis=1)
            if distances.size and np.ptp(distances) <= ROUND * distances.mean():
                radii[channel.name] = float(distances.mean()) / max(scale, 1e-9)
    return radii


def frame_scale(obj: bpy.types.Object) -> Doubles:
    """(3,): metres of the world for each of the axes that positions and channels are given in."""
    return np.array(_world_from_frame(obj).to_scale().to_tuple())


def _world_from_frame(obj: bpy.types.Object) -> Matrix:
    """The matrix of the axes that positions and channels are given in; see `sampling.reference_frame_of`."""
    settings = settings_of(obj)
    frame = settings.frame_object or obj
    bone = frame.pose.bones.get(settings.frame_bone) if frame.pose else None
    return frame.matrix_world @ bone.matrix if bone else frame.matrix_world


def _collides(obj: bpy.types.Object) -> bool:
    return obj.type == "MESH" and any(modifier.type == "COLLISION" for modifier in obj.modifiers)
