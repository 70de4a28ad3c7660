"""What the demo and the benchmarks share: scenes to work in, and jobs watched in a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from neural_physics import wording
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.jobs import host
from neural_physics.blender.playing import playback
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.paths import dataset_folder, jobs_folder
from neural_physics.blender.tasks import object_tasks
from neural_physics.jobs.isolated_python import run_module
from neural_physics.jobs.life_cycle import JobState

ROOT = Path(__file__).resolve().parents[1]
console = Console()
T = TypeVar("T")


def empty_scene() -> bpy.types.Scene:
    """A scene with nothing in it, in a Blender that knows the extension's settings."""
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
        playback.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    preferences = bpy.context.preferences
    assert preferences is not None  # Blender always has some
    preferences.filepaths.save_version = 0  # no .blend1 beside what is saved
    scene = bpy.context.scene
    assert scene is not None  # one was just made
    return scene


def run_and_exit(main: Callable[[], None]) -> NoReturn:
    """Run a script's main function and end the process at once: bpy 4.5 can hang when Python ends."""
    status = 1
    try:
        main()
        status = 0
    except SystemExit as ended:
        console.print(ended.code)
    except BaseException:  # noqa: BLE001 (whatever it is, it is shown)
        console.print_exception()
    sys.stdout.flush()
    os._exit(status)


def run_job(title: str, folder: Path, kind: str, argv: Sequence[str]) -> dict[str, Any]:
    """Run or resume one job with a progress bar; returns what it delivered.

    Raises SystemExit with the job's own sentence if it fails or is stopped.
    """
    with progress_bar() as bar:
        task = bar.add_task(title, total=1.0, left="")

        def show(state: JobState) -> None:
            left = "" if state.seconds_left is None else f"{wording.duration(state.seconds_left)} left"
            bar.update(task, completed=state.share, description=f"{title}: {state.stage}", left=left)

        state = host.run_blocking(folder, kind, argv, show)
        if state.phase == "finished":
            bar.update(task, completed=1.0, description=title, left="done")
    if state.phase != "finished":
        raise SystemExit(f"{title}: {state.message} (log: {host.log_of(folder, kind)})")
    return state.result


def bake(obj: bpy.types.Object, title: str, takes: Sequence[PlannedTake] | None = None) -> dict[str, Any]:
    """Bake a saved scene's object through the extension's own job, or go on where that was stopped.

    Returns what the job delivered. takes: other takes than the object's settings ask for.
    """
    scene = bpy.context.scene
    assert scene is not None  # there is always one
    argv = prepare_bake(scene, obj)
    if takes is not None:
        replace(BakePlan.of_dataset(dataset_folder(obj).resolve()), takes=tuple(takes)).write()
    return run_job(title, jobs_folder(obj), object_tasks.BAKE, argv)


def key_path(obj: bpy.types.Object, path: NDArray[np.float64]) -> None:
    """Key an object's location at every frame from 1 on; path (frames, 3), metres."""
    obj.animation_data_clear()
    animation = obj.animation_data_create()
    animation.action = bpy.data.actions.new(obj.name)
    keys = np.empty((len(path), 2), np.float32)
    keys[:, 0] = np.arange(1, len(path) + 1)
    for axis in range(3):
        curve = animation.action.fcurve_ensure_for_datablock(obj, "location", index=axis)
        keys[:, 1] = path[:, axis]
        curve.keyframe_points.add(len(path))
        curve.keyframe_points.foreach_set("co", keys.ravel())
        curve.update()


def backend(command: str, *words: object) -> list[str]:
    """The command line of one of the training back end's jobs."""
    return [*run_module(sys.executable, "ml_backend"), command, *map(str, words), "--json"]


def counted(title: str, items: Sequence[T]) -> Iterable[T]:
    """Go through items with a progress bar and the time left."""
    with Progress(*Progress.get_default_columns(), console=console) as bar:
        yield from bar.track(items, description=title)


def progress_bar() -> Progress:
    """A line with what is done, a bar and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
    )
