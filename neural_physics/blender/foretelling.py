"""Telling what a frame will show before Blender evaluates it, so that it need evaluate it only once.

A guess is made in `frame_change_pre`, where only plain keys can be read, and is verified in
`frame_change_post` against what the evaluated scene says. So it may be wrong, and then costs time and
nothing else; and a session whose last guess was wrong does not act on the next.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from bpy_extras.anim_utils import action_get_channelbag_for_slot
from mathutils import Vector
from numpy.typing import NDArray

from ..timeline import FrameState

SHAPE_PARENTS = ("VERTEX", "VERTEX_3")
# Shapes that are decoded together while frames follow each other: the bases, the most there is to be read,
# are read from memory once for all of them. Fewer where that would be a pause to be felt.
MOST_FRAMES, MOST_NUMBERS = 8, 1 << 18


class Shown(NamedTuple):
    """All that the shape on show at a frame depends on, apart from the frames before it.

    y, object_from_frame: their bytes, as comparing these is quick and exact; the latter empty where
    the reference frame is the object. mesh: the session_uid of what was written to.
    """

    frame: int
    y: bytes
    object_from_frame: bytes
    bases: int
    mesh: int


class Foretold(NamedTuple):
    """A guess; state: that of the shape which was written, None where it was not trusted enough for that."""

    shown: Shown
    state: FrameState | None


class Prepared(NamedTuple):
    """What a frame to come will show if its y is this one. y: its bytes; positions (V, 3) float32, metres."""

    y: bytes
    bases: int
    state: FrameState
    positions: NDArray[np.float32]


def frames_together(vertices: int) -> int:
    """How many frames to prepare at a time."""
    return max(1, min(MOST_FRAMES, MOST_NUMBERS // (3 * vertices)))


def place_at(obj: bpy.types.Object, frame: int) -> Vector | None:
    """Where an object without a parent will be at a frame, world space, going by its own keys alone."""
    if obj.parent is not None:
        return None
    place = obj.location.copy()
    animation = obj.animation_data
    if animation is not None and animation.action is not None:
        bag = action_get_channelbag_for_slot(animation.action, animation.action_slot)
        if bag is not None:
            for axis in range(3):
                curve = bag.fcurves.find("location", index=axis)
                if curve is not None and not curve.mute:
                    place[axis] = curve.evaluate(frame)
    return place + obj.delta_location


def hangs_on_a_shape(obj: bpy.types.Object) -> bool:
    """Whether where an object is may depend on the shape of a mesh, which may be one that plays.

    Writing that shape before the evaluation instead of after it would move such an object.
    """
    above: bpy.types.Object | None = obj
    while above is not None:
        if above.constraints:
            return True
        below, above = above, above.parent
        if above is not None and below.parent_type in SHAPE_PARENTS:
            return True
    return False
