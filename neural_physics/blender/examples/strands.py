"""Strands of edges, shown with a thickness: edges alone are not rendered."""

from __future__ import annotations

from typing import Any, cast

import bpy

GROUP = "Neural Physics Strands"


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
