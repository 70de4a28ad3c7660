"""The buttons of the Bake panel: a dataset begins, grows, is tried out and is deleted."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntProperty

from ...neural_physics.blender.jobs import host
from ...neural_physics.blender.scene.targets import target_of
from ...neural_physics.blender.settings.paths import dataset_folder, jobs_folder
from ...neural_physics.blender.settings.properties import settings_of
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks import object_tasks, trial_takes
from ...neural_physics.datasets.status import dataset_status
from ...neural_physics.errors import Problem
from ...neural_physics.plain_text import one_line
from ...neural_physics.wording import plural, size
from ..support import Button, OperatorReturnItems, scene_of, target
from .job_button import JobButton
from .job_results import baked, objects_of, tested


class NEURALPHYSICS_OT_bake(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.bake"
    bl_label = "Bake"
    bl_description = "Simulate many takes of training motion in the background; resumes where it was stopped"
    kind = object_tasks.BAKE

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_bake(scene_of(context), target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        return object_tasks.bake_command(scene_of(context), target(context))


class NEURALPHYSICS_OT_bake_anew(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.bake_anew"
    bl_label = "Bake Anew"
    bl_description = "Delete all takes of this object from disk, and bake them as the scene is now"
    kind = object_tasks.BAKE

    asked: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # the artist confirmed, in a window

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_bake_anew(scene_of(context), target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        return object_tasks.bake_anew_command(scene_of(context), target(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        self.asked = True
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Delete All Takes and Bake Again?",
            message=_in_dataset(target(context)),
            confirm_text="Bake Anew",
        )

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        return self.begin(context) if self.asked else super().execute(context)


class NEURALPHYSICS_OT_test_take(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.test_take"
    bl_label = "Test Take"
    bl_description = (
        "Simulate the first two seconds of a take in the background, and show them beside the object; "
        "nothing is added to the dataset"
    )
    kind = object_tasks.TEST

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        trial_takes.check_trial(scene_of(context), target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        return trial_takes.trial_command(scene_of(context), target(context))


class NEURALPHYSICS_OT_bake_more(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.bake_more"
    bl_label = "Bake More Takes"
    bl_description = "Raise the number of takes, and bake those that are missing; then train again"
    kind = object_tasks.BAKE

    takes: IntProperty(name="Takes", description="How many more", default=8, min=1, max=1000)

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_bake(scene_of(context), target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        obj = target(context)
        settings = settings_of(obj)
        before = settings.take_count
        settings.take_count = max(before, dataset_status(dataset_folder(obj)).moving) + self.takes
        try:
            return object_tasks.bake_command(scene_of(context), obj)
        except Problem:
            settings.take_count = before
            raise


class NEURALPHYSICS_OT_delete_dataset(Button, bpy.types.Operator):
    bl_idname = "neural_physics.delete_dataset"
    bl_label = "Delete Dataset"
    bl_description = "Delete all takes of this object from disk, to bake from scratch; the model is kept"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_delete(target_of(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Delete Dataset?",
            message=_in_dataset(target(context)),
            confirm_text="Delete",
        )

    def run(self, context: bpy.types.Context) -> None:
        object_tasks.delete_dataset(target(context))


def _in_dataset(obj: bpy.types.Object) -> str:
    """What would be deleted with an object's dataset."""
    folder = dataset_folder(obj)
    status = dataset_status(folder)
    others = [other.name for other in objects_of(jobs_folder(obj)) if other != obj]
    also = f", also used by {', '.join(others)}" if others else ""
    return one_line(f"{plural(status.takes, 'take')} ({size(status.size)}) in {folder}{also}")


CLASSES = (
    NEURALPHYSICS_OT_bake,
    NEURALPHYSICS_OT_bake_anew,
    NEURALPHYSICS_OT_test_take,
    NEURALPHYSICS_OT_bake_more,
    NEURALPHYSICS_OT_delete_dataset,
)


def register() -> None:
    register_classes(CLASSES)
    host.on_result(object_tasks.BAKE, baked)
    host.on_result(object_tasks.TEST, tested)


def unregister() -> None:
    unregister_classes(CLASSES)
    trial_takes.unregister()
