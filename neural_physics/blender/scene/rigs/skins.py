"""Which bones an object's Armature modifier makes its vertices follow, and how those move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Floats
from ....datasets.rest_mesh import Mesh
from ....errors import Problem
from ....interaction.channels import LARGEST_LAYOUT, POSE_ROWS, Channel
from ....skinning.moves import is_stretched, mirrored_bones
from ....skinning.skin import MOST_WEIGHTS, Skin
from ...settings.properties import method_of, settings_of
from ..modifiers.modifier_stack import physics_place
from ..references import Named
from ..sources import CARRYING_TYPES, mesh_data, mesh_of
from .bone_joints import JointReader, count_joints, joint_named, joints_of
from .joint_weights import loose_vertices, skin_by
from .shape_keys import shape_keys_of

MOST_JOINTS = LARGEST_LAYOUT // POSE_ROWS - 2  # beside them a pose has the frame's place and the object's


def armature_modifier(obj: bpy.types.Object) -> bpy.types.ArmatureModifier:
    """The one modifier that places an object's vertices before its physics do.

    Raises Problem("skin_missing" | "skin_unusable"); what cannot be followed exactly is refused.
    """
    below = list(obj.modifiers)[: physics_place(obj)]
    moving = [m for m in below if m.type in CARRYING_TYPES and m.show_viewport]
    armatures = [m for m in moving if isinstance(m, bpy.types.ArmatureModifier)]
    if not armatures or armatures[0].object is None or not armatures[0].use_vertex_groups:
        raise Problem("skin_missing", object=obj.name)
    modifier = armatures[0]
    bones = _bones(obj, cast(bpy.types.Object, modifier.object))
    if not bones:
        raise Problem("skin_missing", object=obj.name)
    joints = sum(map(count_joints, bones))
    other = next((m.name for m in moving if m != modifier), "")
    multiplied = next((bone.name for bone in bones if bone.use_envelope_multiply), "")
    reasons = {
        f"its modifier {other} deforms it too": other,
        f"{modifier.name} also binds it to bone envelopes": modifier.use_bone_envelopes,
        f"{modifier.name} blends with the modifier before it (Multi Modifier)": modifier.use_multi_modifier,
        f"the bone {multiplied} multiplies its weights by its envelope": multiplied,
        f"{joints:,} bones and ends of their segments move it, where {MOST_JOINTS:,} may": joints
        > MOST_JOINTS,
    }
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    if reason:
        raise Problem("skin_unusable", object=obj.name, reason=reason)
    return modifier


def skin_of(obj: bpy.types.Object) -> Skin:
    """The joints and weights of an object's vertices, and its shape keys.

    Raises Problem("skin_missing" | "skin_unusable").
    """
    modifier = armature_modifier(obj)
    rig = cast(bpy.types.Object, modifier.object)
    if len(mesh_data(obj).vertices) * sum(map(count_joints, _bones(obj, rig))) > MOST_WEIGHTS:
        reason = "it has too many vertices for so many bones"
        raise Problem("skin_unusable", object=obj.name, reason=reason)
    return replace(skin_by(obj, modifier, rig, _bones(obj, rig)), keys=shape_keys_of(obj))


def count_loose(obj: bpy.types.Object) -> int:
    """How many of an object's vertices no joint moves. Raises what `armature_modifier` does."""
    modifier = armature_modifier(obj)
    return loose_vertices(obj, modifier, _bones(obj, cast(bpy.types.Object, modifier.object)))


def check_skin(obj: bpy.types.Object) -> None:
    """Check that an object's bones can be followed, if its method is one that learns springs on them.

    Raises Problem("skin_missing" | "skin_unusable" | "skin_unlisted").
    """
    settings = settings_of(obj)
    if not method_of(obj).follows_bones:
        return
    rig = cast(bpy.types.Object, armature_modifier(obj).object)
    if all(item.object != rig for item in settings.interactions):
        raise Problem("skin_unlisted", object=obj.name, rig=rig.name)


def simulated_mesh(obj: bpy.types.Object) -> Mesh:
    """The object's mesh at rest, and its skin where springs are to be learned; raises what `skin_of` does."""
    mesh = mesh_of(obj)
    if not method_of(obj).follows_bones:
        return mesh
    return replace(mesh, skin=skin_of(obj))


def is_skinned_by(obj: bpy.types.Object, rig: bpy.types.Object) -> bool:
    """Whether an armature places an object's vertices, in a way that can be followed."""
    try:
        return armature_modifier(obj).object == rig
    except Problem:
        return False


def followed_joints(obj: bpy.types.Object, rig: bpy.types.Object) -> tuple[str, ...]:
    """The names of all joints of the deforming bones that have a vertex group."""
    return tuple(joint.name for bone in _bones(obj, rig) for joint in joints_of(bone))


def followed_bones(obj: bpy.types.Object, rig: bpy.types.Object) -> tuple[str, ...]:
    """The names of the deforming bones that have a vertex group."""
    return tuple(bone.name for bone in _bones(obj, rig))


def _bones(obj: bpy.types.Object, rig: bpy.types.Object) -> list[bpy.types.Bone]:
    bones, groups = cast(bpy.types.Armature, rig.data).bones, set(obj.vertex_groups.keys())
    return [bone for bone in bones if bone.use_deform and bone.name in groups]


def pose_reader(
    source: Named, owner: Named, channel: Channel
) -> Callable[[bpy.types.Depsgraph, Matrix], Floats]:
    """Reads a channel of kind "pose"; see `Channel.parts`.

    What it reads raises Problem("interaction_missing") for a bone that is not there, and
    Problem("skin_mirrored_bone" | "skin_stretched_rig") where the owner's armature preserves volume.
    """
    joints = _reader(source.original(), channel, source)
    values = np.empty((len(channel.parts) + 2, 3, 4), np.float32)

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Floats:
        nonlocal joints
        rig, obj = source.evaluated(depsgraph), owner.evaluated(depsgraph)
        posed = joints(rig)
        if posed is None:  # the rig was edited
            joints = _reader(rig, channel, source)
            posed = cast(Floats, joints(rig))
        world_from_rig, world_from_object = np.array(rig.matrix_world), np.array(obj.matrix_world)
        rig_from_object = np.array(rig.matrix_world.inverted_safe()) @ world_from_object
        values[0], values[1] = np.array(frame_from_world)[:3], world_from_object[:3]
        values[2:] = world_from_rig[:3] @ (posed @ rig_from_object)
        if _preserves_volume(owner.original(), source.name):
            _check_turns(values[1:], rig.matrix_world, channel, source)
        return values.reshape(-1)

    return read


def _reader(rig: bpy.types.Object, channel: Channel, source: Named) -> JointReader:
    bones = () if rig.pose is None else rig.pose.bones.keys()
    try:
        return JointReader(rig, [joint_named(part, bones) for part in channel.parts])
    except KeyError as missing:
        name = f"{source.name}/{missing.args[0]}"
        raise Problem("interaction_missing", object=source.owner, interaction=name) from None


def _preserves_volume(obj: bpy.types.Object, rig: str) -> bool:
    found = (m for m in obj.modifiers if isinstance(m, bpy.types.ArmatureModifier) and m.object is not None)
    return any(m.use_deform_preserve_volume for m in found if m.object is not None and m.object.name == rig)


def _check_turns(moves: Floats, world_from_rig: Matrix, channel: Channel, source: Named) -> None:
    """Turns are blended in the rig's axes, and of what is mirrored there is no turn."""
    if is_stretched(np.array(world_from_rig)[:3, :3]):
        raise Problem("skin_stretched_rig", object=source.owner, rig=source.name)
    mirrored = mirrored_bones(moves)
    if len(mirrored):
        bone = channel.parts[mirrored[0]]
        raise Problem("skin_mirrored_bone", object=source.owner, rig=source.name, bone=bone)
