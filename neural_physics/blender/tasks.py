"""The long tasks of an object as jobs: what stands in their way, and their command lines."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import bpy

from .. import importing, takes
from ..bake_plan import side_folder
from ..errors import Problem
from . import baking, job_host, packing, playback, training_environment
from .cache_modifier import remove_cache
from .dataset_status import dataset_status, forget
from .evaluation_display import hide_evaluation
from .paths import dataset_folder, jobs_folder, model_path, user_folder
from .properties import settings_of
from .sources import check_mesh, mesh_of
from .targets import check_set_up

BAKE, TRAIN, EVALUATE = "bake", "train", "evaluate"
NAMES = {BAKE: "Bake", TRAIN: "Training", EVALUATE: "Evaluation"}


def check_bake(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps an object from being baked."""
    obj = check_set_up(obj)
    baking.check_bake(scene, obj)
    _check_free(obj)


def check_train(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a model from being trained."""
    obj = check_set_up(obj)
    _check_dataset(obj)
    training_environment.require_python()
    _check_free(obj)


def check_evaluate(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a model from being evaluated."""
    check_play(obj)
    obj = check_set_up(obj)
    _check_dataset(obj)
    training_environment.require_python()
    _check_free(obj)


def check_play(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that shows, without reading the model, that an object cannot play."""
    obj = check_set_up(obj)
    check_mesh(obj)
    if settings_of(obj).model is None and not model_path(obj).is_file():
        raise Problem("model_missing", object=obj.name)


def use_model(obj: bpy.types.Object, path: Path) -> None:
    """Pack a model file into the .blend; an object that plays goes on with it.

    Raises what `packing.pack` and `playback.attach` do.
    """
    packing.pack(obj, path)
    settings_of(obj).enabled = True
    if settings_of(obj).playing:
        playback.attach(obj)


def import_take(
    scene: bpy.types.Scene, obj: bpy.types.Object, cache: Path, interaction: Path, role: takes.Role
) -> str:
    """Add another program's point cache to the object's dataset, at the scene's frame rate.

    Returns the take's name. Raises what `importing.import_take` and `check_mesh` do.
    """
    check_mesh(obj)
    _check_free(obj)
    keep_together(obj)
    render = scene.render
    fps = render.fps / render.fps_base
    folder = dataset_folder(obj)
    name = importing.import_take(folder, mesh_of(obj), obj.name, cache, interaction, fps, role)
    settings_of(obj).enabled = True
    forget()
    return name


def interaction_beside(cache: Path) -> Path:
    """The interaction file of a point cache's name: .npy if there is one, else .csv."""
    arrays = cache.with_suffix(".npy")
    return arrays if arrays.is_file() else cache.with_suffix(".csv")


def remove(obj: bpy.types.Object) -> None:
    """Show the simulation again and forget the object's settings; dataset and model stay."""
    playback.detach(obj)
    remove_cache(obj)
    hide_evaluation(obj)
    settings = settings_of(obj)
    settings.interactions.clear()
    settings.enabled = False


def check_delete(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a dataset from being deleted."""
    obj = check_set_up(obj)
    if not dataset_status(dataset_folder(obj)).takes:
        raise Problem("not_baked", object=obj.name)
    _check_free(obj)


def delete_dataset(obj: bpy.types.Object) -> None:
    """Delete an object's takes and what its jobs have left beside them.

    Raises what `check_delete` does, and Problem("folder_not_writable").
    """
    check_delete(obj)
    job_host.forget(jobs_folder(obj))
    shutil.rmtree(side_folder(dataset_folder(obj)), ignore_errors=True)
    takes.delete_dataset(dataset_folder(obj))
    forget()


def bake_command(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """Write what the bake needs; the job that bakes. Raises what `check_bake` and the bake do."""
    check_bake(scene, obj)
    keep_together(obj)
    return baking.prepare_bake(scene, obj)


def train_command(obj: bpy.types.Object) -> list[str]:
    """The job that trains a model. Raises what `check_train` does."""
    check_train(obj)
    settings = settings_of(obj)
    options = {
        "--method": settings.method,
        "--preset": settings.preset,
        "--bases": settings.basis_count,
        "--seed": settings.training_seed,
        "--out": model_path(obj),
    }
    return _backend("train", dataset_folder(obj), options)


def evaluate_command(obj: bpy.types.Object) -> list[str]:
    """The job that measures a model on takes it has not seen. Raises what `check_evaluate` does."""
    check_evaluate(obj)
    if not model_path(obj).is_file():
        packing.unpack(obj, model_path(obj))
    return _backend("evaluate", model_path(obj), {}, dataset_folder(obj))


def running(obj: bpy.types.Object) -> str:
    """Which of the object's tasks runs now, "" if none."""
    return next((kind for kind in NAMES if job_host.state_of(jobs_folder(obj), kind).active), "")


def keep_together(obj: bpy.types.Object) -> None:
    """In a file without a name: give the object's files a folder that stays theirs once it has one."""
    settings = settings_of(obj)
    if bpy.data.filepath:
        return
    home = user_folder() / "unsaved" / f"{bpy.path.clean_name(obj.name)} {datetime.now():%Y-%m-%d %H.%M.%S}"
    settings.dataset_folder = settings.dataset_folder or str(home / "dataset")
    settings.model_path = settings.model_path or str(home / "model.safetensors")


def _backend(command: str, first: object, options: dict[str, object], *more: object) -> list[str]:
    python = training_environment.require_python()
    words = [word for option in options.items() for word in option]
    return [str(python), "-m", "ml_backend", *map(str, [command, first, *more, *words]), "--json"]


def _check_dataset(obj: bpy.types.Object) -> None:
    status = dataset_status(dataset_folder(obj))
    if status.trouble and status.trouble.code != "dataset_missing":
        raise status.trouble
    if not status.frames:
        raise Problem("not_baked", object=obj.name)


def _check_free(obj: bpy.types.Object) -> None:
    busy = running(obj)
    if busy:
        raise Problem("object_busy", object=obj.name, job=NAMES[busy].lower())
