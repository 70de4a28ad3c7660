"""What a channel of kind "pose" says: how a mesh's object and its bones are placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Floats
from .channels import POSE_ROWS, Channel, ChannelLayout

FLAT = 1e-6  # of a frame's largest stretch: what it squeezes further is not seen
LARGEST_STRETCH = 1e12
NO_KEYS = np.empty(0, np.float32)


class Pose(NamedTuple):
    """frame_from_world (..., 3, 4); moves (..., K + 1, 3, 4), world space: see `Channel.parts`.

    keys (..., n): the values of the mesh's shape keys.
    """

    frame_from_world: Floats
    moves: Floats
    keys: Floats = NO_KEYS


@dataclass(frozen=True)
class PosePlaces:
    """Where y says how a mesh is posed: its bones, by their names, and its shape keys, by theirs."""

    bones: tuple[str, ...]
    keys: tuple[str, ...]
    where: slice
    where_keys: slice

    @classmethod
    def of(cls, layout: ChannelLayout) -> PosePlaces | None:
        """The first channels of kinds "pose" and "shape_keys"; None where nothing says how it is posed."""
        found = pose_channel(layout)
        if found is None:
            return None
        keys = next((channel for channel in layout.channels if channel.kind == "shape_keys"), None)
        where = slice(0, 0) if keys is None else layout.slices()[keys.name]
        return cls(found[0].parts, () if keys is None else keys.parts, found[1], where)

    def pose(self, y: Floats) -> Pose:
        """The pose in y (..., e)."""
        return pose_in(y[..., self.where], y[..., self.where_keys])


def pose_channel(layout: ChannelLayout) -> tuple[Channel, slice] | None:
    """The first channel of kind "pose", and where it stands in y; None where there is none."""
    slices = layout.slices()
    return next(((c, slices[c.name]) for c in layout.channels if c.kind == "pose"), None)


def pose_in(values: Floats, keys: Floats = NO_KEYS) -> Pose:
    """The matrices in the numbers of a channel of kind "pose", (..., 12 (K + 2)), and keys (..., n)."""
    matrices = values.reshape(*values.shape[:-1], values.shape[-1] // POSE_ROWS, 3, POSE_ROWS // 3)
    return Pose(matrices[..., 0, :, :], matrices[..., 1:, :, :], keys)


def turned_back(matrix: Doubles) -> Doubles:
    """The inverse of a matrix (3, 3); of one that has none, what is nearest to one."""
    try:
        inverse: Doubles = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        inverse = np.full_like(matrix, np.inf)
    if np.abs(inverse).max() <= LARGEST_STRETCH:
        return inverse
    nearest: Doubles = np.clip(np.linalg.pinv(matrix, rcond=FLAT), -LARGEST_STRETCH, LARGEST_STRETCH)
    return nearest


def to_frame(pose: Pose, x: Floats) -> Floats:
    """Points (V, 3), m, from the world to the reference frame; float32, a new array."""
    placed = np.empty(x.shape, np.float32)
    for axis, row in enumerate(pose.frame_from_world):  # one product of all takes four times as long
        column = x @ row[:3]
        column += row[3]
        placed[:, axis] = column
    return placed


def to_world(pose: Pose, x: Floats) -> Floats:
    """Points (V, 3), m, from the reference frame to the world; float32, a new array.

    Of a frame that is squeezed flat, which shows nothing of how far points are across it, they are in it.
    """
    world_from_frame = turned_back(pose.frame_from_world[:, :3].astype(np.float64))
    moved: Floats = ((x - pose.frame_from_world[:, 3]) @ world_from_frame.T).astype(np.float32)
    return moved
