"""What Blender keeps of simulations from frame to frame, and whether it does so on disk."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .animation.animated_paths import is_any_animated


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
        if isinstance(modifier, bpy.types.SoftBodyModifier) and obj.soft_body is None:
            continue  # as no Blender makes it; to ask for its cache would end this one
        if isinstance(modifier, bpy.types.ClothModifier | bpy.types.SoftBodyModifier):
            found.append(modifier.point_cache)
        elif isinstance(modifier, bpy.types.DynamicPaintModifier) and modifier.canvas_settings is not None:
            found += [surface.point_cache for surface in modifier.canvas_settings.canvas_surfaces]
    found += [particles.point_cache for particles in obj.particle_systems]
    yield from (cache for cache in found if cache is not None)


def writes(cache: bpy.types.PointCache) -> bool:
    """Whether any in its list is written, or cleared, on disk as frames are visited: not what is baked."""
    return any(
        not item.is_baked and (item.use_disk_cache or item.use_external) for item in cache.point_caches
    )


def caches_write() -> bool:
    """Whether to visit frames writes or deletes anything, as things are now.

    A fluid does so in a folder that the file names.
    """
    if any(map(_has_hidden_soft_body, bpy.data.objects)):
        return True
    caches = [cache for obj in bpy.data.objects for cache in caches_of(obj)]
    caches += [cache for scene in bpy.data.scenes for cache in caches_of_bodies(scene)]
    fluids = [domain for obj in bpy.data.objects for domain in _fluids_of(obj)]
    return any(map(writes, caches)) or not all(map(_is_baked, fluids))


def writing_is_animated() -> bool:
    """Whether anything in the file may change that from frame to frame.

    How things are now says nothing of the frames that would be visited then. Goes through all curves.
    """
    return is_any_animated("point_cache", "domain_settings", "fluid_type")


def _has_hidden_soft_body(obj: bpy.types.Object) -> bool:
    """Whether it has settings of a soft body without the modifier, by which alone its cache could be seen."""
    return obj.soft_body is not None and not any(each.type == "SOFT_BODY" for each in obj.modifiers)


def has_fluid(obj: bpy.types.Object) -> bool:
    """Whether a fluid is simulated in it."""
    return any(True for _ in _fluids_of(obj))


def caches_are_animated() -> bool:
    """Whether anything in the file may change from frame to frame which point caches are kept on disk."""
    return is_any_animated("point_cache")


def kept_by_libraries() -> list[bpy.types.Object]:
    """What is simulated in other files, whose frames may be written beside those: it stands still in bakes.

    But for fluids.
    """
    linked = (obj for obj in bpy.data.objects if obj.library is not None)
    return [obj for obj in linked if any(map(writes, caches_of(obj)))]


def _fluids_of(obj: bpy.types.Object) -> Iterator[bpy.types.FluidDomainSettings]:
    for modifier in obj.modifiers:
        if isinstance(modifier, bpy.types.FluidModifier) and modifier.domain_settings is not None:
            yield modifier.domain_settings


def _is_baked(fluid: bpy.types.FluidDomainSettings) -> bool:
    """And not being baked, which a file may say at the same time."""
    return (
        fluid.cache_type in ("MODULAR", "ALL")
        and fluid.has_cache_baked_data
        and not fluid.is_cache_baking_any
    )
