"""Train: learn a model from the takes; and measure it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import bpy

from ..neural_physics.blender.display.chart import ROWS, axis_of, chart_icon
from ..neural_physics.blender.display.evaluation import is_shown, prediction_of
from ..neural_physics.blender.scene.modifiers.cache_modifier import find_blend
from ..neural_physics.blender.settings.paths import best_so_far_path, report_path
from ..neural_physics.blender.settings.properties import method_of, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import object_tasks, verdicts
from ..neural_physics.edition import FULL
from ..neural_physics.errors import Problem
from ..neural_physics.evaluation.verdict import gains_nothing
from ..neural_physics.files.links import may_be_looked_at
from ..neural_physics.jobs.life_cycle import JobState, number_in, text_in
from ..neural_physics.wording import plural
from ..operators.evaluation import NEURALPHYSICS_OT_hide_evaluation, NEURALPHYSICS_OT_show_evaluation
from ..operators.tasks.bake import NEURALPHYSICS_OT_bake_more
from ..operators.tasks.submitting import NEURALPHYSICS_OT_submit_training
from ..operators.tasks.train import (
    NEURALPHYSICS_OT_evaluate,
    NEURALPHYSICS_OT_open_report,
    NEURALPHYSICS_OT_train,
    NEURALPHYSICS_OT_use_best_so_far,
)
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
    verdict,
)

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems as Icon

ERRORS = [
    ("Error of this model", "rollout_error"),
    ("Plain linear regression", "ridge_error"),
    ("A shape that stands still", "mean_error"),
    ("The least with these bases", "basis_error"),
]
LABELS_SHARE = 0.25  # of the width: the labels beside the chart

USUAL_PRESETS = ("preview", "balanced", "final")  # what else there is stands under Advanced


def _trainer_problem(obj: bpy.types.Object) -> Problem | None:
    """What keeps the method from being trained here, which is told before the bake."""
    if FULL:
        try:
            object_tasks.require_trainer(obj)
        except Problem as problem:
            return problem.with_traceback(None)
    return None


class NEURALPHYSICS_PT_train(Section, bpy.types.Panel):
    bl_label = "3  Train"
    step = "train"
    on_disk = True
    bl_order = 2

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        if not busy(obj, object_tasks.TRAIN):
            row = layout.row(align=True)
            for preset in USUAL_PRESETS:
                row.prop_enum(settings_of(obj), "preset", preset)
            text = "Resume Training" if object_tasks.resumes_training(obj) else "Train"
            tall_button(layout, NEURALPHYSICS_OT_train, text, icon="OUTLINER_OB_LIGHT")
            draw_submit(layout, context, obj, object_tasks.TRAIN, operator=NEURALPHYSICS_OT_submit_training)
            # Mostly it is the same for both.
            operators = (NEURALPHYSICS_OT_train, NEURALPHYSICS_OT_submit_training)
            reasons(layout, context, *operators, further=_trainer_problem(obj))
        if may_be_looked_at(best_so_far_path(obj)):
            layout.operator(NEURALPHYSICS_OT_use_best_so_far.bl_idname, icon="IMPORT")
        is_over = object_tasks.was_baked_since_training(obj)
        state = job(layout, context, obj, object_tasks.TRAIN, is_over=is_over)
        if not state.active:
            self._draw_verdict(layout, context, obj)
        for note in state.result.get("notes", ()):
            sentences(layout, context, note, "INFO")
        self._draw_curves(layout, context, obj.name, state=state)

    def _draw_verdict(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        found, more = verdicts.verdict_of(obj), verdicts.new_takes(obj)
        if found is None or not verdicts.was_trained_here(obj):  # else Play says it
            return
        verdict(
            layout, context, found.said if more else found.sentence, grade=found.grade, detail=found.detail
        )
        if more:
            sentences(layout, context, f"{plural(more, 'take')} baked since then: train again", "INFO")
        elif verdicts.may_bake_more(obj, found):
            text = f"Bake {plural(found.takes, 'More Take')}"
            button(layout, context, NEURALPHYSICS_OT_bake_more, text, icon="PHYSICS").takes = found.takes

    def _draw_curves(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, name: str, *, state: JobState
    ) -> None:
        axis = axis_of(state.history, state.metres)
        icon = chart_icon(name, state.history, axis, state.best_step)
        if not icon:
            return
        validation = [point[2] for point in state.history if isfinite(point[2])]
        # Without any the axis is of nothing that is drawn: the numbers of a loss mean nothing.
        title = "Error on motion it has not seen" if validation else "Loss on the motion it learns from"
        layout.label(text=title)
        split = layout.split(factor=LABELS_SHARE)
        labels, chart = split.column(align=True), split.column(align=True)
        labels.alignment = "RIGHT"
        for label in axis.labels():
            labels.label(text=label if validation else "")
        chart.template_icon(icon, scale=ROWS)
        row = layout.split(factor=LABELS_SHARE)
        row.label(text="steps")
        row = row.row()
        row.label(text=f"{state.history[0][0]:,.0f}")
        last = row.row()
        last.alignment = "RIGHT"
        last.label(text=f"{state.history[-1][0]:,.0f}")
        row = layout.row()
        if validation:
            text = f"Now {axis.words(validation[-1])}" if state.active else "Error"
            row.label(text=text, icon="COLORSET_02_VEC")
        row.label(text=f"Loss {state.history[-1][1]:.3g}", icon="COLORSET_04_VEC")
        if isfinite(state.best):
            star: Icon = "SOLO_OFF" if gains_nothing(state.best) else "SOLO_ON"
            best = f"Best so far {axis.words(state.best)}" if state.active else "Kept: the best"
            best = f"{best}, after {plural(state.best_step, 'step')}"
            sentences(layout, context, best, star)


class NEURALPHYSICS_PT_train_options(Details, bpy.types.Panel):
    bl_label = "Advanced"
    step = "train"
    bl_parent_id = "NEURALPHYSICS_PT_train"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, settings = settings_column(layout), settings_of(obj)
        column.prop(settings, "preset")
        if method_of(obj).has_bases:
            column.prop(settings, "basis_count")
        for setting in method_of(obj).training_settings:
            row = column.row()
            row.enabled = not (setting.replaced_by and getattr(settings, setting.replaced_by))
            row.prop(settings, setting.property)
        column.prop(settings, "training_seed", text="Seed")
        column.prop(settings, "model_path")


class NEURALPHYSICS_PT_evaluate(Details, bpy.types.Panel):
    bl_label = "Evaluate"
    step = "train"
    on_disk = True
    bl_parent_id = "NEURALPHYSICS_PT_train"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        if not busy(obj, object_tasks.EVALUATE):
            button(layout, context, NEURALPHYSICS_OT_evaluate, icon="VIEWZOOM", scale=1.0)
        state = job(layout, context, obj, object_tasks.EVALUATE)
        if state.phase == "finished":
            said, grade, detail = (text_in(state.result, name) for name in ("verdict", "grade", "detail"))
            if said and not self._is_said_above(obj, said):
                verdict(layout, context, said, grade=grade, detail=detail)
            self._draw_errors(layout, state)
        if may_be_looked_at(report_path(obj)):
            layout.operator(NEURALPHYSICS_OT_open_report.bl_idname, icon="URL")
            row = layout.row(align=True)
            row.operator(NEURALPHYSICS_OT_show_evaluation.bl_idname, icon="MOD_DATA_TRANSFER")
            if is_shown(obj):
                row.operator(NEURALPHYSICS_OT_hide_evaluation.bl_idname)
            reasons(layout, context, NEURALPHYSICS_OT_show_evaluation)
            copy = prediction_of(obj)
            blend = find_blend(copy) if copy is not None else None
            if blend is not None:
                layout.prop(blend, "factor", text="Prediction to Simulation", slider=True)

    def _is_said_above(self, obj: bpy.types.Object, said: str) -> bool:
        """Whether Train says the same of the model."""
        found = verdicts.verdict_of(obj)
        return found is not None and said in (found.said, found.sentence) and verdicts.was_trained_here(obj)

    def _draw_errors(self, layout: bpy.types.UILayout, state: JobState) -> None:
        """Relative errors: 0 is exact, 1 no better than the mean shape."""
        column = layout.column(align=True)
        for label, name in ERRORS:
            error = number_in(state.result, name)
            if error is not None:
                column.label(text=f"{label}: {error:.2f}")


CLASSES = (NEURALPHYSICS_PT_train, NEURALPHYSICS_PT_train_options, NEURALPHYSICS_PT_evaluate)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
