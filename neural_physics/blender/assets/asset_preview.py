"""What the asset browser shows of a model asset: its object, as it looks now.

Blender would render it in a thread, while clicks and scripts go on changing the data that it reads: of 300
scripts that marked two assets, 4 ended Blender 4.5.
"""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from mathutils import Color

from ...pictures.shapes import Colour, camera_for, shape_picture
from ..scene.sources import read_positions, triangle_count, triangles_of

SIDE = 256  # pixels, of the square that Blender renders, too
MOST_TRIANGLES = 1_000_000  # with more, the mesh before its modifiers is shown
CLAY = (0.365, 0.584, 0.847)  # where no material says a colour


def draw_preview(group: bpy.types.NodeTree, obj: bpy.types.Object) -> None:
    """Paint an object (a mesh) as the preview of a group; what has no faces is left without one."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = cast(bpy.types.Mesh, evaluated.data)
    if triangle_count(mesh) > MOST_TRIANGLES:
        mesh = cast(bpy.types.Mesh, obj.data)
    triangles = triangles_of(mesh)
    triangles = triangles[:: 1 + len(triangles) // MOST_TRIANGLES]
    world = np.array(evaluated.matrix_world)  # float64: however large both are, so is no sum of them
    positions = read_positions(mesh).astype(float)
    if not len(triangles) or not np.isfinite(positions).all():
        return
    # About their middle: far from the world's, what is small would be lost in rounding.
    positions = (positions - (positions.min(0) + positions.max(0)) / 2) @ world[:3, :3].T
    if not np.isfinite(positions).all() or not np.ptp(positions, axis=0).any():
        return
    camera = camera_for((0.0, 0.0, -1.0), positions, positions)
    pixels = shape_picture(camera, triangles, positions, SIDE, height=SIDE, colour=_colour(evaluated))
    preview = group.preview_ensure()
    preview.image_size = SIDE, SIDE
    # Blender's rows go up.
    preview.image_pixels_float = (pixels[::-1] / 255.0).ravel().tolist()


def _colour(obj: bpy.types.Object) -> Colour:
    material = obj.active_material
    if material is None:
        return CLAY
    shown = Color(material.diffuse_color[:3]).from_scene_linear_to_srgb()
    colour = shown.r, shown.g, shown.b
    return colour if np.isfinite(colour).all() else CLAY
