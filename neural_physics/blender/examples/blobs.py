"""Shapes melted together from balls, as Blender's metaballs do."""

from __future__ import annotations

from collections.abc import Sequence

import bmesh
import bpy

from .stage import Point

Ball = tuple[Point, float]  # centre and radius, metres
STIFFNESS = 2.0  # how soon neighbouring balls melt together
THRESHOLD = 0.6
SMOOTHINGS = 3


def melted(balls: Sequence[Ball], resolution: float) -> bmesh.types.BMesh:
    """A closed surface around balls; resolution, m: the size of its faces."""
    data = bpy.data.metaballs.new("Blob")
    data.resolution, data.threshold = resolution, THRESHOLD
    for centre, radius in balls:
        element = data.elements.new()
        # With this reach the surface of a ball that stands alone is where its radius says.
        element.co, element.stiffness = centre, STIFFNESS
        element.radius = radius / (1.0 - (THRESHOLD / STIFFNESS) ** (1.0 / 3.0)) ** 0.5
    obj = bpy.data.objects.new("Blob", data)
    scene = bpy.context.scene
    assert scene is not None  # an example is being added to it
    scene.collection.objects.link(obj)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shape = bmesh.new()
    shape.from_mesh(evaluated.to_mesh())
    evaluated.to_mesh_clear()
    bpy.data.objects.remove(obj)
    bpy.data.metaballs.remove(data)
    bmesh.ops.triangulate(shape, faces=list(shape.faces))
    bmesh.ops.remove_doubles(shape, verts=list(shape.verts), dist=0.25 * resolution)
    for _ in range(SMOOTHINGS):  # metaballs leave slivers, which show as dark spots
        bmesh.ops.smooth_vert(
            shape, verts=list(shape.verts), factor=0.5, use_axis_x=True, use_axis_y=True, use_axis_z=True
        )
    bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))
    return shape
