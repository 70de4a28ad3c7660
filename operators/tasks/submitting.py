"""Handing a bake or a training to other computers: what they need is written, and what to type copied."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty

from ...neural_physics.blender.scene.targets import target_of
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks import object_tasks, submitting
from ...neural_physics.errors import Problem
from ...neural_physics.plain_text import displayable
from ..support import Button, OperatorReturnItems, SetUpButton, scene_of, target

WIDTH = 480  # pixels of the dialogs, before the interface's scale
TERMINAL = ("TERMINAL", "Terminal", "A command to run on other computers that see the same folder")
FLAMENCO = (
    "FLAMENCO",
    "Flamenco",
    "A job type for Blender's render manager, which prepares, bakes and trains",
)
OPENJD = ("OPENJD", "OpenJD", "A template of the Open Job Description, as AWS Deadline Cloud takes it")
SLURM = ("SLURM", "Slurm", "A script for a cluster with Slurm, and the command that submits it")
DESCRIPTIONS = {name: description for name, _, description in (TERMINAL, FLAMENCO, OPENJD, SLURM)}
COUNTED = "OPENJD", "SLURM"  # of which is asked on how many computers


class NEURALPHYSICS_OT_submit_bake(Button, bpy.types.Operator):
    bl_idname = "neural_physics.submit_bake"
    bl_label = "Submit to..."
    bl_description = (
        "Prepare the bake for other computers that see the same folder, and copy what to run there; "
        "nothing is started"
    )

    engine: EnumProperty(
        name="By", description="What hands out the takes", items=[TERMINAL, FLAMENCO, OPENJD, SLURM]
    )
    computers: IntProperty(
        name="Computers", description="How many bake at the same time, at most", default=4, min=1, max=1000
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        submitting.check_submit_bake(scene_of(context), target_of(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return context.window_manager.invoke_props_dialog(
            self, width=WIDTH, title="Bake on Other Computers", confirm_text="Prepare and Copy"
        )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        assert layout is not None  # a dialog that draws has one
        layout.row().prop(self, "engine", expand=True)
        layout.label(text=DESCRIPTIONS[self.engine])
        if self.engine in COUNTED:
            layout.prop(self, "computers")

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        made = submitting.submit_bake(scene_of(context), obj, self.engine, self.computers)
        context.window_manager.clipboard = made.copied
        self.report({"INFO"}, displayable(made.said))


class NEURALPHYSICS_OT_submit_training(Button, bpy.types.Operator):
    bl_idname = "neural_physics.submit_training"
    bl_label = "Submit to..."
    bl_description = (
        "Copy what trains this model on another computer, by the settings in the saved scene; "
        "nothing is started"
    )

    engine: EnumProperty(
        name="By", description="What starts the training", items=[TERMINAL, FLAMENCO, OPENJD, SLURM]
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        submitting.check_submit_training(target_of(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return context.window_manager.invoke_props_dialog(
            self, width=WIDTH, title="Train on Another Computer", confirm_text="Copy"
        )

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None  # a dialog that draws has one
        self.layout.row().prop(self, "engine", expand=True)
        self.layout.label(text=DESCRIPTIONS[self.engine])

    def run(self, context: bpy.types.Context) -> None:
        made = submitting.submit_training(target(context), self.engine)
        context.window_manager.clipboard = made.copied
        self.report({"INFO"}, displayable(made.said))


class NEURALPHYSICS_OT_copy_submission(SetUpButton, bpy.types.Operator):
    bl_idname = "neural_physics.copy_submission"
    bl_label = "Copy Again"
    bl_description = "Copy what to run on other computers to the clipboard once more"

    kind: EnumProperty(name="Job", items=[(kind, name, "") for kind, name in object_tasks.NAMES.items()])

    def run(self, context: bpy.types.Context) -> None:
        made = submitting.submission_of(target(context), self.kind)
        if made is None:
            raise Problem("nothing_submitted", object=target(context).name)
        context.window_manager.clipboard = made.copied


CLASSES = (
    NEURALPHYSICS_OT_submit_bake,
    NEURALPHYSICS_OT_submit_training,
    NEURALPHYSICS_OT_copy_submission,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
