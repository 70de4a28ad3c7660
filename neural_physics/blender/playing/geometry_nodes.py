"""The modifier that shows what a model predicts: Set Position from a named attribute of the mesh.

It leaves the artist's coordinates untouched, travels with the .blend, and without the extension goes
on showing the last pose.
"""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np

from ...arrays import Floats

ATTRIBUTE = "neural_physics_position"
MODIFIER = "Neural Physics"
# One group for all objects. Its version is in its name: a file made by another version keeps its own.
GROUP_STEM = "Neural Physics Play"
GROUP = f"{GROUP_STEM} 1"
HIDING_GROUP = f"{GROUP_STEM} 1, Hidden in Viewports"


def find_modifier(obj: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """The modifier that `add_modifier` made, whatever it is called now."""
    for modifier in obj.modifiers:
        if isinstance(modifier, bpy.types.NodesModifier):
            group = modifier.node_group
            if group is not None and group.name.startswith(GROUP_STEM):
                return modifier
    return None


def add_modifier(obj: bpy.types.Object, place: int) -> bpy.types.NodesModifier:
    """Put the modifier at a place in the stack, counted from 0."""
    modifier = cast(bpy.types.NodesModifier, obj.modifiers.new(MODIFIER, "NODES"))
    modifier.node_group = _group(GROUP)
    modifier.show_in_editmode = False
    obj.modifiers.move(len(obj.modifiers) - 1, place)
    return modifier


def remove_modifier(obj: bpy.types.Object) -> None:
    """Take the modifier away, and the group with the last of them."""
    modifier = find_modifier(obj)
    if modifier is None:
        return
    group = modifier.node_group
    obj.modifiers.remove(modifier)
    if group is not None and group.users == 0:
        bpy.data.node_groups.remove(group)


def show_in_viewports(obj: bpy.types.Object, shown: bool) -> None:
    """Whether viewports show the mesh, or something else draws in its place; renders always show it.

    Harmless where there is no modifier of `add_modifier`.
    """
    modifier = find_modifier(obj)
    if modifier is None:
        return
    wanted = GROUP if shown else HIDING_GROUP
    if modifier.node_group is None or modifier.node_group.name != wanted:
        modifier.node_group = _group(wanted)


def write_positions(mesh: bpy.types.Mesh, positions: Floats) -> None:
    """Set the attribute that the modifier reads: (V, 3) float32, metres, in the object's axes."""
    layer = mesh.attributes.get(ATTRIBUTE)
    if not isinstance(layer, bpy.types.FloatVectorAttribute) or layer.domain != "POINT":
        if layer is not None:
            mesh.attributes.remove(layer)
        layer = cast(bpy.types.FloatVectorAttribute, mesh.attributes.new(ATTRIBUTE, "FLOAT_VECTOR", "POINT"))
    layer.data.foreach_set("vector", positions.reshape(-1))
    mesh.update_tag()


def has_positions(mesh: bpy.types.Mesh) -> bool:
    """Whether there is anything for the modifier to read."""
    return ATTRIBUTE in mesh.attributes


def read_positions(mesh: bpy.types.Mesh) -> Floats:
    """What `write_positions` wrote last."""
    positions = np.empty((len(mesh.vertices), 3), "<f4")
    layer = cast(bpy.types.FloatVectorAttribute, mesh.attributes[ATTRIBUTE])
    layer.data.foreach_get("vector", positions.reshape(-1))
    return positions


def remove_positions(mesh: bpy.types.Mesh) -> None:
    """Take the attribute away; where a modifier is left, the rest shape shows."""
    layer = mesh.attributes.get(ATTRIBUTE)
    if layer is not None:
        mesh.attributes.remove(layer)


def new_group(name: str) -> bpy.types.NodeTree:
    """A node group with geometry going in and coming out, and nothing in between yet."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    assert group.interface is not None  # only embedded trees lack one
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    return group


def _group(name: str) -> bpy.types.NodeTree:
    """The shared node group of this file (not one linked from another), made where it is missing."""
    for group in bpy.data.node_groups:
        if group.name == name and group.library is None:
            return group
    return _make_group(name)


def _make_group(name: str) -> bpy.types.NodeTree:
    group = new_group(name)
    nodes, links = group.nodes, group.links
    enter, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    predicted = nodes.new("GeometryNodeInputNamedAttribute")
    predicted.data_type = "FLOAT_VECTOR"  # type: ignore[attr-defined]
    predicted.inputs["Name"].default_value = ATTRIBUTE  # type: ignore[attr-defined]
    move = nodes.new("GeometryNodeSetPosition")
    row = [enter, predicted, move, leave]
    links.new(enter.outputs["Geometry"], move.inputs["Geometry"])
    links.new(predicted.outputs["Attribute"], move.inputs["Position"])
    # Without the attribute its value is zero: the mesh would collapse to the origin.
    links.new(predicted.outputs["Exists"], move.inputs["Selection"])
    if name == HIDING_GROUP:
        in_viewport, hide = nodes.new("GeometryNodeIsViewport"), nodes.new("GeometryNodeSwitch")
        hide.input_type = "GEOMETRY"  # type: ignore[attr-defined]
        row[3:3] = [in_viewport, hide]
        links.new(in_viewport.outputs["Is Viewport"], hide.inputs["Switch"])
        links.new(move.outputs["Geometry"], hide.inputs["False"])
        links.new(hide.outputs["Output"], leave.inputs["Geometry"])
    else:
        links.new(move.outputs["Geometry"], leave.inputs["Geometry"])
    for column, node in enumerate(row):
        node.location = (200.0 * column, 0.0)
    return group
