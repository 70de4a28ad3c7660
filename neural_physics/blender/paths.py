"""Where an object's dataset, model and jobs live on disk."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import bpy

from .properties import settings_of

EXTENSION_ROOT = Path(__file__).resolve().parents[2]
# Blender's name for this extension; "" where the library is used without it.
PACKAGE = (__package__ or "").removesuffix("neural_physics.blender").rstrip(".")
DATASET, MODEL = Path("dataset"), Path("model.safetensors")


def dataset_folder(obj: bpy.types.Object) -> Path:
    """The folder the artist chose, else one beside the .blend."""
    chosen = settings_of(obj).dataset_folder
    return Path(bpy.path.abspath(chosen)) if chosen else home_folder(obj) / DATASET


def model_path(obj: bpy.types.Object) -> Path:
    """The file the artist chose, else one beside the .blend."""
    chosen = settings_of(obj).model_path
    return Path(bpy.path.abspath(chosen)) if chosen else home_folder(obj) / MODEL


def best_so_far_path(obj: bpy.types.Object) -> Path:
    """The best model of a training that was stopped; see `ml_backend.train`."""
    path = model_path(obj)
    return path.with_name(f"{path.stem}.partial{path.suffix}")


def checkpoint_path(obj: bpy.types.Object) -> Path:
    """What a training that was stopped or killed goes on from; see `ml_backend.train`."""
    path = model_path(obj)
    return path.with_name(path.name + ".training") / "checkpoint.safetensors"


def report_folder(obj: bpy.types.Object) -> Path:
    """Where an evaluation writes: beside the model, in a folder of its own where that has a name of its own.

    The files of an evaluation always have the same names, and several models may lie in one folder.
    """
    path = model_path(obj)
    return path.parent if path.stem == MODEL.stem else path.with_name(f"{path.stem} evaluation")


def report_path(obj: bpy.types.Object) -> Path:
    """What an evaluation writes for people."""
    return report_folder(obj) / "report.html"


def playback_path(obj: bpy.types.Object) -> Path:
    """Where the motion that plays is written for renders, beside the model."""
    path = model_path(obj)
    return path.with_name(f"{path.stem}_playback.pc2")


def jobs_folder(obj: bpy.types.Object) -> Path:
    """Where job logs and stop files are kept."""
    return dataset_folder(obj) / "jobs"


def home_folder(obj: bpy.types.Object) -> Path:
    """`neural_physics/<.blend>/<object>` beside the .blend, or in the user folder where that is unsaved."""
    name = bpy.path.clean_name(obj.name)
    if not bpy.data.filepath:
        return user_folder() / "unsaved" / name
    blend = Path(bpy.data.filepath)
    home = blend.parent / "neural_physics"
    # Where earlier versions kept them.
    if (home / name / DATASET / "dataset.json").is_file() or (home / name / MODEL).is_file():
        return home / name
    return home / bpy.path.clean_name(blend.stem) / name


def keep_together(obj: bpy.types.Object) -> None:
    """Write into the settings where the object's files are, so that they stay its own when it is renamed."""
    settings = settings_of(obj)
    if bpy.data.filepath:
        home = home_folder(obj)
        root = "//" + home.relative_to(Path(bpy.data.filepath).parent).as_posix()
    else:
        name = f"{bpy.path.clean_name(obj.name)} {datetime.now():%Y-%m-%d %H.%M.%S}"
        root = (user_folder() / "unsaved" / name).as_posix()
    settings.dataset_folder = settings.dataset_folder or f"{root}/{DATASET}"
    settings.model_path = settings.model_path or f"{root}/{MODEL}"


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that nothing is left in; harmless where it is not there."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def user_folder() -> Path:
    """The folder Blender keeps for this extension's own files; never the extension's folder itself."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE, create=True))
    return Path(bpy.utils.user_resource("DATAFILES", path="neural_physics", create=True))
