"""The modifier that shows what a model predicts: Set Position from a named attribute.

It leaves the artist's coordinates untouched, travels with the .blend, and without the extension goes
on showing the last pose. The attribute is one of the mesh, or of another object's mesh.
"""

from __future__ import annotations

import re
from typing import Any, Literal, cast

import bpy
import numpy as np

from ....arrays import Floats
from ....errors import Problem
from ...scene.modifiers.modifier_stack import PLAY_GROUPS, is_inherited
from ...settings.from_files.readable_names import readable_name

ATTRIBUTE = "neural_physics_position"
MODIFIER = "Neural Physics"
# One group for all objects. Its version is in its name: a file made by another version keeps its own.
GROUP = f"{PLAY_GROUPS} 1"
PLACED_GROUP = f"{PLAY_GROUPS} from Object 1"
_made: dict[str, int] = {}  # the session_uid of the group that was made here last, by its name
HIDDEN = ", Hidden in Viewports"
PLACE = "Positions"  # the input of the second one


def find_modifier(obj: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """The modifier that `add_modifier` made, whatever it is called now."""
    for modifier in obj.modifiers:
        if isinstance(modifier, bpy.types.NodesModifier):
            group = modifier.node_group
            if group is not None and readable_name(group).startswith(PLAY_GROUPS):
                return modifier
    return None


def add_modifier(obj: bpy.types.Object, place: int) -> bpy.types.NodesModifier:
    """Put the modifier at a place in the stack, counted from 0, or switch on the one that is there."""
    there = find_modifier(obj)
    if there is not None:
        group = there.node_group
        if group is None or _made.get(_meant(group)) != group.session_uid:  # a file may call anything so
            read = place_in(there)
            there.node_group = _group(GROUP if read is None else PLACED_GROUP)
            if read is not None:
                _set_input(there, read)
            _remove_unused(group)
            there.node_group.name = _meant(there.node_group)  # which is free again with the last of theirs
        there.show_viewport = there.show_render = True
        return there
    modifier = cast(bpy.types.NodesModifier, obj.modifiers.new(MODIFIER, "NODES"))
    modifier.node_group = _group(GROUP)
    modifier.show_in_editmode = False
    obj.modifiers.move(len(obj.modifiers) - 1, place)
    return modifier


def remove_modifier(obj: bpy.types.Object) -> None:
    """Take the modifier away, and the group with the last of them; one that a library has is switched off."""
    modifier = find_modifier(obj)
    if modifier is None:
        return
    if is_inherited(obj, modifier):
        modifier.show_viewport = modifier.show_render = False
        return
    group = modifier.node_group
    obj.modifiers.remove(modifier)
    _remove_unused(group)


def place_in(modifier: bpy.types.NodesModifier) -> bpy.types.Object | None:
    """The other object whose mesh the modifier reads; None where it reads its own."""
    name = _place_input(modifier)
    if not name:
        return None
    inputs = getattr(modifier, "properties", None)  # Blender 5 has them apart
    found = cast(Any, modifier).get(name) if inputs is None else getattr(inputs.inputs, name).value
    return found if isinstance(found, bpy.types.Object) and found.type == "MESH" else None


def set_place(modifier: bpy.types.NodesModifier, place: bpy.types.Object) -> None:
    """Let the modifier read the mesh of another object."""
    group = modifier.node_group
    hidden = HIDDEN if group is not None and _meant(group).endswith(HIDDEN) else ""
    modifier.node_group = _group(PLACED_GROUP + hidden)
    _remove_unused(group)
    _set_input(modifier, place)


def forget_place(modifier: bpy.types.NodesModifier) -> None:
    """Let the modifier read nothing, if it reads the mesh of another object: then the rest shape shows."""
    _set_input(modifier, None)


def _remove_unused(group: bpy.types.NodeTree | None) -> None:
    if group is not None and group.users == 0 and group.library is None:
        bpy.data.node_groups.remove(group)


def _set_input(modifier: bpy.types.NodesModifier, place: bpy.types.Object | None) -> None:
    name, properties = _place_input(modifier), getattr(modifier, "properties", None)
    if name and properties is None:
        cast(Any, modifier)[name] = place
    elif name and properties is not None:
        getattr(properties.inputs, name).value = place
    cast(bpy.types.Object, modifier.id_data).update_tag()


def _place_input(modifier: bpy.types.NodesModifier) -> str:
    """What the input of a modifier of `PLACED_GROUP` is called, "" for one of another group."""
    group = modifier.node_group
    if group is None or group.interface is None or not readable_name(group).startswith(PLACED_GROUP):
        return ""
    items: Any = group.interface.items_tree  # panels among them
    wanted = ("INPUT", "NodeSocketObject", PLACE)
    sockets = [item for item in items if item.item_type == "SOCKET"]
    found = (each for each in sockets if (each.in_out, each.socket_type, each.name) == wanted)
    return str(next((each.identifier for each in found), ""))


def show_in_viewports(obj: bpy.types.Object, shown: bool) -> None:
    """Whether viewports show the mesh, or something else draws in its place; renders always show it.

    Harmless where there is no modifier of `add_modifier`.
    """
    modifier = find_modifier(obj)
    if modifier is None:
        return
    place = place_in(modifier)
    wanted = (GROUP if place is None else PLACED_GROUP) + ("" if shown else HIDDEN)
    if modifier.node_group is None or _meant(modifier.node_group) != wanted:
        modifier.node_group = _group(wanted)
        if place is not None:
            set_place(modifier, place)


def write_positions(mesh: bpy.types.Mesh, positions: Floats) -> None:
    """Set the attribute that the modifier reads: (V, 3) float32, metres, in the object's axes."""
    layer = mesh.attributes.get(ATTRIBUTE)
    if not isinstance(layer, bpy.types.FloatVectorAttribute) or layer.domain != "POINT":
        if layer is not None:
            mesh.attributes.remove(layer)
        layer = cast(bpy.types.FloatVectorAttribute, new_layer(mesh, ATTRIBUTE, "FLOAT_VECTOR"))
    layer.data.foreach_set("vector", positions.reshape(-1))
    mesh.update_tag()


def new_layer(mesh: bpy.types.Mesh, name: str, kind: Literal["FLOAT", "FLOAT_VECTOR"]) -> bpy.types.Attribute:
    """A new attribute of vertices. Raises Problem("layer_name_taken") where a vertex group is called so."""
    layer = cast(bpy.types.Attribute | None, mesh.attributes.new(name, kind, "POINT"))
    if layer is None or layer.name != name:  # Blender 4.5 makes none, 5 gives it another name
        if layer is not None:
            mesh.attributes.remove(layer)
        raise Problem("layer_name_taken", object=mesh.name, group=name)
    return layer


def has_positions(mesh: bpy.types.Mesh) -> bool:
    """Whether there is anything for the modifier to read."""
    layer = mesh.attributes.get(ATTRIBUTE)
    return isinstance(layer, bpy.types.FloatVectorAttribute) and layer.domain == "POINT"


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
    """The node group of that name that was made in this Blender, or a new one.

    None that came with a file is taken, however alike: Blender evaluates whatever it names anywhere.
    """
    there = (each for each in bpy.data.node_groups if each.session_uid == _made.get(name))
    found = next(there, None) or _make_group(name)
    _made[name] = found.session_uid
    return found


def _meant(group: bpy.types.NodeTree) -> str:
    """The name that a group was given: Blender adds a number where another one has it."""
    return re.sub(r"\.\d{3,}$", "", readable_name(group))


def _make_group(name: str) -> bpy.types.NodeTree:
    group = new_group(name)
    nodes, links = group.nodes, group.links
    enter, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    predicted = nodes.new("GeometryNodeInputNamedAttribute")
    predicted.data_type = "FLOAT_VECTOR"  # type: ignore[attr-defined]
    predicted.inputs["Name"].default_value = ATTRIBUTE  # type: ignore[attr-defined]
    move = nodes.new("GeometryNodeSetPosition")
    row = [enter, predicted, move, leave]
    position, exists = predicted.outputs["Attribute"], predicted.outputs["Exists"]
    if name.startswith(PLACED_GROUP):
        assert group.interface is not None  # only embedded trees lack one
        group.interface.new_socket(PLACE, in_out="INPUT", socket_type="NodeSocketObject")
        place, index = nodes.new("GeometryNodeObjectInfo"), nodes.new("GeometryNodeInputIndex")
        links.new(enter.outputs[PLACE], place.inputs["Object"])
        taken = []
        for kind, value in (("FLOAT_VECTOR", position), ("BOOLEAN", exists)):
            take = nodes.new("GeometryNodeSampleIndex")
            take.data_type, take.domain = kind, "POINT"  # type: ignore[attr-defined]
            links.new(place.outputs["Geometry"], take.inputs["Geometry"])
            links.new(value, take.inputs["Value"])
            links.new(index.outputs["Index"], take.inputs["Index"])
            taken.append(take)
        position, exists = (take.outputs["Value"] for take in taken)
        row[1:1] = [place, index]
        row[-2:-2] = taken
    links.new(enter.outputs["Geometry"], move.inputs["Geometry"])
    links.new(position, move.inputs["Position"])
    # Without the attribute its value is zero: the mesh would collapse to the origin.
    links.new(exists, move.inputs["Selection"])
    if name.endswith(HIDDEN):
        in_viewport, hide = nodes.new("GeometryNodeIsViewport"), nodes.new("GeometryNodeSwitch")
        hide.input_type = "GEOMETRY"  # type: ignore[attr-defined]
        row[-1:-1] = [in_viewport, hide]
        links.new(in_viewport.outputs["Is Viewport"], hide.inputs["Switch"])
        links.new(move.outputs["Geometry"], hide.inputs["False"])
        links.new(hide.outputs["Output"], leave.inputs["Geometry"])
    else:
        links.new(move.outputs["Geometry"], leave.inputs["Geometry"])
    for column, node in enumerate(row):
        node.location = (200.0 * column, 0.0)
    return group
