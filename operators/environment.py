"""The Python that trains: look what it has, or make one."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from ..neural_physics.blender.jobs import host
from ..neural_physics.blender.jobs import training_environment as environment
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .support import Button, OperatorReturnItems, open_as_text

OWNER = "The training environment"
KINDS = [(environment.CHECK, "Check", ""), (environment.CREATE, "Create", "")]


class NEURALPHYSICS_OT_check_environment(Button, bpy.types.Operator):
    bl_idname = "neural_physics.check_environment"
    bl_label = "Check"
    bl_description = "Check whether the chosen Python has PyTorch and everything else that training needs"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        environment.check_python()

    def run(self, context: bpy.types.Context) -> None:
        host.start(environment.jobs_folder(), environment.CHECK, environment.check_command(), OWNER)


class NEURALPHYSICS_OT_create_environment(Button, bpy.types.Operator):
    bl_idname = "neural_physics.create_environment"
    bl_label = "Create Training Environment"
    bl_description = "Create a separate Python environment with PyTorch in Blender's user folder"

    pip_options: StringProperty(
        name="pip Options",
        description="For example --index-url and the URL of another package index",
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        environment.check_create()

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return context.window_manager.invoke_props_dialog(
            self, width=420, title="Download PyTorch?", confirm_text="Download"
        )

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        column.label(text="PyTorch and its dependencies are downloaded with pip: 1 to 6 GB, a few minutes.")
        column.label(text="They go into Blender's user folder:")
        column.label(text=str(environment.environment_folder()))
        self.layout.prop(self, "pip_options")

    def run(self, context: bpy.types.Context) -> None:
        argv = environment.create_command(self.pip_options)
        host.start(environment.jobs_folder(), environment.CREATE, argv, OWNER)


class NEURALPHYSICS_OT_stop_environment(Button, bpy.types.Operator):
    bl_idname = "neural_physics.stop_environment"
    bl_label = "Cancel"
    bl_description = "Cancel; what has been downloaded is kept for next time"

    kind: EnumProperty(name="Job", items=KINDS)

    def run(self, context: bpy.types.Context) -> None:
        host.stop(environment.jobs_folder(), self.kind)


class NEURALPHYSICS_OT_show_environment_log(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_environment_log"
    bl_label = "Show Log"
    bl_description = "Open the complete output"

    kind: EnumProperty(name="Job", items=KINDS)

    def run(self, context: bpy.types.Context) -> None:
        open_as_text(host.log_of(environment.jobs_folder(), self.kind))


CLASSES = (
    NEURALPHYSICS_OT_check_environment,
    NEURALPHYSICS_OT_create_environment,
    NEURALPHYSICS_OT_stop_environment,
    NEURALPHYSICS_OT_show_environment_log,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
