"""Whether two node groups do the same: groups are found by their names, which anybody may give theirs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any

import bpy

MOST_COMPARED = 20  # groups of one name; a stranger's file may have any number


def first_alike(groups: Iterable[bpy.types.NodeTree], made: bpy.types.NodeTree) -> bpy.types.NodeTree | None:
    """The first of some groups with the same nodes, links and sockets, of the same values.

    None where none of the first twenty is alike; what is animated never is, nor what has a property or an
    input that names data: Blender evaluates those wherever the group is used.
    """
    wanted = _layout(made)
    # One of another size is told at once.
    of_size = (group for group in groups if len(group.nodes) == len(made.nodes) and not group.animation_data)
    some = (each for each in islice(of_size, MOST_COMPARED) if not _names_data(each))
    return next((each for each in some if _layout(each) == wanted), None)


def _names_data(group: bpy.types.NodeTree) -> bool:
    """Whether a property of it, or of what is in it, or an input that has a link, may name data."""
    sockets = [socket for node in group.nodes for socket in (*node.inputs, *node.outputs)]
    items: Any = () if group.interface is None else group.interface.items_tree
    values = [getattr(socket, "default_value", None) for socket in sockets]
    values += [value for each in (group, *group.nodes, *sockets, *items) for value in _stored(each)]
    return any(isinstance(value, bpy.types.ID) or hasattr(value, "keys") for value in values)


def _stored(owner: Any) -> list[object]:  # noqa: ANN401 (whatever of Blender's)
    """What was stored in it by its user, and by add-ons; lists as the first of what they hold."""
    system: Any = getattr(owner, "bl_system_properties_get", None)  # where Blender 5 keeps those of add-ons
    found: list[object] = []
    for group in (owner, system() if system else None):
        with suppress(TypeError):  # of what nothing can be stored in
            found += [] if group is None else group.values()
    return [value[0] if isinstance(value, list) and value else value for value in found]


def _layout(group: bpy.types.NodeTree) -> tuple[list[str], list[str], list[str]]:
    """Without names of nodes, which are in the language of whoever made them, and in no order."""
    # By their place in memory, for as long as this looks: names may be anything in a stranger's file.
    nodes = {node.as_pointer(): _node(node) for node in group.nodes}
    links = []
    for link in group.links:
        ends = [(link.from_node, link.from_socket), (link.to_node, link.to_socket)]
        joined = [
            (nodes[node.as_pointer()], _plain(socket, "identifier"))
            for node, socket in ends
            if node and socket
        ]
        links.append(repr((joined, link.is_muted)))
    items: Any = () if group.interface is None else group.interface.items_tree
    about = ("item_type", "in_out", "socket_type", "name", "default_value")
    sockets = [repr([_plain(item, each) for each in about]) for item in items]
    return sorted(nodes.values()), sorted(links), sockets


def _node(node: bpy.types.Node) -> str:
    """Its type, the settings that only this type has, and what its inputs are without links."""
    common = bpy.types.Node.bl_rna.properties.keys()
    own = [each for each in node.bl_rna.properties if each.identifier not in common and not each.is_readonly]
    settings = [(each.identifier, _plain(node, each.identifier)) for each in own]
    inputs = [socket for socket in node.inputs if not socket.is_linked]
    values = [(_plain(socket, "identifier"), _plain(socket, "default_value")) for socket in inputs]
    return repr((node.bl_idname, node.mute, settings, values))


def _plain(owner: bpy.types.bpy_struct, name: str) -> object:
    """A value as plain numbers and texts; of anything of Blender's that ours never name, that it is some.

    `repr` of an ID whose name is no UTF-8 ends Blender.
    """
    try:
        value: Any = getattr(owner, name, None)
    except UnicodeDecodeError:
        return "unreadable"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bpy.types.bpy_struct):
        return ["of Blender"]
    try:
        return [float(part) for part in value]
    except (TypeError, ValueError):
        return ["unknown"]
