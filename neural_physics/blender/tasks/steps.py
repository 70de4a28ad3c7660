"""How far an object has come: which steps are done, and which is next."""

from __future__ import annotations

from typing import Literal

import bpy

from ...datasets.status import DatasetStatus, dataset_status
from ...errors import Problem
from ...files.looking import is_file
from ..baking.motion.pose_motion import pose_takes
from ..baking.motion.training_motion import moving_takes
from ..settings.paths import dataset_folder, model_path
from ..settings.properties import settings_of
from . import object_tasks

Step = Literal["set_up", "bake", "train", "play", "share"]


def next_step(obj: bpy.types.Object) -> Step:
    """What an object that has been set up waits for, or does now; as its settings have it, where its scene
    names places that it may not.
    """
    match _running(obj):
        case object_tasks.BAKE | object_tasks.TEST:
            return "bake"
        case object_tasks.TRAIN | object_tasks.EVALUATE:
            return "train"
    if _has_model(obj):
        return "play"
    return "train" if _is_baked(obj) else "bake"


def is_done(obj: bpy.types.Object, step: Step) -> bool:
    """Whether a step needs nothing more; Play and Share never end."""
    match step:
        case "set_up":
            return True
        case "bake":
            return _is_baked(obj)
        case "train":
            return _has_model(obj)
        case _:
            return False


def _running(obj: bpy.types.Object) -> str:
    try:
        return object_tasks.running(obj)
    except Problem:  # the panel says which
        return ""


def _has_model(obj: bpy.types.Object) -> bool:
    try:
        return settings_of(obj).model is not None or is_file(model_path(obj))
    except Problem:  # a scene that names places elsewhere; the panel asks about them
        return False


def _is_baked(obj: bpy.types.Object) -> bool:
    try:
        status: DatasetStatus = dataset_status(dataset_folder(obj))
    except Problem:
        return False
    wanted = moving_takes(obj) + pose_takes(obj)
    imported = status.imported and 0 < status.complete == status.takes
    return status.trouble is None and (status.complete >= wanted or imported)
