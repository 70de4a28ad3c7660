"""The bones that hold the inside of a solid: those of the armature that carries it.

A bendy bone holds a piece in each of its segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import bpy
import numpy as np

from ....arrays import Doubles
from ...settings.properties import settings_of
from ..rigid_placement import placement, stretch
from ..sources import carrying_modifiers, mesh_data, read_positions
from .bone_joints import Joint, joint_moves, joints_of, rest_place

MEASURED = 2000  # vertices, at most, that a radius is suggested by
TOGETHER = 8  # pieces that are measured at once: bendy bones may have tens of thousands
HELD = 0.5  # of how deep bones lie; in the examples it is 0.44 to 0.59


def holding_rig(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The armature whose bones reach into an object; None where none does, or none is asked for."""
    simulation = settings_of(obj).simulation
    if simulation.kind != "SOLID" or simulation.bone_radius <= 0.0:
        return None
    return carrying_rig(obj)


def carrying_rig(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The armature that carries an object whose physics is the bundled solver's, whatever it holds of it."""
    rigs = [m.object for m in carrying_modifiers(obj) if isinstance(m, bpy.types.ArmatureModifier)]
    return next((rig for rig in rigs if rig is not None), None)


def suggested_radius(obj: bpy.types.Object, rig: bpy.types.Object) -> float:
    """How near to a bone the inside might be held, m: half as far as bones mostly lie below the surface."""
    segments = rest_segments(obj, rig)
    points = read_positions(mesh_data(obj)).astype(np.float64) @ stretch(obj.matrix_world).T
    points = points[:: len(points) // MEASURED + 1]
    if not len(segments) or not len(points):
        return 0.0
    nearest = np.full(len(points), np.inf)
    for first in range(0, len(segments), TOGETHER):
        nearest = np.minimum(nearest, _distances(points, segments[first : first + TOGETHER]).min(axis=1))
    return HELD * float(np.median(nearest))


def _distances(points: Doubles, segments: Doubles) -> Doubles:
    """(V, K): how far points are from segments."""
    heads, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    from_heads = points[:, None] - heads
    share = np.einsum("vkc,kc->vk", from_heads, along) / np.maximum(np.sum(along**2, axis=1), 1e-12)
    away = from_heads - np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(away, axis=2)


def rest_segments(obj: bpy.types.Object, rig: bpy.types.Object) -> Doubles:
    """(K, 2, 3): where what holds begins and ends at rest, m, in the object's axes with its scale."""
    object_from_rig = np.array(obj.matrix_world.inverted_safe() @ rig.matrix_world)
    ends = _ends(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    return (ends @ object_from_rig[:3, :3].T + object_from_rig[:3, 3]) @ stretch(obj.matrix_world).T


def bone_placements(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, rig: bpy.types.Object) -> Doubles:
    """(K, 4, 4): where each piece is taken, from the object's axes at rest to the world's.

    As the Armature modifier takes a vertex in its middle, without what it scales.
    """
    evaluated, posed = obj.evaluated_get(depsgraph), rig.evaluated_get(depsgraph)
    world_from_rig = np.array(posed.matrix_world, np.float64)
    rig_from_world = np.array(posed.matrix_world.inverted_safe(), np.float64)
    placed = placement(np.array(evaluated.matrix_world))
    pieces = _pieces(posed)
    if not pieces:  # none of its bones deforms anything
        return np.empty((0, 4, 4))
    moves = joint_moves(posed, [joint for piece in pieces for joint in piece]).astype(np.float64)
    means = [each.mean(axis=0) for each in np.split(moves, np.cumsum([len(piece) for piece in pieces])[:-1])]
    found = []
    for mean, ends in zip(means, _ends(posed), strict=True):
        move = world_from_rig @ mean @ rig_from_world
        middle = world_from_rig[:3, :3] @ ends.mean(axis=0) + world_from_rig[:3, 3]
        rigid = placement(move)
        rigid[:3, 3] = move[:3, :3] @ middle + move[:3, 3] - rigid[:3, :3] @ middle
        found.append(rigid @ placed)
    return np.array(found).reshape(-1, 4, 4)


def _pieces(rig: bpy.types.Object) -> list[Sequence[Joint]]:
    """What places each piece of what the deforming bones hold: a bone, or the joints around a segment."""
    bones = [bone for bone in cast(bpy.types.Armature, rig.data).bones if bone.use_deform]
    pieces: list[Sequence[Joint]] = []
    for joints in map(joints_of, bones):
        pieces += [joints] if len(joints) == 1 else list(pairwise(joints))
    return pieces


def _ends(rig: bpy.types.Object) -> Doubles:
    """(K, 2, 3): where the pieces begin and end at rest, m, in the axes of the evaluated rig."""
    assert rig.pose is not None  # an armature has one
    ends = []
    for piece in _pieces(rig):
        bone = rig.pose.bones[piece[0].bone]
        if len(piece) == 1:
            ends.append([bone.bone.head_local[:], bone.bone.tail_local[:]])
        else:
            ends.append([rest_place(bone, joint).translation[:] for joint in piece])
    return np.array(ends, np.float64).reshape(-1, 2, 3)
