"""What scripts have in common that run in a Blender with the extension: `from inside_blender import ...`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from one_blender import MODULE

ours = bpy.ops.neural_physics


def part(name: str) -> ModuleType:
    """A module of the installed extension, such as `panels.play`, as it is loaded now."""
    return importlib.import_module(f"{MODULE}.{name}")


def saved_scene() -> Path:
    """Begin with an empty scene, saved in the current folder, which is returned."""
    here = Path.cwd()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(here / "scene.blend"))
    return here


def add_example(name: str = "BALL_AND_SHEET", **settings: Any) -> bpy.types.Object:
    """The simulated object of an example, with some of its settings changed."""
    ours.add_example(name=name)
    obj = bpy.context.active_object
    for setting, value in settings.items():
        setattr(obj.neural_physics, setting, value)
    return obj


def shown(obj: bpy.types.Object, frame: int) -> np.ndarray:
    """(V, 3) where an object's vertices are shown at a frame, metres, in its own axes."""
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    return places.reshape(-1, 3)


def apart(ones: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> float:
    """Metres, root mean square, between shapes of as many frames."""
    return float(np.sqrt(np.mean(np.sum((np.array(ones) - np.array(others)) ** 2, axis=2))))


def few_vertices(points: int = 15) -> None:
    """Have Ball & Sheet made of so many vertices each way, in this script: enough for what buttons do."""
    part("neural_physics.blender.examples.cloth.ball_and_sheet").build.__defaults__ = (points,)


def train_briefly(steps: int = 60) -> None:
    """Have trainings by steps end after so many, in this script: whether they train is all that is asked."""
    tasks = part("neural_physics.blender.tasks.object_tasks")
    arguments = tasks._train_arguments
    tasks._train_arguments = lambda obj: [*arguments(obj), "--set", f"steps={steps}"]


def shape(obj: bpy.types.Object, frame: int | None = None) -> list[tuple[float, ...]]:
    """Where an object's vertices are shown, at a frame or now."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(vertex.co) for vertex in mesh.vertices]


def refused(part_of_reason: str, operator: Callable[..., Any], **options: Any) -> None:
    """Assert that an operator cannot be run, and that the reason has these words."""
    try:
        operator(**options)
    except RuntimeError as error:
        assert part_of_reason in str(error), error
    else:
        raise AssertionError("it was not refused")
