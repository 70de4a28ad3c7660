"""The skin of a mesh that follows an armature's joints, as Blender's Armature modifier has it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....arrays import Doubles
from ....skinning.skin import Skin
from ..sources import group_weights, mesh_data, mesh_of
from .bone_joints import joints_of, rest_place, shares_of
from .vertex_weights import bone_weights


def skin_by(
    obj: bpy.types.Object,
    modifier: bpy.types.ArmatureModifier,
    rig: bpy.types.Object,
    bones: Sequence[bpy.types.Bone],
) -> Skin:
    """The skin of an object that follows these bones of a rig by this modifier."""
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose
    assert posed is not None  # an armature has one
    joints = [joints_of(bone) for bone in bones]
    firsts = np.cumsum([0, *map(len, joints)])
    rows = bone_weights(obj, {bone.name: number for number, bone in enumerate(bones)})
    nearest, further = firsts[rows.bones], np.zeros(len(rows))
    bending = [number for number in np.unique(rows.bones).tolist() if len(joints[number]) > 1]
    points = _in_rig(obj, rig) if bending else None
    for number in bending:
        its = np.flatnonzero(rows.bones == number)
        assert points is not None  # some bend
        along, further[its] = shares_of(posed.bones[bones[number].name], points[rows.vertices[its]])
        nearest[its] += along
    both = np.flatnonzero(further)
    # Blender adds up what a vertex follows in the order of its groups, a bendy bone's joints in theirs.
    sequence = np.argsort(np.concatenate([np.arange(len(rows)), both]), kind="stable")
    vertices = np.concatenate([rows.vertices, rows.vertices[both]])[sequence]
    followed = np.concatenate([nearest, nearest[both] + 1])[sequence]
    shares = np.concatenate([rows.weights * (1.0 - further), (rows.weights * further)[both]])[sequence]
    shares *= _shares_of_modifier(obj, modifier)[vertices]
    weights = np.zeros((len(mesh_data(obj).vertices), firsts[-1]), np.float32)
    weights[vertices, followed] = shares
    names = tuple(joint.name for each in joints for joint in each)
    if not modifier.use_deform_preserve_volume:
        return Skin(names, weights)
    to_object = np.array(obj.matrix_world.inverted_safe() @ rig.matrix_world)[:3, :3]
    at_rest = [rest_place(posed.bones[joint.bone], joint) for each in joints for joint in each]
    axes = [to_object @ np.array(place.to_3x3().normalized()) for place in at_rest]
    return Skin(
        names,
        weights,
        preserve_volume=True,
        axes=np.array(axes, np.float32),
        order=followed[weights[vertices, followed] > 0.0].astype(np.int32),
    )


def loose_vertices(
    obj: bpy.types.Object, modifier: bpy.types.ArmatureModifier, bones: Sequence[bpy.types.Bone]
) -> int:
    """How many vertices have no weight in the skin that `skin_by` makes."""
    held = np.zeros(len(mesh_data(obj).vertices), bool)
    held[bone_weights(obj, {bone.name: number for number, bone in enumerate(bones)}).vertices] = True
    return int((~held | (_shares_of_modifier(obj, modifier) <= 0.0)).sum())


def _in_rig(obj: bpy.types.Object, rig: bpy.types.Object) -> Doubles:
    """(V, 3): an object's vertices at rest, in a rig's axes."""
    to_rig = np.array(rig.matrix_world.inverted_safe() @ obj.matrix_world)
    return np.asarray(mesh_of(obj).rest_positions @ to_rig[:3, :3].T + to_rig[:3, 3])


def _shares_of_modifier(obj: bpy.types.Object, modifier: bpy.types.ArmatureModifier) -> Doubles:
    """(V,): how far the modifier moves each vertex at all."""
    if modifier.vertex_group not in obj.vertex_groups:
        return np.ones(len(mesh_data(obj).vertices))
    share = group_weights(obj, modifier.vertex_group, 0.0).astype(np.float64)
    return 1.0 - share if modifier.invert_vertex_group else share
