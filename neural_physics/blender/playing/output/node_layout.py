"""Whether two node groups do the same: groups are found by their names, which anybody may give theirs."""

from __future__ import annotations

from typing import Any, cast

import bpy


def does_the_same(group: bpy.types.NodeTree, other: bpy.types.NodeTree) -> bool:
    """Whether two groups have the same nodes, links and sockets, of the same values, and none that move."""
    if len(group.nodes) != len(other.nodes):  # a stranger's may have any number of them
        return False
    return not group.animation_data and not other.animation_data and _layout(group) == _layout(other)


def _layout(group: bpy.types.NodeTree) -> tuple[list[str], list[str], list[str]]:
    """Without names of nodes, which are in the language of whoever made them, and in no order."""
    nodes = {node.name: _node(node) for node in group.nodes}
    links = []
    for link in group.links:
        ends = [(link.from_node, link.from_socket), (link.to_node, link.to_socket)]
        joined = [(nodes[node.name], socket.identifier) for node, socket in ends if node and socket]
        links.append(repr((joined, link.is_muted)))
    items: Any = () if group.interface is None else group.interface.items_tree
    about = ("item_type", "in_out", "socket_type", "name", "default_value")
    sockets = [repr([getattr(item, each, None) for each in about]) for item in items]
    return sorted(nodes.values()), sorted(links), sockets


def _node(node: bpy.types.Node) -> str:
    """Its type, the settings that only this type has, and what its inputs are without links."""
    common = bpy.types.Node.bl_rna.properties.keys()
    own = [each for each in node.bl_rna.properties if each.identifier not in common and not each.is_readonly]
    settings = [(each.identifier, getattr(node, each.identifier)) for each in own]
    inputs = [cast(Any, socket) for socket in node.inputs if not socket.is_linked]
    values = [(socket.identifier, getattr(socket, "default_value", None)) for socket in inputs]
    return repr((node.bl_idname, node.mute, settings, values))
