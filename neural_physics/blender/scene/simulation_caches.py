"""What Blender keeps of simulations from frame to frame, and whether it does so on disk."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from pathlib import Path

import bpy

from ...errors import Problem
from ..settings.from_files.readable_names import readable_name
from .animation.animated_paths import animated

FLUIDS_OWN = "cache_fluid_"  # how Blender's own names for their folders begin


def point_caches(scene: bpy.types.Scene) -> Iterator[bpy.types.PointCache]:
    """The point caches of everything in the scene that is simulated frame by frame."""
    yield from caches_of_bodies(scene)
    for obj in scene.objects:
        yield from caches_of(obj)


def caches_of_bodies(scene: bpy.types.Scene) -> Iterator[bpy.types.PointCache]:
    """That of the rigid bodies, if there is one."""
    if scene.rigidbody_world and scene.rigidbody_world.point_cache:
        yield scene.rigidbody_world.point_cache


def caches_of(obj: bpy.types.Object, *, switched_on: bool = False) -> Iterator[bpy.types.PointCache]:
    """But for those that are not there, as a changed file has them: nothing is written by what lacks one.

    switched_on: only of what is simulated as frames are visited.
    """
    found = [
        cache
        for modifier in obj.modifiers
        if modifier.show_viewport or not switched_on
        for cache in _caches_of_modifier(obj, modifier)
    ]
    if not switched_on:  # and of particles without a modifier
        found += [each.point_cache for each in obj.particle_systems if each.point_cache not in found]
    yield from (cache for cache in found if cache is not None)


def _caches_of_modifier(
    obj: bpy.types.Object, modifier: bpy.types.Modifier
) -> list[bpy.types.PointCache | None]:
    if isinstance(modifier, bpy.types.SoftBodyModifier) and obj.soft_body is None:
        return []  # as no Blender makes it; to ask for its cache would end this one
    if isinstance(modifier, bpy.types.ClothModifier | bpy.types.SoftBodyModifier):
        return [modifier.point_cache]
    if isinstance(modifier, bpy.types.DynamicPaintModifier) and modifier.canvas_settings is not None:
        return [surface.point_cache for surface in modifier.canvas_settings.canvas_surfaces]
    if isinstance(modifier, bpy.types.ParticleSystemModifier) and modifier.particle_system is not None:
        return [modifier.particle_system.point_cache]
    return []


def writes(cache: bpy.types.PointCache) -> bool:
    """Whether any in its list is written, or cleared, on disk as frames are visited: not what is baked."""
    return any(
        not item.is_baked and (item.use_disk_cache or item.use_external) for item in cache.point_caches
    )


def what_writes() -> frozenset[Hashable]:
    """Whatever writes or deletes on disk as shapes are shown, as things are now; each by what it is of.

    A fluid does so in a folder that the file names.
    """
    found = [each for obj in bpy.data.objects for each in _written_by(obj)]
    found += [(obj.session_uid, "soft body") for obj in bpy.data.objects if _has_hidden_soft_body(obj)]
    for scene in bpy.data.scenes:
        found += [(scene.session_uid, *_places(each)) for each in caches_of_bodies(scene) if writes(each)]
    return frozenset(found)


def _written_by(obj: bpy.types.Object, *, switched_on: bool = False) -> Iterator[Hashable]:
    for cache in caches_of(obj, switched_on=switched_on):
        if writes(cache):
            yield obj.session_uid, *_places(cache)
    for fluid in _fluids_of(obj, switched_on=switched_on):
        if not _is_baked(fluid):
            yield obj.session_uid, fluid.cache_directory


def _places(cache: bpy.types.PointCache) -> tuple[str, ...]:
    return tuple(said for item in cache.point_caches for said in (item.filepath, item.name))


def what_animates_writing() -> frozenset[Hashable]:
    """Whatever in the file may change that from frame to frame: curves and drivers, by owner and path.

    How things are now says nothing of the frames that would be visited then.
    """
    return frozenset(animated("point_cache", "domain_settings", "fluid_type"))


def anything_writes() -> bool:
    """Whether anything in the file writes on disk as shapes are shown or frames visited, or may do so."""
    return bool(what_writes() or what_animates_writing())


def first_writer() -> bpy.types.Object | bpy.types.Scene | None:
    """The first that writes on disk as frames are visited, in whatever scene or view layer it is.

    What is switched off does not, unless anything is switched on and off from frame to frame.
    """
    switched_off = None
    for obj in bpy.data.objects:
        if _writes(obj, switched_on=True):
            return obj
        if switched_off is None and _writes(obj):
            switched_off = obj
    for scene in bpy.data.scenes:
        if any(map(writes, caches_of_bodies(scene))):
            return scene
    return switched_off if switched_off is not None and any(True for _ in animated("show_viewport")) else None


def _writes(obj: bpy.types.Object, *, switched_on: bool = False) -> bool:
    return any(True for _ in _written_by(obj, switched_on=switched_on))


def check_visits() -> None:
    """Raise Problem("visits_write" | "visits_animated") where to visit frames may let something write.

    A script that visits a frame has all view layers evaluated, and frames that nobody looks at.
    """
    writer = first_writer()
    if writer is not None:
        raise Problem("visits_write", object=readable_name(writer))
    if what_animates_writing():
        raise Problem("visits_animated")


def _has_hidden_soft_body(obj: bpy.types.Object) -> bool:
    """Whether it has settings of a soft body without the modifier, by which alone its cache could be seen."""
    return obj.soft_body is not None and not any(each.type == "SOFT_BODY" for each in obj.modifiers)


def has_fluid(obj: bpy.types.Object) -> bool:
    """Whether a fluid is simulated in it."""
    return any(True for _ in _fluids_of(obj))


def check_saved_elsewhere() -> None:
    """Raise Problem("fluid_emptied") where a fluid would empty a folder as the file is saved elsewhere.

    Blender makes what the file names relative to that, and takes this for a change of the fluid. A folder
    that is called as Blender calls them is the fluid's own, whatever is in there.
    """
    for obj in bpy.data.objects:
        for fluid in _fluids_of(obj):
            named = fluid.cache_directory
            if _is_baked(fluid) or not named.startswith("//"):
                continue
            folder = Path(os.path.normpath(bpy.path.abspath(named)))
            if not folder.name.startswith(FLUIDS_OWN) and os.path.lexists(folder):
                raise Problem("fluid_emptied", object=readable_name(obj), path=folder)


def caches_are_animated() -> bool:
    """Whether anything in the file may change from frame to frame which point caches are kept on disk."""
    return any(True for _ in animated("point_cache"))


def kept_by_libraries() -> list[bpy.types.Object]:
    """What is simulated in other files, whose frames may be written beside those: it stands still in bakes.

    But for fluids.
    """
    linked = (obj for obj in bpy.data.objects if obj.library is not None)
    return [obj for obj in linked if _has_hidden_soft_body(obj) or any(map(writes, caches_of(obj)))]


def _fluids_of(
    obj: bpy.types.Object, *, switched_on: bool = False
) -> Iterator[bpy.types.FluidDomainSettings]:
    for modifier in obj.modifiers:
        counts = modifier.show_viewport or not switched_on
        if isinstance(modifier, bpy.types.FluidModifier) and modifier.domain_settings is not None and counts:
            yield modifier.domain_settings


def _is_baked(fluid: bpy.types.FluidDomainSettings) -> bool:
    """And not being baked, which a file may say at the same time."""
    return (
        fluid.cache_type in ("MODULAR", "ALL")
        and fluid.has_cache_baked_data
        and not fluid.is_cache_baking_any
    )
