"""What Blender keeps of simulations from frame to frame, and whether it does so on disk."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def point_caches(scene: bpy.types.Scene) -> Iterator[bpy.types.PointCache]:
    """The point caches of everything in the scene that is simulated frame by frame."""
    yield from caches_of_bodies(scene)
    for obj in scene.objects:
        yield from caches_of(obj)


def caches_of_bodies(scene: bpy.types.Scene) -> Iterator[bpy.types.PointCache]:
    """That of the rigid bodies, if there is one."""
    if scene.rigidbody_world and scene.rigidbody_world.point_cache:
        yield scene.rigidbody_world.point_cache


def caches_of(obj: bpy.types.Object) -> Iterator[bpy.types.PointCache]:
    """But for those that are not there, as a changed file has them: nothing is written by what lacks one."""
    found: list[bpy.types.PointCache | None] = []
    for modifier in obj.modifiers:
        if isinstance(modifier, bpy.types.ClothModifier | bpy.types.SoftBodyModifier):
            found.append(modifier.point_cache)
        elif isinstance(modifier, bpy.types.DynamicPaintModifier) and modifier.canvas_settings is not None:
            found += [surface.point_cache for surface in modifier.canvas_settings.canvas_surfaces]
    found += [particles.point_cache for particles in obj.particle_systems]
    yield from (cache for cache in found if cache is not None)


def writes(cache: bpy.types.PointCache) -> bool:
    """Whether it is written, or cleared, on disk as frames are visited: not where it has been baked."""
    return not cache.is_baked and any(item.use_disk_cache or item.use_external for item in cache.point_caches)


def visits_write() -> bool:
    """Whether to visit frames writes or deletes anything: a fluid does so in a folder that the file names."""
    return any(_has_fluid(obj) or any(map(writes, caches_of(obj))) for obj in bpy.data.objects) or any(
        writes(cache) for scene in bpy.data.scenes for cache in caches_of_bodies(scene)
    )


def _has_fluid(obj: bpy.types.Object) -> bool:
    """Whether it is a domain whose simulation is not baked."""
    fluids = (each for each in obj.modifiers if isinstance(each, bpy.types.FluidModifier))
    domains = (each.domain_settings for each in fluids if each.domain_settings is not None)
    return any(each.cache_type == "REPLAY" or not each.has_cache_baked_data for each in domains)
