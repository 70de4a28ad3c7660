"""Set up, and commands."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "nothing_selected": "Nothing is selected: select a mesh with Cloth or Soft Body.",
    "not_set_up": "{object} has not been set up: click Set Up first.",
    "not_baked": "{object} has no takes to learn from yet: bake or import some first.",
    "object_unknown": "There is no object “{object}” in {scene}: check the name.",
    "nothing_set_up": "Nothing is set up in {scene}: run “setup --object NAME” first, with the name of the cloth or soft body.",
    "object_not_named": "Several objects are set up ({found}): choose one with --object.",
    "object_busy": "{object} is busy with its {job}: wait until it has finished, or stop it.",
    "no_scene": "No scene is open: give an existing, readable .blend before --command.",
    "frame_rate_missing": "{scene} has no frame rate above 0: set a usual Frame Rate under Output.",
    "scene_changed": (
        "{path} was saved by someone else in the meantime and was left unchanged: the results of the job "
        "are beside it; run the command “pack” to put a model into it."
    ),
    "report_unsafe": (
        "The report {path} is not as this version of Neural Physics writes it, and a browser would run what is "
        "in it: click Evaluate for another one."
    ),
    "evaluation_missing": "{object} has not been evaluated: click Evaluate first.",
    "evaluation_other_object": (
        "{path} does not hold an evaluation of {object}: evaluate its model again, with the mesh it was trained on."
    ),
    "rigify_missing": (
        "This Blender has no Rigify, the add-on that makes the rig: install Blender from blender.org, which has "
        "it, or add another example."
    ),
}
