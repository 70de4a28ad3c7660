"""Where what is simulated in a scene keeps its frames on disk: in the folder of the scene, whatever it says.

A scene names any place for that: the artist's own simulation may lie there, or a stranger's choice. A fluid
writes there in each frame, and other caches delete what they find as soon as they are simulated anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...errors import Problem
from ...files.blenders_places import check_fluids_place
from ..scene.simulation_caches import (
    caches_are_animated,
    caches_of,
    caches_of_bodies,
    has_fluid,
    kept_by_libraries,
)

PREFIX = "neural_physics_"  # of the names that caches are given


@contextmanager
def caches_written_below(folder: Path, obj: str) -> Iterator[None]:
    """Let what is simulated in a file that is opened here keep its caches beside it, or in a new folder.

    Where that cannot be said of all of them, nothing of the file is left, and it raises
    Problem("bake_scene_lost"), which names obj.
    """
    done: list[str] = []

    @persistent  # the file that is opened would take it away
    def name_anew(*_: object) -> None:
        try:
            _name_anew(folder)
            done.append(bpy.data.filepath)
        finally:
            if not done:  # what was not come to would be simulated next
                bpy.data.batch_remove(ids=[*bpy.data.scenes[1:], *bpy.data.objects, *bpy.data.collections])

    loaded = bpy.app.handlers.load_post  # after which Blender evaluates the file for the first time
    loaded.append(name_anew)
    try:
        yield
    finally:
        loaded.remove(name_anew)
    if not done:
        raise Problem("bake_scene_lost", path=folder, object=obj)


def _name_anew(folder: Path) -> None:
    if caches_are_animated():  # which of an object's is in use, and not all need be seen
        raise ValueError("a cache is animated")
    own = [obj for obj in bpy.data.objects if obj.library is None]
    for obj in own:
        if obj.override_library is not None and (has_fluid(obj) or any(True for _ in caches_of(obj))):
            obj.make_local(clear_liboverride=True)  # else its caches are those of the library again
        _drop_hidden_soft_body(obj)
    for obj in bpy.data.objects:
        for modifier in list(obj.modifiers):
            if isinstance(modifier, bpy.types.FluidModifier) and modifier.domain_settings is not None:
                check_fluids_place(folder)
                if obj.library is not None:
                    obj.modifiers.remove(modifier)
                else:
                    _make_domain_anew(modifier, mkdtemp(prefix="fluid_", dir=folder))
    for scene in bpy.data.scenes:
        _keep_here(caches_of_bodies(scene))
    for obj in own:
        _keep_here(caches_of(obj))
    for obj in kept_by_libraries():
        _take_off(obj)


def _make_domain_anew(modifier: bpy.types.FluidModifier, folder: str) -> None:
    """The same settings in a new domain in a folder: each has a point cache, too, which Python does not show.

    The folder first, and nothing of the old one: most of the settings delete what is there.
    """
    old: Any = modifier.domain_settings
    names = [each.identifier for each in old.bl_rna.properties if not each.is_readonly]
    names.remove("cache_directory")
    told = {name: getattr(old, name) for name in names}
    told = {name: value[:] if hasattr(value, "__len__") else value for name, value in told.items()}
    modifier.fluid_type = "NONE"
    modifier.fluid_type = "DOMAIN"
    domain = modifier.domain_settings
    assert domain is not None  # it has just been made one
    domain.cache_directory = folder
    for name, value in told.items():
        with suppress(TypeError, AttributeError):  # what depends on another one that comes later
            setattr(domain, name, value)


def _take_off(obj: bpy.types.Object) -> None:
    """Let what a library simulates stand still: its frames lie beside the library, or where that says.

    To name them anew, or to switch it off, would move or delete them there. What is baked plays.
    """
    for modifier in list(obj.modifiers):
        if modifier.type in ("CLOTH", "SOFT_BODY", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"):
            obj.modifiers.remove(modifier)


def _keep_here(caches: Iterable[bpy.types.PointCache]) -> None:
    """Let caches lie beside the file, and all that are in their lists name a place that goes with Blender.

    Not none: which of them is in use, and whether it lies where it says, can be animated. Their names are
    parts of those of the files, and the bytes of a .blend may make them lead anywhere: each gets one of ours,
    before anything else, as Blender falls back on an older one where two of an object have the same. What is
    called so already keeps its name, by which a resumed bake finds its frames.
    """
    items = [item for cache in caches for item in cache.point_caches]
    taken = [_name_of(item) for item in items]
    free = (name for name in (f"{PREFIX}{number}" for number in count(1)) if name not in taken)
    for number, item in enumerate(items):
        if not taken[number].startswith(PREFIX) or taken.index(taken[number]) < number:
            item.name = next(free)
        item.use_external, item.filepath = False, bpy.app.tempdir
    # After all of it, as each of these lets Blender look at the names again; and some may be out of sight.
    if not all(_name_of(item).removeprefix(PREFIX).isdecimal() and not item.use_external for item in items):
        raise ValueError("a cache is not where it was to be")


def _name_of(item: bpy.types.PointCacheItem) -> str:
    try:
        return item.name
    except UnicodeDecodeError:
        return ""


def _drop_hidden_soft_body(obj: bpy.types.Object) -> None:
    """Take away settings of a soft body without its modifier, by which alone their cache could be named."""
    if obj.soft_body is not None and not any(each.type == "SOFT_BODY" for each in obj.modifiers):
        modifier = obj.modifiers.new("Hidden", "SOFT_BODY")
        assert isinstance(modifier, bpy.types.SoftBodyModifier)
        _keep_here([modifier.point_cache])
        obj.modifiers.remove(modifier)
