"""What places vertices by one matrix each: a bone, or a joint between two segments of a bendy bone.

Along a bendy bone of S segments there are S + 1 joints, from its head to its tail. A vertex follows the two
next to it, by where it is along the bone at rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....arrays import Doubles, Floats, Indices

NUMBERED = re.compile(r"(.+) \[(\d{1,3})\]")
WHOLE = -1


@dataclass(frozen=True)
class Joint:
    """One of a bone's; number: along a bendy one, from 0 at its head, WHOLE where the bone is not bendy."""

    bone: str
    number: int = WHOLE

    @property
    def name(self) -> str:
        """As channels and skins say it."""
        return self.bone if self.number == WHOLE else f"{self.bone} [{self.number}]"


def joints_of(bone: bpy.types.Bone) -> list[Joint]:
    """All of a bone's."""
    if bone.bbone_segments <= 1:
        return [Joint(bone.name)]
    return [Joint(bone.name, number) for number in range(bone.bbone_segments + 1)]


def count_joints(bone: bpy.types.Bone) -> int:
    """How many those are."""
    return 1 if bone.bbone_segments <= 1 else bone.bbone_segments + 1


def joint_named(name: str, bones: Iterable[str]) -> Joint:
    """The joint of this name in a rig with such bones, even if that has no such bone."""
    found = NUMBERED.fullmatch(name)
    if name in bones or found is None:
        return Joint(name)
    return Joint(found[1], int(found[2]))


def rest_place(bone: bpy.types.PoseBone, joint: Joint) -> Matrix:
    """Where one of a bone's joints is at rest, in the rig's axes. bone: evaluated."""
    if joint.number == WHOLE:
        return bone.bone.matrix_local
    return bone.bone.matrix_local @ bone.bbone_segment_matrix(joint.number, rest=True)


def shares_of(bone: bpy.types.PoseBone, points: Doubles) -> tuple[Indices, Doubles]:
    """Which joint of a bendy bone each point (n, 3) follows, m in the rig's axes, and how far the next one.

    bone: evaluated; how it is posed does not matter.
    """
    found = [bone.bbone_segment_index(Vector(point)) for point in points]
    return np.array([index for index, _ in found], np.intp), np.array([share for _, share in found])


class JointReader:
    """Reads what joints of a rig do: (n, 4, 4) float32, from the rig's axes at rest to those as posed."""

    def __init__(self, rig: bpy.types.Object, joints: Sequence[Joint]) -> None:
        """Raises KeyError for a joint that the rig lacks, with its name."""
        bones: Any = () if rig.pose is None else rig.pose.bones
        places = {bone.name: place for place, bone in enumerate(bones)}
        for joint in joints:
            if joint.bone not in places or not _has(bones[places[joint.bone]].bone, joint):
                raise KeyError(joint.name)
        self._buffer = np.empty((len(bones), 4, 4), np.float32)
        self._bones = np.array([places[joint.bone] for joint in joints], np.intp)
        self._rows = np.array([row for row, joint in enumerate(joints) if joint.number != WHOLE], np.intp)
        self._bendy = [(int(self._bones[row]), joints[row]) for row in self._rows]
        self._from_rest: Floats | None = None

    def __call__(self, rig: bpy.types.Object) -> Floats | None:
        """rig: evaluated. None where its bones are others than they were: then another reader is needed."""
        bones: Any = () if rig.pose is None else rig.pose.bones
        if len(bones) != len(self._buffer):
            return None
        if not all(_has(bones[place].bone, joint) for place, joint in self._bendy):
            return None
        moves = self._read(bones, "matrix_channel", self._bones)
        if self._bendy:
            if self._from_rest is None:
                at_rest = (rest_place(bones[place], joint) for place, joint in self._bendy)
                self._from_rest = _numbers(matrix.inverted_safe() for matrix in at_rest)
            along = _numbers(
                bones[place].bbone_segment_matrix(joint.number, rest=False) for place, joint in self._bendy
            )
            posed = self._read(bones, "matrix", self._bones[self._rows])
            moves[self._rows] = posed @ along @ self._from_rest
        return moves

    def _read(self, bones: Any, name: str, places: Indices) -> Floats:  # noqa: ANN401 (a collection of Blender's)
        bones.foreach_get(name, self._buffer.reshape(-1))
        return np.ascontiguousarray(self._buffer[places].transpose(0, 2, 1))  # Blender's are column by column


def _has(bone: bpy.types.Bone, joint: Joint) -> bool:
    return joint.number == WHOLE or 1 < bone.bbone_segments >= joint.number


def joint_moves(rig: bpy.types.Object, joints: Sequence[Joint]) -> Floats:
    """See `JointReader`, once; rig: evaluated. Raises KeyError."""
    moves = JointReader(rig, joints)(rig)
    assert moves is not None  # they are of this rig
    return moves


def _numbers(matrices: Iterable[Any]) -> Floats:
    """(n, 4, 4) of Blender's matrices; NumPy by itself takes five times as long."""
    return np.fromiter(chain.from_iterable(chain.from_iterable(matrices)), np.float32).reshape(-1, 4, 4)
