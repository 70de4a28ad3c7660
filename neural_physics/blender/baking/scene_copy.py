"""The copy of the scene that is baked: saved from the artist's, then made ready in the worker's Blender."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import cast

import bpy

from ...errors import Problem
from ...files.blenders_places import BESIDE_SCENE, check_blenders
from ...files.just_written import written_for_us
from ...files.reading import NotReadable
from ...files.replacing import replace
from ..playing.collision_suspension import wake_collider
from ..playing.output.geometry_nodes import remove_modifier
from ..scene.modifiers.cache_modifier import remove_cache
from ..scene.modifiers.modifier_stack import physics_place, restore_physics
from ..scene.saving import save_open_file
from ..scene.simulation_caches import point_caches
from ..scene.sources import physics_modifier, shows_modifiers, uses_solver
from ..settings.properties import settings_of
from .seals import Content, content_of


def save_copy(path: Path) -> Content | None:
    """Save what is open as another file; the artist's file, its name and its undo steps stay as they are.

    Its content as it was written, for a seal; None where others may have exchanged it before it was read.
    Raises Problem("folder_not_writable" | "disk_full" | "sculpt_elsewhere" | "place_not_blenders").
    """
    scratch = check_blenders(path.with_name(f"{path.stem}.new.blend"), BESIDE_SCENE)
    try:
        # Blender writes to the second one first, and through a link that was put there.
        for left in (scratch, scratch.with_name(f"{scratch.name}@")):
            left.unlink(missing_ok=True)
        with written_for_us(path.parent) as writing:
            with _collections_saved():
                save_open_file(scratch, copy=True, relative_remap=True)
            try:
                with writing.opened(scratch) as file:
                    content: Content | None = content_of(file)
            except NotReadable:
                content = None
        replace(scratch, path)
        return content
    except (RuntimeError, OSError) as error:
        # Blender reports a full disk in words only.
        if os.strerror(errno.ENOSPC) in str(error):
            raise Problem("disk_full", path=path.parent) from error
        raise Problem("folder_not_writable", path=path.parent, reason=str(error).strip()) from error


@contextmanager
def _collections_saved() -> Iterator[None]:
    """Let all collections be saved, also those that only cloth refers to: Blender does not count that as use.

    Cloth without the collection of its colliders would collide with everything.
    """
    loose = [each for each in bpy.data.collections if each.library is None and not each.use_fake_user]
    for each in loose:
        each.use_fake_user = True
    try:
        yield
    finally:
        for each in loose:
            each.use_fake_user = False


def prepare_for_bake(
    scene: bpy.types.Scene,
    view_layer: str,
    obj: bpy.types.Object,
    frames: int,
    *,
    also: Sequence[bpy.types.Object] = (),
) -> None:
    """Leave in the open file only what the simulation of `frames` frames needs.

    also: what is baked together with the object.
    """
    _keep_only(scene, view_layer)
    for other in scene.objects:
        if other.library is None:
            _simulate_again(other)
    for each in (obj, *also):
        switch_off_after_physics(each, collides=bool(also))
    for field in noisy_winds(scene):
        cast(bpy.types.FieldSettings, field.field).noise = 0.0
    for each in (obj, *also):
        _show(scene, each)
    _fresh_caches(scene, obj, frames)


def noisy_winds(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Force fields with noise: it differs from run to run and cannot be read, so nothing can learn it."""
    return [obj for obj in scene.objects if obj.field and obj.field.type != "NONE" and obj.field.noise > 0.0]


def first_frame(obj: bpy.types.Object) -> int:
    """The frame that the simulation starts at."""
    if uses_solver(obj) or shows_modifiers(obj):
        return settings_of(obj).start_frame
    modifier = physics_modifier(obj)
    if modifier is None:
        raise Problem("no_physics", object=obj.name)
    return modifier.point_cache.frame_start


def simulates_alone(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether nothing but the object's own cloth keeps a state from frame to frame.

    Only then does its cache on disk hold all that is needed to go on from there: a soft body also
    remembers where its colliders were.
    """
    caches = list(point_caches(scene))
    modifier = physics_modifier(obj)
    return len(caches) == 1 and modifier is not None and modifier.type == "CLOTH"


def _keep_only(scene: bpy.types.Scene, view_layer: str) -> None:
    """Every scene and view layer would simulate on its own."""
    for other in [s for s in bpy.data.scenes if s != scene]:
        bpy.data.scenes.remove(other)
    for layer in [v for v in scene.view_layers if v.name != view_layer]:
        scene.view_layers.remove(layer)


def _show(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """What is hidden is not evaluated."""
    layers = [scene.view_layers[0].layer_collection]
    above = [0]
    for number, layer in enumerate(layers):  # a collection may be in a thousand others: no recursion
        layers.extend(layer.children)
        above.extend(number for _ in layer.children)
    holds = [obj.name in layer.collection.objects for layer in layers]
    for number in reversed(range(len(layers))):
        if holds[number]:
            holds[above[number]] = True
            layers[number].hide_viewport = layers[number].collection.hide_viewport = False
    obj.hide_viewport = False
    obj.hide_set(False, view_layer=scene.view_layers[0])


def _simulate_again(obj: bpy.types.Object) -> None:
    """Undo what Play has done to an object's modifiers; nothing plays in the worker."""
    remove_modifier(obj)
    remove_cache(obj)
    restore_physics(obj, is_harmless=True)  # what writes does so below the take
    wake_collider(obj)


def switch_off_after_physics(obj: bpy.types.Object, *, collides: bool) -> None:
    """What comes after the physics, and that itself where the bundled solver takes its place.

    collides: others run into it still.
    """
    for modifier in list(obj.modifiers)[physics_place(obj) + (not uses_solver(obj)) :]:
        modifier.show_viewport &= collides and modifier.type == "COLLISION"


def _fresh_caches(scene: bpy.types.Scene, obj: bpy.types.Object, frames: int) -> None:
    """Free what travelled in the copy, and let every simulation run to the last frame.

    But for those of libraries: Blender would delete what they have on disk, which is their own files'.
    """
    if shows_modifiers(obj):
        _forget_nodes_caches(scene, first_frame(obj))
    last = first_frame(obj) + frames - 1
    for cache in point_caches(scene):
        if cast(bpy.types.ID, cache.id_data).library is None:
            with bpy.context.temp_override(scene=scene, point_cache=cache):
                bpy.ops.ptcache.free_bake()
            cache.frame_end = max(cache.frame_end, last)
    if uses_solver(obj) or shows_modifiers(obj):
        return
    physics = physics_modifier(obj)
    assert physics is not None  # first_frame has refused it
    physics.point_cache.frame_step = 1
    physics.point_cache.use_external = False
    # To resume from, and because in memory it takes 36 bytes per vertex and frame. Not the others':
    # Blender crashes on a rigid body world's.
    physics.point_cache.use_disk_cache = True


def _forget_nodes_caches(scene: bpy.types.Scene, first: int) -> None:
    """Let what Geometry Nodes simulate begin at the first frame, whatever was baked in the artist's file.

    Nothing is read or deleted where the scene says that it was baked to: that may be anywhere.
    """
    scene.frame_start = first
    layer, nowhere = scene.view_layers[0], mkdtemp(prefix="nodes_", dir=bpy.app.tempdir)
    for obj in layer.objects:
        modifiers = [each for each in obj.modifiers if isinstance(each, bpy.types.NodesModifier)]
        theirs = obj.library or obj.override_library  # Blender 5 changes no caches of either
        if not modifiers or obj.hide_viewport or theirs:  # what is hidden is not evaluated
            continue
        for modifier in modifiers:
            modifier.bake_directory = nowhere
            for bake in modifier.bakes:
                bake.directory, bake.use_custom_path = nowhere, True
        with bpy.context.temp_override(scene=scene, view_layer=layer, object=obj, active_object=obj):
            bpy.ops.object.simulation_nodes_cache_delete(selected=False)
