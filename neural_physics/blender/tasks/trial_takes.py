"""A take of two seconds that belongs to no dataset: to see within seconds what a bake will simulate."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy

from ..baking import preparing
from ..display import takes
from ..jobs import host
from ..settings.frame_rate import frame_rate_of
from ..settings.own_folders import scratch_folder
from . import facts, object_tasks
from .object_tasks import TEST, trial_folder

SECONDS = 2.0
DATASET = "dataset"  # within the test's folder


def check_trial(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps an object from being tested: one of `object_tasks.check_bake`."""
    object_tasks.check_bake(scene, obj)


def trial_command(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """Write what the test needs, in place of the last one; the job that bakes it.

    Raises what `check_trial` and the bake do.
    """
    facts.forget_facts()
    check_trial(scene, obj)
    forget_trial(obj)
    frames = max(preparing.FEWEST_FRAMES, round(SECONDS * frame_rate_of(scene)))
    return preparing.prepare_trial(scene, obj, trial_folder(obj) / DATASET, frames)


def show_trial(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Show the take beside the object, as Show Take does. Raises what `takes.show_take` does."""
    takes.show_take(scene, obj, folder=trial_folder(obj) / DATASET, called=takes.TEST)


def hide_take(obj: bpy.types.Object) -> None:
    """Take the copies away that show a take, and the test with them if it is what is shown."""
    tested = takes.shown_take(obj) == takes.TEST
    takes.hide_take(obj)
    if tested:
        forget_trial(obj)


def forget_trial(obj: bpy.types.Object) -> None:
    """Remove the test's folder, and what shows it; harmless where there is none, or one that runs."""
    folder = trial_folder(obj)
    if host.state_of(folder, TEST).active:
        return
    if takes.shown_take(obj) == takes.TEST:
        takes.hide_take(obj)
    host.forget(folder, [TEST])
    shutil.rmtree(folder, ignore_errors=True)


def object_of(folder: Path) -> bpy.types.Object | None:
    """The object that a test's folder belongs to."""
    return next((obj for obj in bpy.data.objects if trial_folder(obj) == folder), None)


def unregister() -> None:
    """Remove what this Blender has tested."""
    shutil.rmtree(scratch_folder(), ignore_errors=True)
