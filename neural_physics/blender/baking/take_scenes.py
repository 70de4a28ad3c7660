"""The scenes that takes are baked in: one for each, made from the copy of the artist's."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import bpy

from ...baking.plan import BakePlan, PlannedTake
from ...errors import Problem
from ...files.atomic import writing
from ...files.blenders_places import BESIDE_SCENE, check_blenders
from ...files.links import check_no_link, is_own_file
from ...files.reading import NotReadable, open_plain
from ..scene.live_fabric import key_fabric
from ..scene.rigs.repeatability import check_rigs_repeat
from ..settings.frame_rate import frame_rate_of
from ..settings.from_files.limits import bring_within
from ..settings.overridden import misdirected, redirect
from ..settings.properties import settings_of
from .caches_below import caches_written_below
from .motion.frame_rates import check_frame_rate
from .motion.pose_motion import key_poses
from .motion.training_motion import Span, check_boxes, key_training_motion
from .scene_copy import first_frame, prepare_for_bake, save_copy
from .seals import Trust
from .trust import holds_scripts

SILENT = (
    "Python in the scene (drivers, scripts) does not run on this computer, which did not make it: what it "
    "moves stands still in the takes. If you trust it, bake with `work --run-scripts` here, or on the "
    "computer that prepared the bake."
)


class OpenedScene(NamedTuple):
    """A scene that was opened, and the object in it. trusted: whether its scripts could run at once."""

    scene: bpy.types.Scene
    obj: bpy.types.Object
    trusted: bool


def open_scene(path: Path, plan: BakePlan, trust: Trust) -> OpenedScene:
    """Open a copy of the scene; its scripts may run if it was made here.

    What was checked when the bake was prepared is checked again: the copy may be somebody else's.
    Raises Problem("place_not_blenders" | "place_is_link" | "folder_not_writable" | "bake_scene_lost" |
    "bake_frame_rate" | "frame_rate_missing").
    """
    check_blenders(path, BESIDE_SCENE)
    check_no_link(path.parent)
    check_no_link(path)
    _clear_cache_of_others(path.with_name(f"blendcache_{path.stem}"))
    try:
        open_plain(path).close()  # Blender would wait for a pipe
        trusted = trust.is_in(path)
        with caches_written_below(path.parent, plan.object):
            bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=trusted)
        scene = bpy.data.scenes[plan.scene]
        obj = scene.objects[plan.object]
    except (OSError, NotReadable, RuntimeError, KeyError) as error:
        raise Problem("bake_scene_lost", path=path, object=plan.object) from error
    redirect(misdirected())  # caches are written below the take
    bring_within(settings_of(obj))  # those of an object that is not set up were not looked at
    check_frame_rate(scene, obj)
    return OpenedScene(scene, obj, trusted)


def _clear_cache_of_others(cache: Path) -> None:
    """Blender writes its cache, which lies there, through what stands for another file, and waits for a pipe.

    Whatever is opened for: each visit of a frame simulates what else is in the scene.
    """
    check_no_link(cache)
    with writing(cache):
        for path in cache.iterdir() if cache.is_dir() else ():
            if not is_own_file(path) and not path.is_dir():
                path.unlink()


def found_in(scene: bpy.types.Scene, name: str, path: Path) -> bpy.types.Object:
    """The object of that name. Raises Problem("bake_scene_lost")."""
    obj = scene.objects.get(name)
    if obj is None or obj.type != "MESH":
        raise Problem("bake_scene_lost", path=path, object=name)
    return obj


def write_take_scene(path: Path, plan: BakePlan, take: PlannedTake, trust: Trust) -> None:
    """The copy of the scene with a take's motion, or its poses, so that a resumed take has the same.

    Raises what `open_with_motion` does, and Problem("rig_not_repeatable").
    """
    scene, obj, trusted = open_with_motion(plan, take, trust)
    check_rigs_repeat(scene, obj, first_frame(obj) + take.frames // 2)
    check_no_link(path.parent)
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    content = save_copy(path)
    # Else its Python would run here from now on, whoever has written it, or exchanged what was opened.
    if trusted and trust.is_in(plan.scene_copy):
        trust.seal(path, content)


def notes_on_scripts(plan: BakePlan, path: Path, trust: Trust) -> list[str]:
    """What there is to say of the Python of an open scene that lies there, if the plan does not say it."""
    said = any("Python" in note for note in plan.notes)
    return [SILENT] if holds_scripts() and not trust.is_in(path) and not said else []


def open_with_motion(plan: BakePlan, take: PlannedTake, trust: Trust) -> OpenedScene:
    """Open the copy of the scene and give it a take's motion, or its poses.

    Raises what `open_scene`, `key_poses` and `check_boxes` do.
    """
    scene, obj, trusted = open_scene(plan.scene_copy, plan, trust)
    if plan.view_layer not in scene.view_layers:
        raise Problem("bake_scene_lost", path=plan.scene_copy, object=obj.name)
    also = [found_in(scene, each.object, plan.scene_copy) for each in plan.together]
    prepare_for_bake(scene, plan.view_layer, obj, take.frames, also=also)
    first = first_frame(obj)
    scene.frame_set(first)
    span = Span(first, take.frames, frame_rate_of(scene))
    if take.kind == "quasistatic":
        key_poses(scene, obj, span, take.seed)
    else:
        check_boxes(obj)
        key_training_motion(obj, span, take.seed, take.role)
        key_fabric(obj, span, take.seed)
    return OpenedScene(scene, obj, trusted)
