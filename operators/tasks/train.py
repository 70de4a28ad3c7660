"""The buttons of the Train panel: a model is trained, used, evaluated, or made in one go with its takes."""

from __future__ import annotations

import bpy

from ...neural_physics.blender.jobs import host
from ...neural_physics.blender.playing import playback
from ...neural_physics.blender.scene.targets import target_of
from ...neural_physics.blender.settings.own_folders import scratch_folder
from ...neural_physics.blender.settings.paths import best_so_far_path, jobs_folder, report_path
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks import making, object_tasks
from ...neural_physics.errors import Problem
from ...neural_physics.evaluation.report_page import only_shows_itself
from ..play import start_animation
from ..support import Button, OperatorReturnItems, copied, existing_file, scene_of, target
from .job_button import JobButton
from .job_results import trained


class NEURALPHYSICS_OT_train(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.train"
    bl_label = "Train"
    bl_description = "Train a small model on the baked takes in the background"
    kind = object_tasks.TRAIN

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_train(target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        return object_tasks.train_command(target(context))


class NEURALPHYSICS_OT_make_it_play(Button, bpy.types.Operator):
    bl_idname = "neural_physics.make_it_play"
    bl_label = "Make It Play"
    bl_description = "Bake, train a quick preview and play it, one after the other, in the background"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        making.check(scene_of(context), target_of(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        try:
            obj = target(context)
            kind, argv = making.first_task(scene_of(context), obj)
            playback.go_on()
            host.start(jobs_folder(obj), kind, argv, obj.name)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        making.begin(obj)
        return {"FINISHED"}

    def run(self, context: bpy.types.Context) -> None:
        """All of it at once, where there is no window."""
        obj = target(context)
        kind, argv = making.first_task(scene_of(context), obj)
        playback.go_on()
        while True:
            state = host.run_blocking(jobs_folder(obj), kind, argv, host.print_progress, owner=obj.name)
            if state.phase != "finished":
                raise Problem.reported(state.code, state.message)
            if kind == object_tasks.TRAIN:
                break
            kind, argv = object_tasks.TRAIN, object_tasks.train_command(obj)
        playback.attach(obj)


class NEURALPHYSICS_OT_use_best_so_far(Button, bpy.types.Operator):
    bl_idname = "neural_physics.use_best_so_far"
    bl_label = "Use Best So Far"
    bl_description = "Use the best model so far of a training that goes on, or that was stopped"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        existing_file(best_so_far_path(target(context)))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        object_tasks.use_model(obj, best_so_far_path(obj))
        if object_tasks.running(obj):  # to be looked at while the training goes on
            playback.attach(obj)
            start_animation()


class NEURALPHYSICS_OT_evaluate(JobButton, bpy.types.Operator):
    bl_idname = "neural_physics.evaluate"
    bl_label = "Evaluate"
    bl_description = "Measure the model on takes it was not trained on, and write a report"
    kind = object_tasks.EVALUATE

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_evaluate(target_of(context))

    def command(self, context: bpy.types.Context) -> list[str]:
        return object_tasks.evaluate_command(target(context))


class NEURALPHYSICS_OT_open_report(Button, bpy.types.Operator):
    bl_idname = "neural_physics.open_report"
    bl_label = "Open Report"
    bl_description = "Show the evaluation report in the browser"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        existing_file(report_path(target(context)))

    def run(self, context: bpy.types.Context) -> None:
        path = report_path(target(context))
        # Of the copy it is known what the browser will read.
        page = copied(path, scratch_folder() / "reports" / "report.html")
        if not only_shows_itself(page):
            raise Problem("report_unsafe", path=path)
        bpy.ops.wm.url_open(url=page.as_uri())


CLASSES = (
    NEURALPHYSICS_OT_train,
    NEURALPHYSICS_OT_make_it_play,
    NEURALPHYSICS_OT_use_best_so_far,
    NEURALPHYSICS_OT_evaluate,
    NEURALPHYSICS_OT_open_report,
)


def register() -> None:
    register_classes(CLASSES)
    host.on_result(object_tasks.TRAIN, trained)


def unregister() -> None:
    unregister_classes(CLASSES)
