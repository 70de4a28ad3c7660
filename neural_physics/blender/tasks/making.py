"""Make It Play: bake, train with the quick preset, and play, one after the other, by one click.

What is being made is kept in memory: the jobs themselves survive Blender, and go on as ever.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import bpy

from ...errors import Problem
from ..jobs import host
from ..playing import playback
from ..settings.paths import jobs_folder
from ..settings.properties import settings_of
from . import facts, object_tasks
from .estimates import bake_seconds
from .planned_takes import PlannedTakes, check_enough_baked
from .steps import is_done

PRESET = "preview"
TRAINING = 60.0  # seconds that it takes about, until it says so itself


@dataclass(frozen=True)
class Making:
    """share: of all of it that is done. left: seconds, None while nothing is known of the simulation."""

    share: float = 0.0
    left: float | None = None


_made: dict[int, float] = {}  # when each was begun, by the object's session_uid
_failed: dict[int, Problem] = {}


def check(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps an object from being baked, trained and played."""
    object_tasks.check_bake(scene, obj)
    assert obj is not None  # or it could not be baked
    facts.check_same_mesh(obj)
    object_tasks.require_trainer(obj)
    if is_done(obj, "bake"):
        check_enough_baked(obj)
    else:
        PlannedTakes.of(obj).check_enough(obj)


def first_task(scene: bpy.types.Scene, obj: bpy.types.Object) -> tuple[str, list[str]]:
    """The kind and the command of the job to begin with. Raises what `check` and the commands do."""
    check(scene, obj)
    settings_of(obj).preset = PRESET
    if is_done(obj, "bake"):
        return object_tasks.TRAIN, object_tasks.train_command(obj)
    return object_tasks.BAKE, object_tasks.bake_command(scene, obj)


def begin(obj: bpy.types.Object) -> None:
    """From now on the object is being made."""
    _failed.pop(obj.session_uid, None)
    _made[obj.session_uid] = time.monotonic()


def forget(obj: bpy.types.Object) -> None:
    """It is not being made any more, and why is known; what runs goes on by itself."""
    _made.pop(obj.session_uid, None)
    _failed.pop(obj.session_uid, None)


def is_making(obj: bpy.types.Object) -> bool:
    """Whether it is being made: until it plays, or a job of it was stopped or failed."""
    if obj.session_uid not in _made:
        return False
    baking, training = (
        host.state_of(jobs_folder(obj), kind) for kind in (object_tasks.BAKE, object_tasks.TRAIN)
    )
    if baking.active or training.active:
        return True
    return baking.phase == "finished" and training.phase not in ("failed", "stopped")


def problem_of(obj: bpy.types.Object) -> Problem | None:
    """Why it could not go on after a job that finished."""
    return _failed.get(obj.session_uid)


def baked(obj: bpy.types.Object) -> None:
    """Go on with the training."""
    if obj.session_uid in _made:
        try:
            host.start(jobs_folder(obj), object_tasks.TRAIN, object_tasks.train_command(obj), obj.name)
        except Problem as problem:
            forget(obj)
            _failed[obj.session_uid] = problem


def trained(obj: bpy.types.Object) -> bool:
    """Play it; whether it does from now on, so that the animation can be started."""
    if obj.session_uid not in _made:
        return False
    forget(obj)
    try:
        playback.attach(obj)
    except Problem as problem:
        _failed[obj.session_uid] = problem
        return False
    return True


def estimate(bake: float) -> float:
    """Seconds until it plays, about, of which so many are for the bake."""
    return bake + TRAINING


def progress(obj: bpy.types.Object) -> Making:
    """How far it is: one share and one time left over all that is to be done."""
    began, before = _made[obj.session_uid], bake_seconds(obj)
    baking = host.state_of(jobs_folder(obj), object_tasks.BAKE)
    training = host.state_of(jobs_folder(obj), object_tasks.TRAIN)
    left = None
    if training.active:
        left = TRAINING if training.seconds_left is None else training.seconds_left
    elif baking.seconds_left is not None:
        left = estimate(baking.seconds_left)
    elif before is not None:
        left = estimate(before)
    passed = time.monotonic() - began
    share = 0.0 if left is None else passed / max(passed + left, 1e-6)
    return Making(share, left)
