"""The shape keys of a mesh that bones carry: what they add to it at rest, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Floats
from ....errors import Problem
from ....interaction.channels import Channel
from ....skinning.shape_keys import ShapeKeys
from ..references import Named
from ..sources import group_weights, mesh_data


def key_names(obj: bpy.types.Object) -> tuple[str, ...]:
    """Those of the keys that change the object's mesh, whatever their values are now."""
    return tuple(name for name, _ in _offsets(obj))


def shape_keys_of(obj: bpy.types.Object) -> ShapeKeys | None:
    """What they add; None where there are none, or these are no offsets but a sequence of shapes."""
    found = list(_offsets(obj))
    if not found:
        return None
    moved = [np.flatnonzero(offsets.any(axis=1)) for _, offsets in found]
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
    """
    keys = mesh_data(obj).shape_keys
    if keys is None or not keys.use_relative:
        return
    basis = keys.reference_key
    for key in keys.key_blocks:
        if key in (basis, key.relative_key) or key.mute:
            continue
        offsets = _places(key) - _places(key.relative_key)
        if key.vertex_group in obj.vertex_groups:
            offsets *= group_weights(obj, key.vertex_group, 0.0)[:, None]
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
        values = list[float]()
        for name in channel.parts:
            key = None if blocks is None else blocks.get(name)
            if key is None:
                missing = f"{channel.name}/{name}"
                raise Problem("interaction_missing", object=owner.owner, interaction=missing)
            values.append(0.0 if key.mute else key.value)
        return values

    return read
