"""The bones that hold the inside of a solid: those of the armature that carries it."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np

from ...arrays import Doubles
from ..settings.properties import settings_of
from .rigid_placement import placement, stretch
from .sources import carrying_modifiers


def holding_rig(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The armature whose bones reach into an object; None where none does, or none is asked for."""
    simulation = settings_of(obj).simulation
    if simulation.kind != "SOLID" or simulation.bone_radius <= 0.0:
        return None
    rigs = [m.object for m in carrying_modifiers(obj) if isinstance(m, bpy.types.ArmatureModifier)]
    return next((rig for rig in rigs if rig is not None), None)


def holding_bones(rig: bpy.types.Object) -> list[bpy.types.Bone]:
    """Its deforming bones."""
    return [bone for bone in cast(bpy.types.Armature, rig.data).bones if bone.use_deform]


def rest_segments(obj: bpy.types.Object, rig: bpy.types.Object) -> Doubles:
    """(K, 2, 3): heads and tails at rest, m, in the object's axes with its scale."""
    object_from_rig = obj.matrix_world.inverted_safe() @ rig.matrix_world
    ends = [
        [(object_from_rig @ end).to_tuple() for end in (bone.head_local, bone.tail_local)]
        for bone in holding_bones(rig)
    ]
    return np.array(ends, np.float64).reshape(-1, 2, 3) @ stretch(obj.matrix_world).T


def bone_placements(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, rig: bpy.types.Object) -> Doubles:
    """(K, 4, 4): where each bone takes what it holds, from the object's axes at rest to the world's.

    As the Armature modifier does for a vertex that follows this bone alone, without the bone's scale.
    """
    evaluated, posed = obj.evaluated_get(depsgraph), rig.evaluated_get(depsgraph)
    world_from_rig = posed.matrix_world
    rig_from_world = world_from_rig.inverted_safe()
    placed = placement(evaluated.matrix_world)
    assert posed.pose is not None  # an armature has one
    moves = []
    for bone in holding_bones(rig):
        from_rest = posed.pose.bones[bone.name].matrix @ bone.matrix_local.inverted_safe()
        moves.append(placement(world_from_rig @ from_rest @ rig_from_world) @ placed)
    return np.array(moves).reshape(-1, 4, 4)
