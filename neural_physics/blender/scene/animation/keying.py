"""Keying a whole motion at once: one key per frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....arrays import Doubles
from .action_curves import curves_played

LINEAR = 1  # the number of that interpolation in Blender's files


@dataclass(frozen=True)
class Span:
    """What is keyed: how many keys, from which frame of the scene, and how many frames apart."""

    first: int
    count: int
    fps: float
    spacing: float = 1.0

    @property
    def dt(self) -> float:
        """Seconds between two frames."""
        return 1.0 / self.fps


def key_frames(
    owner: bpy.types.Object | bpy.types.Key,
    path: str,
    values: Doubles,
    span: Span,
    *,
    indices: Sequence[int] | None = None,
) -> None:
    """A key for each row of values, straight lines between them; the owner's other curves stay.

    values (count, n), one column for each of the path's `indices` (0 ... n - 1 by default).
    """
    action = own_action(owner)
    times = span.first + span.spacing * np.arange(span.count)
    for column, index in enumerate(indices or range(values.shape[1])):
        curve = action.fcurve_ensure_for_datablock(owner, path, index=index)
        while curve.modifiers:
            curve.modifiers.remove(curve.modifiers[0])
        curve.mute = False
        points = curve.keyframe_points
        points.clear()
        points.add(span.count)
        points.foreach_set("co", np.stack([times, values[:, column]], 1).astype(np.float32).ravel())
        points.foreach_set("interpolation", np.full(span.count, LINEAR, np.int32))
        curve.update()


class KeyedPaths:
    """What keys, drivers and strips change of an object, and not the artist's hand: `path in KeyedPaths(o)`.

    Curves are gone through once, of which there may be thousands, and asked of each setting.
    """

    def __init__(self, owner: bpy.types.Object) -> None:
        animation = owner.animation_data
        # What strips change is not looked at: it may be anything.
        self._any = animation is not None and len(animation.nla_tracks) > 0
        self._paths: set[str] = set()
        if animation is None or self._any:
            return
        self._paths.update(curve.data_path for curve in animation.drivers)
        self._paths.update(curve.data_path for curve in curves_played(animation))

    def __contains__(self, path: str) -> bool:
        return self._any or path in self._paths


def is_keyed(owner: bpy.types.Object, path: str) -> bool:
    """The same of one path alone."""
    return path in KeyedPaths(owner)


def own_action(owner: bpy.types.Object | bpy.types.Key) -> bpy.types.Action:
    """The action of an object or of shape keys, made or made its own where others use it too."""
    animation = owner.animation_data or owner.animation_data_create()
    assert animation is not None
    if animation.action is None:
        animation.action = bpy.data.actions.new(owner.name)
    elif animation.action.users > 1 or animation.action.library:
        animation.action = animation.action.copy()
    return animation.action
