"""What an evaluation found, beside the object."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.display import evaluation
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .support import Button, scene_of, set_up_target, target


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
        self.report({"INFO"}, f"The brightest colour marks an error of {1000 * largest:.0f} mm")


class NEURALPHYSICS_OT_hide_evaluation(Button, bpy.types.Operator):
    bl_idname = "neural_physics.hide_evaluation"
    bl_label = "Hide"
    bl_description = "Remove the reference and the prediction from the scene"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        evaluation.hide_evaluation(target(context))


CLASSES = (NEURALPHYSICS_OT_show_evaluation, NEURALPHYSICS_OT_hide_evaluation)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
