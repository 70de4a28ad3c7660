"""What becomes of a job that has finished: its takes are counted, its model goes into the .blend."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import bpy

from ...neural_physics.blender.playing import playback
from ...neural_physics.blender.settings.having_settings import having_settings
from ...neural_physics.blender.settings.paths import jobs_folder, trained_model
from ...neural_physics.blender.settings.properties import settings_of
from ...neural_physics.blender.tasks import making, object_tasks, trial_takes
from ...neural_physics.datasets.status import forget
from ...neural_physics.errors import Problem
from ..play import start_animation
from ..support import remember_in_undo


def objects_of(folder: Path) -> list[bpy.types.Object]:
    """Those whose jobs keep their files in a folder."""
    enabled = [o for o in having_settings(bpy.data.objects) if settings_of(o).enabled and o.library is None]
    return [obj for obj in enabled if _has_jobs_in(obj, folder)]


def _has_jobs_in(obj: bpy.types.Object, folder: Path) -> bool:
    try:
        return jobs_folder(obj) == folder
    except Problem:  # it names a place that the artist has not agreed to
        return False


def baked(folder: Path, result: dict[str, Any]) -> bool:
    """What Make It Play has begun goes on."""
    forget()
    for obj in objects_of(folder):
        making.baked(obj)
    remember_in_undo("Baked Takes")
    return True


def tested(folder: Path, result: dict[str, Any]) -> bool:
    """What was simulated appears beside its object, unless that is gone."""
    if not playback.may_deliver(folder, object_tasks.TEST):
        return False
    obj, scene = trial_takes.object_of(folder), bpy.context.scene
    if obj is not None and scene is not None and obj.name in scene.objects:
        trial_takes.show_trial(scene, obj)
    return True


def trained(folder: Path, result: dict[str, Any]) -> bool:
    """The new model goes into the .blend, ready for Play; it waits while another .blend is open."""
    objects = objects_of(folder)
    if not objects or any(obj.mode == "EDIT" for obj in objects):
        return False
    if not playback.may_deliver(folder, object_tasks.TRAIN):
        return False
    by_file = defaultdict[Path, list[bpy.types.Object]](list)
    for obj in objects:
        by_file[trained_model(obj, result)].append(obj)
    for path, playing in by_file.items():
        object_tasks.use_models(playing, path)
    remember_in_undo("Trained Model")
    began = [obj for obj in objects if making.trained(obj)]
    if began:
        start_animation()
    return True
