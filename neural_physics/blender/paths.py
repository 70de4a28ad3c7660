"""Where an object's dataset, model and jobs live on disk."""

from __future__ import annotations

from pathlib import Path

import bpy

from .properties import settings_of

EXTENSION_ROOT = Path(__file__).resolve().parents[2]
# Blender's name for this extension; "" where the library is used without it.
PACKAGE = (__package__ or "").removesuffix("neural_physics.blender").rstrip(".")


def dataset_folder(obj: bpy.types.Object) -> Path:
    """The folder the artist chose, else one beside the .blend."""
    chosen = settings_of(obj).dataset_folder
    return Path(bpy.path.abspath(chosen)) if chosen else home_folder(obj) / "dataset"


def model_path(obj: bpy.types.Object) -> Path:
    """The file the artist chose, else one beside the .blend."""
    chosen = settings_of(obj).model_path
    return Path(bpy.path.abspath(chosen)) if chosen else home_folder(obj) / "model.safetensors"


def best_so_far_path(obj: bpy.types.Object) -> Path:
    """The best model of a training that was stopped; see `ml_backend.train`."""
    path = model_path(obj)
    return path.with_name(f"{path.stem}.partial{path.suffix}")


def report_path(obj: bpy.types.Object) -> Path:
    """What an evaluation writes for people, beside the model."""
    return model_path(obj).with_name("report.html")


def playback_path(obj: bpy.types.Object) -> Path:
    """Where the motion that plays is written for renders, beside the model."""
    return model_path(obj).with_name("playback.pc2")


def jobs_folder(obj: bpy.types.Object) -> Path:
    """Where job logs and stop files are kept."""
    return dataset_folder(obj) / "jobs"


def home_folder(obj: bpy.types.Object) -> Path:
    """`neural_physics/<object>` beside the .blend, or in the extension's user folder if it is unsaved."""
    name = bpy.path.clean_name(obj.name)
    if bpy.data.filepath:
        return Path(bpy.path.abspath("//")) / "neural_physics" / name
    return user_folder() / "unsaved" / name


def user_folder() -> Path:
    """The folder Blender keeps for this extension's own files; never the extension's folder itself."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE, create=True))
    return Path(bpy.utils.user_resource("DATAFILES", path="neural_physics", create=True))
