"""Which bones an object's Armature modifier makes its vertices follow, and how those move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ...arrays import Floats
from ...datasets.rest_mesh import Mesh
from ...errors import Problem
from ...interaction.channels import Channel
from ...skinning import Skin, scaled_bones
from ..settings.properties import method_of, settings_of
from .modifier_stack import physics_place
from .references import Named
from .sources import CARRYING_TYPES, group_weights, mesh_data, mesh_of
from .vertex_weights import bone_weights


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
    other = next((m.name for m in moving if m != modifier), "")
    bendy = next((bone.name for bone in bones if bone.bbone_segments > 1), "")
    multiplied = next((bone.name for bone in bones if bone.use_envelope_multiply), "")
    reasons = {
        f"its modifier {other} deforms it too": other,
        f"{modifier.name} also binds it to bone envelopes": modifier.use_bone_envelopes,
        f"{modifier.name} blends with the modifier before it (Multi Modifier)": modifier.use_multi_modifier,
        f"the bone {bendy} is a bendy bone, with more than one segment": bendy,
        f"the bone {multiplied} multiplies its weights by its envelope": multiplied,
    }
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    if reason:
        raise Problem("skin_unusable", object=obj.name, reason=reason)
    return modifier


def skin_of(obj: bpy.types.Object) -> Skin:
    """The bones and weights of an object's vertices. Raises what `armature_modifier` does."""
    modifier = armature_modifier(obj)
    names = followed_bones(obj, cast(bpy.types.Object, modifier.object))
    weights = np.zeros((len(mesh_data(obj).vertices), len(names)), np.float32)
    rows = bone_weights(obj, {name: i for i, name in enumerate(names)})
    weights[rows.vertices, rows.bones] = rows.weights
    if modifier.vertex_group in obj.vertex_groups:
        share = group_weights(obj, modifier.vertex_group, 0.0)
        weights *= (1.0 - share if modifier.invert_vertex_group else share)[:, None]
    return Skin(names, weights, modifier.use_deform_preserve_volume)


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


def followed_bones(obj: bpy.types.Object, rig: bpy.types.Object) -> tuple[str, ...]:
    """The names of the deforming bones that have a vertex group."""
    return tuple(bone.name for bone in _bones(obj, rig))


def _bones(obj: bpy.types.Object, rig: bpy.types.Object) -> list[bpy.types.Bone]:
    bones = cast(bpy.types.Armature, rig.data).bones
    return [bone for bone in bones if bone.use_deform and bone.name in obj.vertex_groups]


def pose_reader(
    source: Named, owner: Named, channel: Channel
) -> Callable[[bpy.types.Depsgraph, Matrix], Floats]:
    """Reads a channel of kind "pose"; see `Channel.parts`.

    What it reads raises Problem("interaction_missing") for a bone that is not there, and
    Problem("skin_scaled_bone") where the owner's armature preserves volume and a bone is scaled.
    """
    order = _order(source.original(), channel, source)
    values = np.empty((len(channel.parts) + 2, 3, 4), np.float32)
    buffer = np.empty((0, 4, 4), np.float32)

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Floats:
        nonlocal order, buffer
        rig, obj = source.evaluated(depsgraph), owner.evaluated(depsgraph)
        if rig.pose is None:
            raise Problem("interaction_missing", object=source.owner, interaction=source.name)
        bones: Any = rig.pose.bones
        if len(bones) != len(buffer):  # the rig was edited, or it is the first time
            order = _order(rig, channel, source)
            buffer = np.empty((len(bones), 4, 4), np.float32)
        bones.foreach_get("matrix_channel", buffer.reshape(-1))
        world_from_rig, world_from_object = np.array(rig.matrix_world), np.array(obj.matrix_world)
        rig_from_object = np.array(rig.matrix_world.inverted_safe()) @ world_from_object
        posed = buffer[order].transpose(0, 2, 1)  # what Blender gives is column by column
        values[0], values[1] = np.array(frame_from_world)[:3], world_from_object[:3]
        values[2:] = world_from_rig[:3] @ (posed @ rig_from_object)
        if _preserves_volume(owner.original(), source.name):
            _check_unscaled(values[1:], channel, source)
        return values.reshape(-1)

    return read


def _order(rig: bpy.types.Object, channel: Channel, source: Named) -> list[int]:
    """Where the channel's bones are among the rig's."""
    bones: Any = () if rig.pose is None else rig.pose.bones
    places = {bone.name: i for i, bone in enumerate(bones)}
    missing = next((part for part in channel.parts if part not in places), None)
    if missing is not None:
        raise Problem("interaction_missing", object=source.owner, interaction=f"{source.name}/{missing}")
    return [places[part] for part in channel.parts]


def _preserves_volume(obj: bpy.types.Object, rig: str) -> bool:
    found = (m for m in obj.modifiers if isinstance(m, bpy.types.ArmatureModifier) and m.object is not None)
    return any(m.use_deform_preserve_volume for m in found if m.object is not None and m.object.name == rig)


def _check_unscaled(moves: Floats, channel: Channel, source: Named) -> None:
    scaled = scaled_bones(moves)
    if len(scaled):
        bone = channel.parts[scaled[0]]
        raise Problem("skin_scaled_bone", object=source.owner, rig=source.name, bone=bone)
