"""What artists do about bakes that other computers are at."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...neural_physics.blender.settings.paths import dataset_folder
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks.watched_bakes import log_of_failure
from ..support import SetUpButton, open_as_text, target


class NEURALPHYSICS_OT_show_take_log(SetUpButton, bpy.types.Operator):
    bl_idname = "neural_physics.show_take_log"
    bl_label = "Show Log of Take"
    bl_description = "Open the complete output of the process that failed last at this take, on any computer"

    take: StringProperty(name="Take")

    def run(self, context: bpy.types.Context) -> None:
        open_as_text(log_of_failure(dataset_folder(target(context)), self.take))


CLASSES = (NEURALPHYSICS_OT_show_take_log,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
