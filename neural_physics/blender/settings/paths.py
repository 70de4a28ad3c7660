"""Where an object's dataset, model and jobs live on disk.

Each function that gives such a place has checked it, see `named_places`, and raises
Problem("place_elsewhere" | "place_unsaved" | "place_is_link" | "folder_not_writable"), for models
Problem("model_path_suffix") too.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import bpy

from ...errors import Problem
from ...files.links import check_no_link, has_link
from ...files.looking import is_file
from ...files.names import portable
from .homes import not_anothers
from .named_places import HOME, check_name, check_place, is_place, may_name, normalised, place_named
from .notes import note_text
from .own_folders import unsaved_folder
from .properties import settings_of

DATASET, MODEL = Path("dataset"), Path("model.safetensors")
DATASET_SETTING, MODEL_SETTING = "Dataset", "Model"


def dataset_folder(obj: bpy.types.Object) -> Path:
    """The folder the artist chose, else one beside the .blend."""
    return check_place(_named_dataset(obj), obj, DATASET_SETTING)


def model_path(obj: bpy.types.Object) -> Path:
    """The file the artist chose, else one beside the .blend; always a .safetensors."""
    path = check_no_link(check_place(_named_model(obj), obj, MODEL_SETTING))
    if path.suffix.lower() != MODEL.suffix:
        raise Problem("model_path_suffix", object=obj.name, path=path)
    return path


def named_model(obj: bpy.types.Object) -> str:
    """What `model_path` checks: to distinguish models, not to open one."""
    chosen = settings_of(obj).model_path
    return bpy.path.abspath(chosen) if chosen else str(home_folder(obj) / MODEL)


def places_to_allow(obj: bpy.types.Object) -> list[Path]:
    """What the scene names and may not, before the artist has agreed to it.

    Raises Problem("folder_not_writable").
    """
    settings = settings_of(obj)
    places = []
    if is_place(settings.dataset_folder):
        places.append(_named_dataset(obj))
    if is_place(settings.model_path):
        places.append(_named_model(obj))
    return [normalised(place) for place in places if not may_name(place)]


def check_places(obj: bpy.types.Object) -> None:
    """Raise the Problem of the places that an object's scene names, if there is one."""
    for place in (jobs_folder, best_so_far_path, checkpoint_path, report_path, playback_path):
        place(obj)


def trained_model(obj: bpy.types.Object, result: Mapping[str, object]) -> Path:
    """The file a finished training says it wrote, which was `model_path` when it was started.

    The log that says so may have come with the scene: it can name what the scene can, and nothing else.
    """
    named = result.get("model")
    if not isinstance(named, str):
        return model_path(obj)
    return check_place(Path(check_name(named)), obj, MODEL_SETTING)


def best_so_far_path(obj: bpy.types.Object) -> Path:
    """The best model of a training that was stopped; see `learning.commands.train`."""
    path = model_path(obj)
    return check_no_link(path.with_name(f"{path.stem}.partial{path.suffix}"))


def checkpoint_path(obj: bpy.types.Object) -> Path:
    """What a training that was stopped or killed resumes from; see `learning.commands.train`."""
    path = model_path(obj)
    return check_no_link(path.with_name(path.name + ".training")) / "checkpoint.safetensors"


def report_folder(obj: bpy.types.Object) -> Path:
    """Where an evaluation writes: beside the model, in a folder of its own where that has a name of its own.

    The files of an evaluation always have the same names, and several models may lie in one folder.
    """
    path = model_path(obj)
    if path.stem == MODEL.stem:
        return path.parent
    return check_no_link(path.with_name(f"{path.stem} evaluation"))


def report_path(obj: bpy.types.Object) -> Path:
    """What an evaluation writes for people."""
    return check_no_link(report_folder(obj) / "report.html")


def playback_path(obj: bpy.types.Object) -> Path:
    """Where the motion that plays is written for renders, beside the model."""
    path = model_path(obj)
    return check_no_link(path.with_name(f"{path.stem}_playback.pc2"))


def jobs_folder(obj: bpy.types.Object) -> Path:
    """Where job logs and stop files are kept."""
    return check_no_link(dataset_folder(obj) / "jobs")


def home_folder(obj: bpy.types.Object) -> Path:
    """`neural_physics/<.blend>/<object>` beside the .blend, or in the user folder where that is unsaved.

    With a number where another object's files are there already, whose name differs too little for a folder.
    """
    name = portable(obj.name)
    if not bpy.data.filepath:
        return not_anothers(unsaved_folder() / name, obj)
    blend = Path(bpy.data.filepath)
    home = blend.parent / HOME
    # Where earlier versions kept them. Through links nothing is looked at before the artist has agreed to it.
    plain = not has_link(home, name, DATASET.name)
    if plain and (is_file(home / name / DATASET / "dataset.json") or is_file(home / name / MODEL)):
        return home / name
    return not_anothers(home / portable(blend.stem) / name, obj)


def keep_together(obj: bpy.types.Object) -> None:
    """Write into the settings where the object's files are, so that they stay its own when it is renamed.

    Raises Problem("place_elsewhere").
    """
    settings = settings_of(obj)
    if bpy.data.filepath:
        home = home_folder(obj)
        root = "//" + home.relative_to(Path(bpy.data.filepath).parent).as_posix()
    else:
        name = f"{portable(obj.name)} {datetime.now():%Y-%m-%d %H.%M.%S}"
        root = not_anothers(unsaved_folder() / name, obj).as_posix()
    # Only where there is none, and where a scene may name it: setting a place is agreeing to it, and the
    # folder beside the .blend may be a link.
    if not settings.dataset_folder:
        check_place(Path(bpy.path.abspath(f"{root}/{DATASET}")), obj, DATASET_SETTING)
        note_text(obj, "dataset_folder", f"{root}/{DATASET}")
    if not settings.model_path:
        check_place(Path(bpy.path.abspath(f"{root}/{MODEL}")), obj, MODEL_SETTING)
        note_text(obj, "model_path", f"{root}/{MODEL}")


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that nothing is left in; harmless where it is not there."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _named_dataset(obj: bpy.types.Object) -> Path:
    chosen = settings_of(obj).dataset_folder
    return _place(chosen, obj, DATASET_SETTING) if chosen else home_folder(obj) / DATASET


def _named_model(obj: bpy.types.Object) -> Path:
    chosen = settings_of(obj).model_path
    return _place(chosen, obj, MODEL_SETTING) if chosen else home_folder(obj) / MODEL


def _place(chosen: str, obj: bpy.types.Object, setting: str) -> Path:
    if not is_place(chosen):
        raise Problem("place_unsaved", object=obj.name, setting=setting)
    return place_named(chosen)
