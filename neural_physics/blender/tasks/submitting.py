"""Handing a bake or a training to other computers: the file for what hands out work, and what to type.

Nothing is submitted here: whoever may submit does, where they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import bpy

from ...datasets.status import dataset_status, forget
from ...errors import Problem
from ...jobs.typed_commands import typed
from ..baking.motion.pose_motion import pose_takes
from ..baking.motion.training_motion import moving_takes
from ..scene.targets import check_set_up
from ..settings.paths import dataset_folder
from ..settings.properties import settings_of
from . import object_tasks
from .job_files import FLAMENCO_JOB, OPENJD_BAKE, OPENJD_TRAIN, SLURM_BAKE, SLURM_TRAIN, write_job_file
from .watched_bakes import expect_bake

Engine = Literal["TERMINAL", "FLAMENCO", "OPENJD", "SLURM"]
COMMAND = "--command", "neural_physics"
IN_FARM = "in the folder farm of the dataset"
FOR_FLAMENCO = (
    f"Put neural_physics_bake.js, {IN_FARM}, into the folder scripts of Flamenco's Manager, once. Then "
    "choose “Neural Physics: Bake, Train, Evaluate” in Output > Flamenco 3; its Dataset is on the clipboard."
)
PREPARED = "The bake is prepared. "
BAKE = {
    "TERMINAL": PREPARED
    + "On each computer run what is on the clipboard: Blender with the command work and the folder of the "
    "dataset, as that computer names it.",
    "SLURM": PREPARED + f"Where you submit to Slurm, run what is on the clipboard. Its script is {IN_FARM}.",
    "OPENJD": PREPARED
    + f"Run what is on the clipboard, or give your queue the template bake.yaml, {IN_FARM}.",
}
AFTER = " When it has finished, open the scene again: the model is in it."
TRAIN = {
    "TERMINAL": "On another computer run what is on the clipboard, with both paths as that one names them."
    + AFTER,
    "SLURM": "Where you submit to Slurm, run what is on the clipboard: it trains and evaluates." + AFTER,
    "OPENJD": "Run what is on the clipboard, or give your queue the template bake_and_train.yaml, "
    f"{IN_FARM}: it bakes what is missing, trains and evaluates." + AFTER,
}


@dataclass(frozen=True)
class Submission:
    """What is ready for other computers. copied: for the clipboard. said: what to do with it."""

    copied: str
    said: str


_submissions: dict[tuple[int, str], Submission] = {}  # by the object's session_uid and the task


def check_submit_bake(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a bake from being handed to other computers."""
    object_tasks.check_bake(scene, obj)
    obj = _check_saved(obj)
    status = dataset_status(dataset_folder(obj))
    if status.takes and status.complete >= moving_takes(obj) + pose_takes(obj):
        raise Problem("nothing_to_submit", object=obj.name)


def check_submit_training(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a training from being handed to another computer."""
    object_tasks.check_trainable(obj)
    obj = _check_saved(obj)
    if bpy.data.is_dirty and not bpy.app.background:  # where Blender keeps no account of it
        raise Problem("scene_not_saved", object=obj.name)


def submit_bake(scene: bpy.types.Scene, obj: bpy.types.Object, engine: Engine, computers: int) -> Submission:
    """Prepare a bake for other computers. computers: how many of them, where that is asked for.

    Raises what `check_submit_bake` and `object_tasks.bake_command` do, and Problem("name_acts").
    """
    forget()  # what other computers have baked since the panel was drawn
    check_submit_bake(scene, obj)
    folder = dataset_folder(obj)
    if engine == "FLAMENCO":  # its job prepares
        expect_bake(folder)
        return _for_flamenco(obj, object_tasks.BAKE)
    object_tasks.bake_command(scene, obj)
    expect_bake(folder)
    if engine == "SLURM":
        script = write_job_file(folder, SLURM_BAKE)
        words = ["sbatch", f"--array=1-{computers}", str(script), str(folder)]
    elif engine == "OPENJD":
        template = write_job_file(folder, OPENJD_BAKE)
        words = ["openjd", "run", str(template), "-p", f"Dataset={folder}", "-p", f"Workers={computers}"]
    else:
        words = ["blender", "-b", *COMMAND, "work", str(folder)]
    return _keep(obj, object_tasks.BAKE, Submission(typed(words), BAKE[engine]))


def submit_training(obj: bpy.types.Object, engine: Engine) -> Submission:
    """Write what trains a model on another computer, by what the scene's file says.

    Raises what `check_submit_training` does, and Problem("name_acts").
    """
    forget()
    check_submit_training(obj)
    if engine == "FLAMENCO":
        return _for_flamenco(obj, object_tasks.TRAIN)
    folder, scene = dataset_folder(obj), bpy.data.filepath
    if engine == "SLURM":
        words = ["sbatch", str(write_job_file(folder, SLURM_TRAIN)), scene, str(folder), "blender", obj.name]
    elif engine == "OPENJD":
        settings, template = settings_of(obj), write_job_file(folder, OPENJD_TRAIN)
        of_job = {
            "Scene": scene,
            "Dataset": folder,
            "Object": obj.name,
            "Takes": settings.take_count,
            "Preset": settings.preset,
        }
        parameters = [word for name, value in of_job.items() for word in ("-p", f"{name}={value}")]
        words = ["openjd", "run", str(template), *parameters]
    else:
        words = ["blender", "-b", scene, *COMMAND, "train", "--dataset", str(folder), f"--object={obj.name}"]
    return _keep(obj, object_tasks.TRAIN, Submission(typed(words), TRAIN[engine]))


def submission_of(obj: bpy.types.Object, kind: str) -> Submission | None:
    """What was handed out last of a task of an object, in this session."""
    return _submissions.get((obj.session_uid, kind))


def forget_submissions() -> None:
    """Another file is open."""
    _submissions.clear()


def _keep(obj: bpy.types.Object, kind: str, submission: Submission) -> Submission:
    _submissions[obj.session_uid, kind] = submission
    return submission


def _check_saved(obj: bpy.types.Object | None) -> bpy.types.Object:
    obj = check_set_up(obj)
    if not bpy.data.filepath:
        raise Problem("submit_unsaved", object=obj.name)
    return obj


def _for_flamenco(obj: bpy.types.Object, kind: str) -> Submission:
    folder = dataset_folder(obj)
    typed([str(folder)])  # it is pasted, too
    write_job_file(folder, FLAMENCO_JOB)
    return _keep(obj, kind, Submission(str(folder), FOR_FLAMENCO))
