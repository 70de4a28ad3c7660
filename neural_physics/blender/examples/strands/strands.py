"""Strands of edges, shown with a thickness: edges alone are not rendered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import bmesh
import bpy
from mathutils import Vector

from ...settings.simulation import NEURALPHYSICS_PG_simulation
from ..parts import hang_on, simulate_as

GROUP = "Neural Physics Strands"
HELD = 2  # vertices of each strand that sit in what carries it, which is what gives it its direction
# Woollen yarn rather than hair, to be seen: metres, Pa, Pa, kg/m^3.
YARN = {"radius": 6e-3, "young": 5e5, "shear": 2e5, "density": 300.0}


def straight_strands(roots: Sequence[tuple[Vector, Vector]], length: float, edges: int) -> bmesh.types.BMesh:
    """Strands that stand out of a surface; roots: a point of it, and the direction out of it, for each.

    Of each strand's edges the first is below the surface, the others are `length` metres long in all.
    """
    shape = bmesh.new()
    step = length / (edges - 1)
    for root, direction in roots:
        out = direction.normalized()
        points = [shape.verts.new(root + step * (k - 1) * out) for k in range(edges + 1)]
        for lower, upper in pairwise(points):
            shape.edges.new((lower, upper))
    return shape


def simulate_as_yarn(
    hair: bpy.types.Object, carrier: bpy.types.Object, edges: int
) -> NEURALPHYSICS_PG_simulation:
    """Let the bundled solver simulate strands of so many edges, which sit in their carrier."""
    count = len(cast(bpy.types.Mesh, hair.data).vertices)
    hang_on(hair, carrier, [root + k for root in range(0, count, edges + 1) for k in range(HELD)])
    simulation = simulate_as(hair, "ROD", "hair")
    for quantity, value in YARN.items():
        setattr(simulation, quantity, value)
    show_thick(hair, YARN["radius"])
    return simulation


def show_thick(obj: bpy.types.Object, radius: float) -> None:
    """Show an object's edges as round strands, with a Geometry Nodes modifier at the end of its stack.

    radius: metres.
    """
    modifier = cast(bpy.types.NodesModifier, obj.modifiers.new("Strands", "NODES"))
    modifier.node_group = _group(radius, obj.active_material)


def _group(radius: float, material: bpy.types.Material | None) -> bpy.types.NodeTree:
    group = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    assert group.interface is not None  # only embedded trees lack one
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes, links = group.nodes, group.links
    enter, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    curves, circle = nodes.new("GeometryNodeMeshToCurve"), nodes.new("GeometryNodeCurvePrimitiveCircle")
    tubes, paint = nodes.new("GeometryNodeCurveToMesh"), nodes.new("GeometryNodeSetMaterial")
    _set(circle, "Resolution", 6)
    _set(circle, "Radius", radius)
    _set(tubes, "Fill Caps", True)
    _set(paint, "Material", material)
    links.new(enter.outputs["Geometry"], curves.inputs["Mesh"])
    links.new(curves.outputs["Curve"], tubes.inputs["Curve"])
    links.new(circle.outputs["Curve"], tubes.inputs["Profile Curve"])
    links.new(tubes.outputs["Mesh"], paint.inputs["Geometry"])
    links.new(paint.outputs["Geometry"], leave.inputs["Geometry"])
    return group


def _set(node: bpy.types.Node, name: str, value: Any) -> None:  # noqa: ANN401 (as many types as sockets)
    setattr(node.inputs[name], "default_value", value)  # noqa: B010 (sockets are typed one by one)
