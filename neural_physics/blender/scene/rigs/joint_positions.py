"""Where the joints of an armature are: reading a channel of kind "joints"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Floats, Indices
from ....errors import Problem
from ....interaction.channels import Channel
from ..references import Named
from .reacting_bones import TIP


def joints_reader(source: Named, channel: Channel) -> Callable[[bpy.types.Depsgraph, Matrix], Floats]:
    """Heads of bones, and tips where the channel has them, in the reference frame."""
    pose_bones = _pose_bones(source.original(), source)
    heads, tips = _joint_places(pose_bones, channel, source)
    buffer = np.empty((len(pose_bones), 3), np.float32)
    joints = np.empty((len(channel.parts), 3), np.float32)

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Floats:
        nonlocal pose_bones, heads, tips, buffer
        obj = source.evaluated(depsgraph)
        bones = _pose_bones(obj, source)
        if len(bones) != len(buffer):  # the rig was edited
            heads, tips = _joint_places(bones, channel, source)
            buffer = np.empty((len(bones), 3), np.float32)
        bones.foreach_get("head", buffer.reshape(-1))
        joints[heads[0]] = buffer[heads[1]]
        if len(tips[0]):
            bones.foreach_get("tail", buffer.reshape(-1))
            joints[tips[0]] = buffer[tips[1]]
        frame_from_rig = np.array(frame_from_world @ obj.matrix_world, np.float32)
        return (joints @ frame_from_rig[:3, :3].T + frame_from_rig[:3, 3]).reshape(-1)

    return read


def _pose_bones(obj: bpy.types.Object, source: Named) -> Any:  # noqa: ANN401 (a collection with foreach_get)
    if obj.pose is None:
        raise Problem("interaction_missing", object=source.owner, interaction=source.name)
    return obj.pose.bones


def _joint_places(
    bones: Mapping[str, Any], channel: Channel, source: Named
) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
    """Places in the channel and bones, for heads and for tips."""
    order = {name: i for i, name in enumerate(bones.keys())}
    heads: list[tuple[int, int]] = []
    tips: list[tuple[int, int]] = []
    for place, part in enumerate(channel.parts):
        bone = part if part in order else part.removesuffix(TIP)
        if bone not in order:
            raise Problem("interaction_missing", object=source.owner, interaction=f"{source.name}/{bone}")
        (heads if part == bone else tips).append((place, order[bone]))
    return _columns(heads), _columns(tips)


def _columns(pairs: list[tuple[int, int]]) -> tuple[Indices, Indices]:
    table = np.array(pairs, np.intp).reshape(-1, 2)
    return table[:, 0], table[:, 1]
