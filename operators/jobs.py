"""Bake, Train, Evaluate: each starts a process of its own, or runs it to its end where there is no window."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty

from ..neural_physics.blender.jobs import host
from ..neural_physics.blender.playing import playback
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.paths import (
    best_so_far_path,
    dataset_folder,
    jobs_folder,
    report_path,
    trained_model,
)
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import making, object_tasks, trial_takes
from ..neural_physics.datasets.status import dataset_status, forget
from ..neural_physics.errors import Problem
from ..neural_physics.evaluation.report_page import only_shows_itself
from ..neural_physics.files.links import check_no_link
from ..neural_physics.wording import plural, size
from .play import start_animation
from .support import (
    Button,
    OperatorReturnItems,
    existing_file,
    open_file,
    remember_in_undo,
    scene_of,
    target,
)

KINDS = [(kind, name, "") for kind, name in object_tasks.NAMES.items()]


class JobButton(Button):
    """Clicked, it starts a job and returns; called from a script, it returns when the job has ended."""

    kind: ClassVar[str]

    def command(self, context: bpy.types.Context) -> list[str]:
        """The job's command line; may raise Problem."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        """Start the job, which goes on by itself."""
        try:
            argv = self.command(context)
            obj = target(context)
            making.forget(obj)
            host.start(object_tasks.job_folder(obj, self.kind), self.kind, argv, obj.name)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        try:
            argv = self.command(context)
            obj = target(context)
            folder = object_tasks.job_folder(obj, self.kind)
            state = host.run_blocking(folder, self.kind, argv, host.print_progress, owner=obj.name)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        if state.phase != "finished":
            self.report({"ERROR"}, state.message)
            return {"CANCELLED"}
        return {"FINISHED"}


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
        open_file(check_no_link(log))


class NEURALPHYSICS_OT_open_report(Button, bpy.types.Operator):
    bl_idname = "neural_physics.open_report"
    bl_label = "Open Report"
    bl_description = "Show the evaluation report in the browser"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        existing_file(report_path(target(context)))

    def run(self, context: bpy.types.Context) -> None:
        path = report_path(target(context))
        if not only_shows_itself(path):
            raise Problem("report_unsafe", path=path)
        bpy.ops.wm.url_open(url=path.as_uri())


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
    others = [other.name for other in _objects_of(jobs_folder(obj)) if other != obj]
    also = f", also used by {', '.join(others)}" if others else ""
    return f"{plural(status.takes, 'take')} ({size(status.size)}) in {folder}{also}"


def _objects_of(folder: Path) -> list[bpy.types.Object]:
    enabled = [o for o in bpy.data.objects if settings_of(o).enabled and o.library is None]
    return [obj for obj in enabled if _has_jobs_in(obj, folder)]


def _has_jobs_in(obj: bpy.types.Object, folder: Path) -> bool:
    try:
        return jobs_folder(obj) == folder
    except Problem:  # it names a place that the artist has not agreed to
        return False


def _baked(folder: Path, result: dict[str, Any]) -> bool:
    forget()
    for obj in _objects_of(folder):
        making.baked(obj)
    return True


def _tested(folder: Path, result: dict[str, Any]) -> bool:
    """What was simulated appears beside its object, unless that is gone."""
    obj, scene = trial_takes.object_of(folder), bpy.context.scene
    if obj is not None and scene is not None and obj.name in scene.objects:
        trial_takes.show_trial(scene, obj)
    return True


def _trained(folder: Path, result: dict[str, Any]) -> bool:
    """The new model goes into the .blend, ready for Play; it waits while another .blend is open."""
    objects = _objects_of(folder)
    if not objects or any(obj.mode == "EDIT" for obj in objects):
        return False
    for obj in objects:
        object_tasks.use_model(obj, trained_model(obj, result))
    remember_in_undo("Trained Model")
    began = [obj for obj in objects if making.trained(obj)]
    if began:
        start_animation()
    return True


CLASSES = (
    NEURALPHYSICS_OT_bake,
    NEURALPHYSICS_OT_bake_anew,
    NEURALPHYSICS_OT_test_take,
    NEURALPHYSICS_OT_bake_more,
    NEURALPHYSICS_OT_train,
    NEURALPHYSICS_OT_make_it_play,
    NEURALPHYSICS_OT_use_best_so_far,
    NEURALPHYSICS_OT_evaluate,
    NEURALPHYSICS_OT_stop_job,
    NEURALPHYSICS_OT_show_log,
    NEURALPHYSICS_OT_open_report,
    NEURALPHYSICS_OT_delete_dataset,
)


def register() -> None:
    register_classes(CLASSES)
    host.on_result(object_tasks.BAKE, _baked)
    host.on_result(object_tasks.TRAIN, _trained)
    host.on_result(object_tasks.TEST, _tested)


def unregister() -> None:
    unregister_classes(CLASSES)
    trial_takes.unregister()
