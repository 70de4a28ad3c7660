"""Bake."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "frames_too_few": "The takes of {object} are too short: set Frames per Take to at least {needed}.",
    "bake_too_short": (
        "The takes of {object} would be too short to train on, which needs {fewest} frames in runs of at least "
        "{run}: set Frames per Take to {needed} or more."
    ),
    "bake_frame_rate": (
        "{object} cannot be baked at {found} frames per second: set a Frame Rate from {least} to {most} "
        "under Output."
    ),
    "vertex_count_changes": (
        "The modifiers before the physics of {object} change its vertex count from {expected} to "
        "{found}: apply them, or move them after the physics."
    ),
    "rig_not_repeatable": (
        "{rig}, which {object} moves with, is posed differently each time that frame {frame} is evaluated, "
        "{bone} most: remove the constraint or driver that closes a circle between its bones, or set the Mode of "
        "its iTaSC solver to Animation."
    ),
    "dataset_other_fps": (
        "The dataset {path} was baked at {found} frames per second, but the scene runs at {expected}: "
        "restore the scene's frame rate, or choose another dataset folder."
    ),
    "dataset_made_otherwise": (
        "{changed} changed since {object} was baked: click Bake Anew to replace the takes, undo the change, "
        "or choose another dataset folder."
    ),
    "bake_cache_animated": (
        "{object} cannot be baked since a key or a driver in this file changes where a simulation keeps its "
        "cache: take the animation off that is called point_cache in the Graph Editor or the Drivers Editor."
    ),
    "fluid_emptied": (
        "{object} is a fluid that is not baked, and {path} would be emptied as the scene is saved for the bake: "
        "bake the fluid, choose a folder for it that is not there yet, or delete the domain."
    ),
    "bake_scene_lost": (
        "The scene {path} that is used to bake {object} cannot be opened: delete it and bake again."
    ),
    "not_prepared": (
        "Nothing waits to be baked in {path}: if takes are missing, prepare a bake from the scene first, with "
        "Bake or the command `prepare`."
    ),
    "take_held": ("{host} still works on {take}: stop the bake there, or wait until it has finished."),
    "take_not_planned": (
        "The bake in {path} has no take {take}: name one that it plans, or none to bake all of them."
    ),
    "submit_unsaved": (
        "{object} cannot be handed to other computers before its scene has a file: save it in a folder that "
        "they reach."
    ),
    "scene_not_saved": (
        "The scene of {object} has changes that are not in its file, which is what other computers train by: "
        "save it first."
    ),
    "nothing_submitted": "Nothing of {object} was submitted since its scene was opened: click Submit first.",
    "nothing_to_submit": "All takes of {object} are baked: raise Takes for more.",
    "solver_not_here": (
        "{object} is simulated by the bundled solver, which this computer has no environment for: set it up in "
        "the add-on's preferences, or bake on a computer that has it."
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
