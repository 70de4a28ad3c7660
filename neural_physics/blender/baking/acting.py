"""Whether anything acts on a body beside its channels, as its bake can see and its takes cannot show."""

from __future__ import annotations

from itertools import takewhile

import bpy

from ..scene.collider_meshes import collides
from ..scene.sources import PhysicsModifier, carrying_modifiers, mesh_data, physics_modifier, uses_solver
from ..settings.properties import settings_of

# Groups of vertices that one part of a body differs from another by; those of pins are part of its mesh.
CLOTH_GROUPS = (
    "vertex_group_structural_stiffness",
    "vertex_group_shear_stiffness",
    "vertex_group_bending",
    "vertex_group_intern",
    "vertex_group_pressure",
    "vertex_group_shrink",
)


def only_channels_act(scene: bpy.types.Scene, obj: bpy.types.Object, sources: set[str]) -> bool:
    """Whether nothing but gravity and the objects named `sources` moves a body that is alike all over.

    Then it is its own mirror image if its mesh is. False where in doubt.
    """
    others = [other for other in scene.objects if other != obj and other.name not in sources]
    return not any(_acts(other) for other in others) and _is_alike_all_over(obj)


def _acts(other: bpy.types.Object) -> bool:
    blows = other.field is not None and other.field.type != "NONE"
    return blows or (other.type == "MESH" and collides(other))


def _is_alike_all_over(obj: bpy.types.Object) -> bool:
    if mesh_data(obj).shape_keys is not None:
        return False
    if uses_solver(obj):
        return not settings_of(obj).simulation.softer and not carrying_modifiers(obj)
    physics = physics_modifier(obj)
    moved_before = any(takewhile(lambda modifier: modifier != physics, obj.modifiers))
    return physics is not None and not moved_before and not any(_groups(physics))


def _groups(physics: PhysicsModifier) -> list[str]:
    """The vertex groups, and what else makes parts of a body different: "" for each that is not used."""
    if isinstance(physics, bpy.types.SoftBodyModifier):
        return [physics.settings.vertex_group_mass, physics.settings.vertex_group_spring]
    settings, meets = physics.settings, physics.collision_settings
    named = [getattr(settings, name) for name in CLOTH_GROUPS]
    named += [meets.vertex_group_self_collisions, meets.vertex_group_object_collisions]
    return [*named, "sewing" if settings.use_sewing_springs else ""]
