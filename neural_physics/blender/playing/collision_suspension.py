"""Colliders rest while nothing in the file collides.

Blender prepares a Collision modifier for simulations at every frame: for a body of ten thousand triangles
that takes milliseconds, many times what playing takes. So the modifiers are switched off while an object
plays, and on again as soon as anything else is simulated.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..scene.simulation_caches import anything_writes
from ..scene.sources import PHYSICS_TYPES
from ..settings.having_settings import having_settings
from ..settings.properties import settings_of

_rested = set[int]()  # the session_uid of those that rest since this Blender let them


def suspend_collisions() -> None:
    """Switch off the Collision modifiers of this file, and remember what they were, if nothing collides.

    What is linked or overridden is left alone.
    """
    if any(collides(obj) for obj in bpy.data.objects):
        return
    for obj in bpy.data.objects:
        if obj.library is None and obj.override_library is None:
            for modifier in _collisions(obj):
                shown = modifier.show_viewport, modifier.show_render
                if any(shown):
                    _rested.add(obj.session_uid)
                    settings_of(obj).resting_collision = shown
                    modifier.show_viewport = modifier.show_render = False


def resume_collisions(*, asked: bool = False) -> None:
    """Undo `suspend_collisions`, unless an object plays and nothing collides.

    What rests because a file says so does not wake where anything in it may write on disk, as that is an
    edit, unless the artist has asked for motion.
    """
    having = list(having_settings(bpy.data.objects))
    resting = [obj for obj in having if any(settings_of(obj).resting_collision)]
    if not asked and any(obj.session_uid not in _rested for obj in resting) and anything_writes():
        resting = [obj for obj in resting if obj.session_uid in _rested]
    if resting:
        plays = any(settings_of(obj).playing for obj in having)
        if not plays or any(collides(obj) for obj in bpy.data.objects):
            for obj in resting:
                wake_collider(obj)


def wake_collider(obj: bpy.types.Object) -> None:
    """Undo `suspend_collisions` for one object, in any case."""
    settings = settings_of(obj)
    viewport, render = settings.resting_collision
    for modifier in _collisions(obj):
        modifier.show_viewport |= viewport
        modifier.show_render |= render
    settings.resting_collision = False, False


def collides(obj: bpy.types.Object) -> bool:
    """Whether an object has a simulation, switched on, that collides with others."""
    for modifier in obj.modifiers:
        if modifier.show_viewport or modifier.show_render:
            if modifier.type in PHYSICS_TYPES:
                return True
            if isinstance(modifier, bpy.types.ParticleSystemModifier) and _particles_collide(modifier):
                return True
    return False


def _particles_collide(modifier: bpy.types.ParticleSystemModifier) -> bool:
    system = modifier.particle_system
    if system is None or system.settings is None:  # as a changed file has them
        return False
    if system.settings.type == "HAIR":
        return system.use_hair_dynamics
    return system.settings.physics_type in ("NEWTON", "BOIDS", "FLUID")


def _collisions(obj: bpy.types.Object) -> Iterator[bpy.types.Modifier]:
    return (modifier for modifier in obj.modifiers if modifier.type == "COLLISION")
