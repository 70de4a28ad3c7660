"""Bake: simulate takes to learn from."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.baking.forewarnings import forewarnings
from ..neural_physics.blender.baking.motion.pose_motion import pose_takes, posed_rig
from ..neural_physics.blender.baking.motion.training_motion import moving_takes
from ..neural_physics.blender.display.takes import shown_take
from ..neural_physics.blender.display.unsuitable_places import places_of
from ..neural_physics.blender.scene.companions import companions
from ..neural_physics.blender.settings.paths import dataset_folder
from ..neural_physics.blender.settings.properties import NEURALPHYSICS_PG_object, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import making, object_tasks
from ..neural_physics.blender.tasks.estimates import bake_seconds
from ..neural_physics.blender.tasks.moving_files import left_behind
from ..neural_physics.blender.tasks.planned_takes import PlannedTakes
from ..neural_physics.blender.tasks.watched_bakes import is_under_way
from ..neural_physics.datasets.status import DatasetStatus, dataset_status
from ..neural_physics.errors import Problem
from ..neural_physics.jobs.life_cycle import JobState
from ..neural_physics.wording import duration, plural, size
from ..operators.exchange.importing import NEURALPHYSICS_OT_import_take
from ..operators.places import NEURALPHYSICS_OT_move_files
from ..operators.set_up import NEURALPHYSICS_OT_use_as_pins
from ..operators.support import obstacle, scene_of
from ..operators.takes import (
    NEURALPHYSICS_OT_hide_take,
    NEURALPHYSICS_OT_show_places,
    NEURALPHYSICS_OT_show_take,
)
from ..operators.tasks.bake import (
    NEURALPHYSICS_OT_bake,
    NEURALPHYSICS_OT_bake_anew,
    NEURALPHYSICS_OT_delete_dataset,
    NEURALPHYSICS_OT_test_take,
)
from ..operators.tasks.jobs import NEURALPHYSICS_OT_show_log
from ..operators.tasks.submitting import NEURALPHYSICS_OT_submit_bake
from ..operators.tasks.train import NEURALPHYSICS_OT_make_it_play
from .other_computers import draw_other_computers
from .submitting import draw_submit
from .support import (
    Details,
    Section,
    busy,
    button,
    job,
    reasons,
    sentences,
    settings_column,
    tall_button,
)


class NEURALPHYSICS_PT_bake(Section, bpy.types.Panel):
    bl_label = "2  Bake"
    step = "bake"
    on_disk = True
    bl_order = 1

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        if left_behind(obj) is not None:
            text = f"The files of {obj.name} are still in the folder for scenes without a file."
            sentences(layout, context, text, "INFO")
            button(layout, context, NEURALPHYSICS_OT_move_files, icon="FILE_FOLDER", scale=1.0)
        changed, status = None, dataset_status(dataset_folder(obj))
        if not busy(obj, object_tasks.BAKE):
            changed = object_tasks.change_since_bake(scene_of(context), obj)
            self._draw_settings(layout, context, obj)
            if not obstacle(NEURALPHYSICS_OT_bake, context):
                self._draw_announced(layout, context, obj, changed)
            self._draw_buttons(layout, context, obj, changed, status=status)
        trial = job(layout, context, obj, object_tasks.TEST)
        for note in trial.result.get("notes", ()):
            sentences(layout, context, note, "INFO")
        state = job(layout, context, obj, object_tasks.BAKE, is_over=changed is not None)
        if state.phase == "failed" and places_of(obj) is not None:
            layout.operator(NEURALPHYSICS_OT_show_places.bl_idname, icon="RESTRICT_SELECT_OFF")
        for note in state.result.get("notes", ()):
            sentences(layout, context, note, "INFO")
        if state.phase == "finished" and state.result.get("excluded"):
            layout.operator(NEURALPHYSICS_OT_show_log.bl_idname, icon="TEXT").kind = object_tasks.BAKE
        draw_other_computers(layout, context, obj, bake=state)
        under_way = state.active or is_under_way(dataset_folder(obj))
        self._draw_dataset(layout, context, obj, status, bake=state, under_way=under_way)
        shown = shown_take(obj)
        if shown:
            layout.operator(NEURALPHYSICS_OT_hide_take.bl_idname, text=f"Hide {shown}", icon="HIDE_ON")

    def _draw_settings(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        settings = settings_of(obj)
        column = settings_column(layout)
        column.prop(settings, "take_count")
        column.prop(settings, "take_frames")
        others = companions(context.view_layer, obj)
        if others:
            column.prop(settings, "bake_together")
        if others and settings.bake_together:
            sentences(layout, context, f"With {', '.join(other.name for other in others)}", "COMMUNITY")
        if posed_rig(obj) is not None:
            self._draw_poses(layout, settings)

    def _draw_announced(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        changed: Problem | None,
    ) -> None:
        """What is known of a bake before it begins."""
        settings, seconds = settings_of(obj), bake_seconds(obj)
        if seconds:
            made = duration(making.estimate(seconds))
            text = (
                f"Make It Play bakes, trains and plays: about {made}. Bake alone: about {duration(seconds)}"
            )
            sentences(layout, context, text, "TIME")
        if moving_takes(obj) < settings.take_count:
            text = f"One take only: everything that {obj.name} reacts to keeps its animation"
            sentences(layout, context, text, "INFO")
        if changed is None:
            if not dataset_status(dataset_folder(obj)).imported:
                self._draw_other_length(layout, context, obj)
            self._draw_forewarnings(layout, context, obj)

    def _draw_other_length(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        said = PlannedTakes.of(obj).other_length
        if said:
            sentences(layout, context, said, "INFO")
            button(layout, context, NEURALPHYSICS_OT_bake_anew, icon="FILE_REFRESH", scale=1.0)

    def _draw_buttons(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        changed: Problem | None,
        *,
        status: DatasetStatus,
    ) -> None:
        if changed is not None:
            sentences(layout, context, changed.message, "ERROR")
            button(layout, context, NEURALPHYSICS_OT_bake_anew, icon="FILE_REFRESH")
        else:
            begun = status.takes > 0 and status.complete < moving_takes(obj) + pose_takes(obj)
            tall_button(layout, NEURALPHYSICS_OT_make_it_play, icon="PLAY")
            tall_button(layout, NEURALPHYSICS_OT_bake, "Resume Bake" if begun else "Bake", icon="PHYSICS")
        if not busy(obj, object_tasks.TEST):
            layout.operator(NEURALPHYSICS_OT_test_take.bl_idname, icon="HIDE_OFF")
        if changed is None:
            draw_submit(layout, context, obj, object_tasks.BAKE, operator=NEURALPHYSICS_OT_submit_bake)
            # Mostly it is the same for all of them.
            buttons = NEURALPHYSICS_OT_make_it_play, NEURALPHYSICS_OT_bake, NEURALPHYSICS_OT_submit_bake
            reasons(layout, context, *buttons)

    def _draw_forewarnings(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        """What would only be seen after the bake; nothing is kept from being baked."""
        assert context.scene is not None  # a panel is drawn in one
        for one in forewarnings(context.scene, obj):
            sentences(layout, context, one.sentence, "QUESTION" if one.group else "ERROR")
            if one.group:
                text = f"Use “{one.group}” as Pins"
                layout.operator(NEURALPHYSICS_OT_use_as_pins.bl_idname, text=text).group = one.group

    def _draw_poses(self, layout: bpy.types.UILayout, settings: NEURALPHYSICS_PG_object) -> None:
        column = settings_column(layout)
        column.prop(settings, "pose_count")
        if settings.pose_count:
            column.prop(settings, "pose_source")
            if settings.pose_source != "ACTIONS":
                column.prop(settings, "pose_range")

    def _draw_dataset(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        status: DatasetStatus,
        *,
        bake: JobState,
        under_way: bool,
    ) -> None:
        """under_way: whether takes are being baked, here or elsewhere."""
        if status.trouble:
            if status.trouble.code != "dataset_missing":
                sentences(layout, context, status.trouble.message, "ERROR")
            return
        if not status.takes:
            return
        frames = plural(status.frames, "frame")
        if bake.active:
            text = f"So far {frames}, {size(status.size)}"
        elif under_way:  # how many frames is said above
            text = f"So far {size(status.size)}"
        else:
            text = f"{plural(status.takes, 'take')}, {frames}, {size(status.size)}"
        sentences(layout, context, text, "CHECKMARK" if status.complete == status.takes else "FILE_CACHE")
        row = layout.row()
        text = "Next Take" if shown_take(obj) else NEURALPHYSICS_OT_show_take.bl_label
        row.operator(NEURALPHYSICS_OT_show_take.bl_idname, text=text, icon="PLAY")
        if not under_way:
            row.operator(NEURALPHYSICS_OT_delete_dataset.bl_idname, text="", icon="TRASH")
            if not obstacle(NEURALPHYSICS_OT_bake, context):  # else the reason stands under Bake already
                reasons(layout, context, NEURALPHYSICS_OT_delete_dataset)
        if status.excluded and not bake.result.get("excluded"):  # else a note of the bake says so
            why = "; ".join(status.reasons)
            sentences(layout, context, f"{plural(status.excluded, 'frame')} left out: {why}", "INFO")


class NEURALPHYSICS_PT_bake_options(Details, bpy.types.Panel):
    bl_label = "Options"
    step = "bake"
    bl_parent_id = "NEURALPHYSICS_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, settings = settings_column(layout), settings_of(obj)
        column.prop(settings, "seed")
        column.prop(settings, "choose_takes")
        column.prop(settings, "parallel_takes")
        column.prop(settings, "dataset_folder")
        button(layout, context, NEURALPHYSICS_OT_import_take, icon="IMPORT", scale=1.0)


CLASSES = (NEURALPHYSICS_PT_bake, NEURALPHYSICS_PT_bake_options)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
