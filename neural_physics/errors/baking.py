"""Bake."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "frames_too_few": "The takes of {object} are too short: set Frames per Take to at least {needed}.",
    "bake_frame_rate": (
        "{object} cannot be baked at {found} frames per second: set a Frame Rate from {least} to {most} "
        "under Output."
    ),
    "vertex_count_changes": (
        "The modifiers before the physics of {object} change its vertex count from {expected} to "
        "{found}: apply them, or move them after the physics."
    ),
    "dataset_other_fps": (
        "The dataset {path} was baked at {found} frames per second, but the scene runs at {expected}: "
        "restore the scene's frame rate, or choose another dataset folder."
    ),
    "dataset_made_otherwise": (
        "{changed} changed since {object} was baked: click Bake Anew to replace the takes, undo the change, "
        "or choose another dataset folder."
    ),
    "bake_scene_lost": (
        "The scene {path} that is used to bake {object} cannot be opened: delete it and bake again."
    ),
    "plan_exchanged": (
        "The plan {path} was changed by another program while the bake began: bake again, and if that fails "
        "too, choose a dataset folder that nobody else writes to."
    ),
    "bake_crashed": (
        "The process that baked {take} ended unexpectedly; all finished frames are kept: bake again to "
        "continue, and if that fails too, see the log {path}."
    ),
    "simulation_unusable": (
        "No frame of the simulation of {object} can be used ({reason}): raise its quality steps, or slow "
        "down the objects it reacts to."
    ),
    "solver_unusable": (
        "No frame of the simulation of {object} can be used ({reason}): raise its Stiffness or Steps per "
        "Frame, or slow down the objects it reacts to."
    ),
    "springs_unusable": (
        "No frame of the simulation of {object} can be used ({reason}): raise its Stretch Min, or slow down "
        "the objects it reacts to."
    ),
    "simulation_falls": (
        "{object} falls in every take, since nothing holds it or is below it: give it pins, or put a collider "
        "below it."
    ),
}
