"""The shape keys of a mesh that bones carry: what they add to it at rest, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Floats, Indices
from ....errors import Problem
from ....interaction.channels import Channel
from ....skinning.shape_keys import MOST_KEYS, MOST_OFFSETS, ShapeKeys
from ..references import Named
from ..sources import members_of, mesh_data


def key_names(obj: bpy.types.Object) -> tuple[str, ...]:
    """Those of the keys that change the object's mesh, whatever their values are now."""
    return tuple(name for name, _ in _offsets(obj))


def shape_keys_of(obj: bpy.types.Object) -> ShapeKeys | None:
    """What they add; None where there are none, or these are no offsets but a sequence of shapes.

    Raises Problem("skin_unusable") for more than can be carried, and for some that are none of a mesh.
    """
    found = list(_offsets(obj))
    if not found:
        return None
    moved = [np.flatnonzero(offsets.any(axis=1)) for _, offsets in found]
    count = sum(map(len, moved))
    if count > MOST_OFFSETS:
        reason = f"its shape keys move {count:,} vertices together, where {MOST_OFFSETS:,} may be moved"
        raise Problem("skin_unusable", object=obj.name, reason=reason)
    return ShapeKeys(
        tuple(name for name, _ in found),
        np.array([len(vertices) for vertices in moved], np.int32),
        np.concatenate(moved).astype(np.int32),
        np.concatenate([offsets[some] for (_, offsets), some in zip(found, moved, strict=True)]),
    )


def keys_are_animated(obj: bpy.types.Object) -> bool:
    """Whether keyframes, drivers or strips change their values, and not the artist's hand alone."""
    keys = mesh_data(obj).shape_keys
    animation = None if keys is None else keys.animation_data
    return animation is not None and bool(animation.action or animation.drivers or animation.nla_tracks)


def _offsets(obj: bpy.types.Object) -> Iterator[tuple[str, Floats]]:
    """The name and (V, 3) metres of each key that moves anything, as Blender adds them up.

    An offset is from the key that it is relative to, times the weights of the key's vertex group.
    Raises Problem("skin_unusable") for more keys than can be carried, and for some that are none of a mesh.
    """
    mesh = mesh_data(obj)
    keys = mesh.shape_keys
    if keys is None or not keys.use_relative:
        return
    if len(set(keys.key_blocks.keys())) < len(keys.key_blocks):  # as no Blender saves them
        raise Problem("skin_unusable", object=obj.name, reason="two of its shape keys have one name")
    # Blender shows nothing of a key that is relative to one that is not there, as a damaged file may have it.
    whole = [key for key in keys.key_blocks if key.relative_key is not None and not key.mute]
    used = [key for key in whole if key not in (keys.reference_key, key.relative_key)]
    if len(used) > MOST_KEYS:
        reason = f"it has more than {MOST_KEYS:,} shape keys that are not muted"
        raise Problem("skin_unusable", object=obj.name, reason=reason)
    for key in (*used, *(key.relative_key for key in used)):
        if len(key.data) != len(mesh.vertices):  # Blender leaves such out
            reason = (
                f"its shape key {key.name} has {len(key.data):,} vertices in place of {len(mesh.vertices):,}"
            )
            raise Problem("skin_unusable", object=obj.name, reason=reason)
    members: dict[str, tuple[Indices, Floats]] | None = None
    relative, start = "", np.empty((0, 3), np.float32)
    for key in used:
        if key.relative_key.name != relative:  # it is one and the same for most
            relative, start = key.relative_key.name, _places(key.relative_key)
        offsets = _places(key) - start
        if key.vertex_group in obj.vertex_groups and offsets.any():
            if members is None:  # of all keys: each vertex is asked for its groups once
                groups = {other.vertex_group for other in used} & set(obj.vertex_groups.keys())
                members = members_of(obj, groups)
            vertices, weights = members[key.vertex_group]
            weighted = np.zeros_like(offsets)
            weighted[vertices] = offsets[vertices] * weights[:, None]
            offsets = weighted
        if offsets.any():
            yield key.name, offsets


def _places(key: bpy.types.ShapeKey) -> Floats:
    places = np.empty((len(key.data), 3), np.float32)
    key.data.foreach_get("co", places.reshape(-1))
    return places


def keys_reader(owner: Named, channel: Channel) -> Callable[[bpy.types.Depsgraph, Matrix], Sequence[float]]:
    """Reads a channel of kind "shape_keys": what drivers, keyframes or the artist have set them to.

    A muted one is at 0. What it reads raises Problem("interaction_missing") for a key that is not there.
    """

    def read(depsgraph: bpy.types.Depsgraph, _frame_from_world: Matrix) -> Sequence[float]:
        keys = mesh_data(owner.original()).shape_keys
        blocks = None if keys is None else keys.evaluated_get(depsgraph).key_blocks
        known = {} if blocks is None else dict(blocks.items())  # asked by name, Blender goes through them
        values = list[float]()
        for name in channel.parts:
            key = known.get(name)
            if key is None:
                missing = f"{channel.name}/{name}"
                raise Problem("interaction_missing", object=owner.owner, interaction=missing)
            values.append(0.0 if key.mute else key.value)
        return values

    return read
