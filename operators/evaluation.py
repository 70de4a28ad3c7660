"""What an evaluation found, beside the object."""

from __future__ import annotations

from typing import Any

import bpy

from ..neural_physics.blender.display import evaluation
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.wording import distance
from .support import Button, scene_of, set_up_target, target

_shown_before: dict[int, Any] = {}  # what solid viewports coloured meshes by, by their address


class NEURALPHYSICS_OT_show_evaluation(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_evaluation"
    bl_label = "Show Comparison"
    bl_description = (
        "Show a held-out take beside the object, both as simulated and as predicted, coloured by error"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        evaluation.check_evaluation(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        largest = evaluation.show_evaluation(scene_of(context), target(context))
        _shade(context, coloured=True)
        self.report({"INFO"}, f"The brightest colour marks an error of {distance(largest)}")


class NEURALPHYSICS_OT_hide_evaluation(Button, bpy.types.Operator):
    bl_idname = "neural_physics.hide_evaluation"
    bl_label = "Hide"
    bl_description = "Remove the reference and the prediction from the scene"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        evaluation.hide_evaluation(target(context))
        _shade(context, coloured=False)


def _shade(context: bpy.types.Context, *, coloured: bool) -> None:
    """Solid viewports show colours on meshes only if they are told to; what they showed before comes back."""
    for area in context.screen.areas if context.screen else ():
        space = area.spaces.active
        if not isinstance(space, bpy.types.SpaceView3D):
            continue
        key = space.as_pointer()
        if coloured:
            _shown_before.setdefault(key, space.shading.color_type)
            space.shading.color_type = "VERTEX"
        elif key in _shown_before:
            space.shading.color_type = _shown_before.pop(key)


CLASSES = (NEURALPHYSICS_OT_show_evaluation, NEURALPHYSICS_OT_hide_evaluation)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
