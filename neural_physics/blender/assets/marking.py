"""A model as an asset of Blender's: a node group for modifiers that carries the model's bytes.

The group passes geometry through, and does nothing else: without the extension it changes no mesh. The bytes
are a property of the group itself, so that they go wherever Blender takes it: appended, linked or packed.
"""

from __future__ import annotations

from typing import cast

import bpy

from ...methods.registry import SPECIFICATIONS, specification_of
from ...models.model_file import ModelInfo, parse_model, read_model_bytes
from ..playing.output.geometry_nodes import new_group
from ..playing.output.node_layout import first_alike
from ..playing.packing import PROPERTY, current_model
from ..scene.setting_up import BOUND_KINDS
from .asset_preview import draw_preview

OBJECT = "neural_physics_object"  # the name of the object whose model a group was made of
TAG = "Neural Physics"
DESCRIPTION = "The learned motion of {object}, for a mesh with the same {vertices:,} vertices and faces. "
REACTS_TO = "Reacts to: {sources}. "
HOW = "Drop it on that mesh, and it plays. Needs the Neural Physics extension; without it nothing happens."


def mark(obj: bpy.types.Object) -> bpy.types.NodeTree:
    """Make the model that an object plays an asset of this file, in place of one made of it before.

    Raises what `packing.current_model`, `read_model_bytes` and `parse_model` do; then nothing has changed.
    """
    current = current_model(obj)
    data = current if isinstance(current, bytes) else read_model_bytes(current)
    info = parse_model(data, obj.name if isinstance(current, bytes) else str(current)).info
    group = _group_for(obj)
    # Blender cuts bytes that replace others at their first zero; as a new property they stay whole.
    group.pop(PROPERTY, None)
    group[PROPERTY] = data
    group.asset_mark()
    assert group.asset_data is not None  # it has just been marked
    _describe(group.asset_data, info)
    if group.preview is None:  # else it may be one that the artist has chosen
        draw_preview(group, obj)
    return group


def holds_model(group: bpy.types.NodeTree | None) -> bool:
    """Whether a node group is a model asset, whoever made it; its bytes are not looked at."""
    return group is not None and PROPERTY in group  # type: ignore[operator]


def _group_for(obj: bpy.types.Object) -> bpy.types.NodeTree:
    """The group that `mark` has made for an object, whatever it is called now, or a new one.

    One that does anything is passed over: it would be handed on as ours, and may be somebody else's.
    """
    made = _make_group(obj)
    holding = (group for group in bpy.data.node_groups if group.library is None and holds_model(group))
    found = first_alike([group for group in holding if group.get(OBJECT) == obj.name], made)
    if found is not None:
        bpy.data.node_groups.remove(made)
    return found or made


def _make_group(obj: bpy.types.Object) -> bpy.types.NodeTree:
    group = cast(bpy.types.GeometryNodeTree, new_group(f"{obj.name} Model"))
    enter, leave = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    leave.location.x = 200.0
    group.links.new(enter.outputs["Geometry"], leave.inputs["Geometry"])
    group.is_modifier = True
    group[OBJECT] = obj.name
    return group


def _describe(asset: bpy.types.AssetMetaData, info: ModelInfo) -> None:
    """Say in the asset browser what it is; tags of the artist's own stay, and what the model does not say."""
    sources = sorted({channel.source for channel in info.channels.channels if channel.kind in BOUND_KINDS})
    reacts_to = REACTS_TO.format(sources=", ".join(sources)) if sources else ""
    asset.description = DESCRIPTION.format(object=info.object, vertices=info.vertex_count) + reacts_to + HOW
    asset.author = info.author or asset.author
    asset.license = info.licence or asset.license
    labels = {method.label for method in SPECIFICATIONS.values()}
    for tag in [tag for tag in asset.tags if tag.name in labels]:
        asset.tags.remove(tag)
    method = specification_of(info.method)
    for name in (TAG, method.label if method is not None else ""):
        if name:
            asset.tags.new(name, skip_if_exists=True)
