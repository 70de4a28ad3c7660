"""The trained models that the extension brings for *Try It*: `python -m tools.try_it_models [EXAMPLE]`.

Bakes and trains the example as its buttons do, in build/try_it/, and writes what plays into the extension, as
small as it can be. Every step is skipped if what it makes is there already.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from learning.training.tensor_files import Tensors, write_model
from neural_physics.blender.examples import build, trained
from neural_physics.blender.settings.paths import jobs_folder, model_path
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.models.model_file import read_model
from tools import workshop

FOLDER = workshop.ROOT / "build" / "try_it"
AUTHOR, LICENCE = "Neural Physics developers", "CC0-1.0"
LARGE = 10_000  # numbers in a tensor, from which half the digits will do: shapes, and not how they move


@dataclass(frozen=True)
class Recipe:
    """takes, frames: of the bake. bases: of the model."""

    takes: int
    frames: int
    bases: int


RECIPES = {"BALL_AND_SHEET": Recipe(30, 1200, 32), "SKIRT": Recipe(10, 2000, 32)}


def make(name: str) -> Path:
    """Bake, train and shrink one example's model; its path."""
    recipe, blend = RECIPES[name], FOLDER / name.lower() / "scene.blend"
    scene = workshop.empty_scene()
    if blend.is_file():
        bpy.ops.wm.open_mainfile(filepath=str(blend))
        obj = next(o for o in bpy.data.objects if settings_of(o).enabled)
    else:
        blend.parent.mkdir(parents=True, exist_ok=True)
        obj = build(name, scene)
        settings = settings_of(obj)
        settings.take_count, settings.take_frames = recipe.takes, recipe.frames
        settings.basis_count, settings.preset = recipe.bases, "balanced"
        settings.dataset_folder = "//neural_physics/dataset"
        settings.model_path = "//neural_physics/model.safetensors"
        bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    jobs = jobs_folder(obj)
    if not model_path(obj).is_file():
        workshop.bake(obj, f"Bake {obj.name}")
        workshop.run_job(f"Train {obj.name}", jobs, object_tasks.TRAIN, object_tasks.train_command(obj))
    return shrink(model_path(obj), trained.model_path(name))


def shrink(source: Path, target: Path) -> Path:
    """The model with its large tensors as half floats, its author and its licence."""
    model = read_model(source)
    tensors: Tensors = {
        name: tensor.astype(np.float16) if tensor.size > LARGE and tensor.dtype == np.float32 else tensor
        for name, tensor in model.tensors.items()
    }
    write_model(target, replace(model.info, author=AUTHOR, licence=LICENCE), tensors)
    for name, tensor in model.tensors.items():
        workshop.console.print(f"{name}: {tensor.shape}, {tensors[name].nbytes / 1e3:.0f} kB")
    workshop.console.print(f"{target}: {target.stat().st_size / 1e3:.0f} kB")
    return target


def main() -> None:
    """Make what the command line names, else all."""
    for name in sys.argv[1:] or RECIPES:
        make(name)


if __name__ == "__main__":
    workshop.run_and_exit(main)
