"""A model asset that was dropped on a mesh: a modifier that holds it, until the mesh plays the model.

The group may come from anybody. Nothing of it is read but its property, as a packed model is: as numbers.
"""

from __future__ import annotations

from typing import cast

import bpy

from ...errors import Problem
from ..playing import playback
from ..playing.packing import PROPERTY
from ..scene.modifiers.modifier_stack import is_inherited
from ..settings.from_files.readable_names import readable_name
from ..tasks.object_tasks import use_model_bytes
from .marking import holds_model


def dropped_on(obj: bpy.types.Object) -> list[bpy.types.NodesModifier]:
    """The modifiers of an object that hold a model asset and can be taken away here, in the stack's order."""
    if obj.library is not None:
        return []
    nodes = (
        cast(bpy.types.NodesModifier, modifier) for modifier in obj.modifiers if modifier.type == "NODES"
    )
    return [each for each in nodes if holds_model(each.node_group) and not is_inherited(obj, each)]


def check_dropped(obj: bpy.types.Object) -> None:
    """Raise Problem("asset_not_dropped") unless a model asset was dropped on the object."""
    if not dropped_on(obj):
        raise Problem("asset_not_dropped", object=obj.name)


def play_dropped(obj: bpy.types.Object) -> None:
    """Take the model asset off an object, and play its model there; of several, the last one's.

    It is taken off in any case. Raises Problem("asset_not_dropped"), and what `use_model_bytes` does.
    """
    check_dropped(obj)
    modifiers = dropped_on(obj)
    groups = [modifier.node_group for modifier in modifiers if modifier.node_group is not None]
    name, data = readable_name(groups[-1]), groups[-1].get(PROPERTY)
    for modifier in modifiers:
        obj.modifiers.remove(modifier)
    for group in set(groups):
        _remove_unused(group)
    if not isinstance(data, bytes):
        raise Problem("model_damaged", path=name, reason="what should be the model is something else")
    use_model_bytes(obj, data, name)
    playback.attach(obj)


def _remove_unused(group: bpy.types.NodeTree) -> None:
    """Remove a group that came with the drop; one that is an asset of this file, or used elsewhere, stays."""
    # An appended group counts a user more than it has.
    if not group.use_fake_user and not bpy.data.user_map(subset=[group])[group]:
        bpy.data.node_groups.remove(group)
