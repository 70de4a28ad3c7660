"""Any job can be stopped, and its log read."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...neural_physics.blender.jobs import host
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks import making, object_tasks
from ..support import Button, open_as_text, target

KINDS = [(kind, name, "") for kind, name in object_tasks.NAMES.items()]


class NEURALPHYSICS_OT_stop_job(Button, bpy.types.Operator):
    bl_idname = "neural_physics.stop_job"
    bl_label = "Stop"
    bl_description = "Stop at the next checkpoint; finished work is kept. Click again to stop immediately"

    kind: EnumProperty(name="Job", items=KINDS)

    def run(self, context: bpy.types.Context) -> None:
        making.forget(target(context))
        host.stop(object_tasks.job_folder(target(context), self.kind), self.kind)


class NEURALPHYSICS_OT_show_log(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_log"
    bl_label = "Show Log"
    bl_description = "Open the complete output of the job"

    kind: EnumProperty(name="Job", items=KINDS)

    def run(self, context: bpy.types.Context) -> None:
        log = host.log_of(object_tasks.job_folder(target(context), self.kind), self.kind)
        open_as_text(log)


CLASSES = (NEURALPHYSICS_OT_stop_job, NEURALPHYSICS_OT_show_log)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
