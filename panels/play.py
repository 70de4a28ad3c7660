"""Play: the learned motion in the viewport."""

from __future__ import annotations

from itertools import islice

import bpy

from ..neural_physics.blender.display.captions import speed
from ..neural_physics.blender.display.springs import are_shown
from ..neural_physics.blender.playing import grabbing, packing
from ..neural_physics.blender.playing.playback import PlayStatus, status_of
from ..neural_physics.blender.scene.interaction_names import MOST_INTERACTIONS
from ..neural_physics.blender.scene.modifiers.cache_modifier import shown_file
from ..neural_physics.blender.scene.targets import channel_objects, target_of
from ..neural_physics.blender.settings.properties import NEURALPHYSICS_PG_object, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import verdicts
from ..neural_physics.methods.registry import specification_of
from ..neural_physics.methods.specification import MethodSpecification
from ..neural_physics.models.trained_range import Beyond
from ..neural_physics.wording import length
from ..operators.exchange.motion import NEURALPHYSICS_OT_bake_playback
from ..operators.play import (
    NEURALPHYSICS_OT_catch_up,
    NEURALPHYSICS_OT_grab,
    NEURALPHYSICS_OT_lock_interface,
    NEURALPHYSICS_OT_play,
    NEURALPHYSICS_OT_release,
    NEURALPHYSICS_OT_stop_playing,
)
from ..operators.share import NEURALPHYSICS_OT_pack
from ..operators.springs import NEURALPHYSICS_OT_hide_springs, NEURALPHYSICS_OT_show_springs
from .support import Details, Section, button, dropped_asset, sentences, settings_column, verdict

NOTICEABLE = 0.01  # the share outside what was trained from which it is worth a line
WORRYING = 0.2
MANY_UNSETTLED = 0.01  # of the frames: the share that is worth a line


class NEURALPHYSICS_PT_play(Section, bpy.types.Panel):
    bl_label = "4  Play"
    step = "play"
    bl_order = 3

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings = settings_of(obj)
        dropped_asset(layout, context, obj)
        newer = packing.newer_file(obj)
        if newer is not None:
            sentences(layout, context, f"There is a newer model than the one in the .blend: {newer}", "INFO")
            button(layout, context, NEURALPHYSICS_OT_pack, "Use Newer Model", icon="PACKAGE", scale=1.0)
        if not settings.playing:
            shown = shown_file(obj)
            if shown:
                text = f"Showing {bpy.path.basename(shown)}"
                sentences(layout, context, text, "FILE_CACHE")
                layout.operator(NEURALPHYSICS_OT_stop_playing.bl_idname, icon="MOD_PHYSICS")
            button(layout, context, NEURALPHYSICS_OT_play, icon="PLAY")
            self._draw_verdict(layout, context, obj)
        else:
            self._draw_playing(layout, context, obj)

    def _draw_playing(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        settings, status = settings_of(obj), status_of(obj)
        button(layout, context, NEURALPHYSICS_OT_stop_playing, icon="PAUSE")
        if status.problem:
            sentences(layout, context, status.problem.message, "ERROR")
        else:
            sentences(layout, context, speed(status.frame_ms, status.simulation_ms), "CHECKMARK")
        self._draw_movers(layout, context, obj, status)
        self._draw_verdict(layout, context, obj)
        column = settings_column(layout)
        for name in status.live:
            column.prop(settings, name)
        if status.has_places:
            column.prop(settings, "show_trained_range")
        if status.has_error:
            column.prop(settings, "show_typical_error")
        column.prop(settings, "write_numbers")
        method = specification_of(status.method)
        if method is not None:
            self._draw_live(column, obj, method, status.unused)
        if status.can_look_ahead:
            self._draw_look_ahead(layout, context, settings, status)
        if method is not None and method.has_springs:
            row = layout.row(align=True)
            row.operator(NEURALPHYSICS_OT_show_springs.bl_idname, icon="COLOR")
            if are_shown(obj):
                row.operator(NEURALPHYSICS_OT_hide_springs.bl_idname)
        button(layout, context, NEURALPHYSICS_OT_bake_playback, icon="RENDER_ANIMATION", scale=1.0)
        if not status.problem:  # last: what comes and goes with the motion moves no button
            self._draw_state(layout, context, status)

    def _draw_movers(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        status: PlayStatus,
    ) -> None:
        """What keys move, and what was taken from its keys."""
        column, said = layout.column(align=True), {str(status.problem)}
        for mover in islice(dict.fromkeys(channel_objects(obj)), MOST_INTERACTIONS):
            if grabbing.is_grabbed(mover):
                text = f"Release {mover.name}"
                column.operator(
                    NEURALPHYSICS_OT_release.bl_idname, text=text, icon="LOOP_BACK"
                ).mover = mover.name
            elif grabbing.may_grab(mover):
                problem = grabbing.grab_problem(obj, mover)
                row = column.row()
                row.enabled = problem is None
                text = f"Grab {mover.name}"
                row.operator(NEURALPHYSICS_OT_grab.bl_idname, text=text, icon="VIEW_PAN").mover = mover.name
                if problem is not None and problem.message not in said:
                    said.add(problem.message)
                    sentences(column, context, problem.message, "INFO")

    def _draw_verdict(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        """How good a model is that came with the .blend, and whose; one's own is judged under Train."""
        if verdicts.was_trained_here(obj):
            return
        found, credit = verdicts.verdict_of(obj), verdicts.credit_of(obj)
        if found is not None:
            verdict(layout, context, found.said, grade=found.grade, detail=found.detail)
        if credit:
            sentences(layout, context, f"The model is {credit}", "USER")

    def _draw_live(
        self,
        column: bpy.types.UILayout,
        obj: bpy.types.Object,
        method: MethodSpecification,
        unused: frozenset[str],
    ) -> None:
        """What the model that plays reads of the settings, whatever is chosen for the next training."""
        settings = settings_of(obj)
        if method.has_handles:
            for handle in settings.handles:
                column.prop(handle, "hold", text=f"Hold {handle.name}")
        for live in method.live_settings:
            if live.kind == "vertex_group":
                column.prop_search(settings, live.property, obj, "vertex_groups")
            else:
                row = column.row()
                row.enabled = live.property not in unused
                row.prop(settings, live.property)

    def _draw_look_ahead(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        settings: NEURALPHYSICS_PG_object,
        status: PlayStatus,
    ) -> None:
        row = settings_column(layout)
        reason = status.not_ahead
        row.enabled = reason is None or reason.code != "look_ahead_not_keyed"
        row.prop(settings, "look_ahead")
        if reason is not None:
            sentences(layout, context, reason.message, "INFO")

    def _draw_state(self, layout: bpy.types.UILayout, context: bpy.types.Context, status: PlayStatus) -> None:
        if status.expected_error is not None:
            sentences(layout, context, f"Expected error now: {length(status.expected_error)}", "INFO")
        for name, beyond in status.beyond.items():
            sentences(layout, context, _outside_in_words(name, beyond), "ERROR" if beyond.far else "INFO")
        if status.outside > NOTICEABLE and not status.beyond:
            text = f"{status.outside:.0%} of the motion is outside the training range"
            sentences(layout, context, text, "ERROR" if status.outside > WORRYING else "INFO")
        if status.unsettled >= MANY_UNSETTLED:
            text = (
                f"{status.unsettled:.0%} of the frames so far were not solved to the end, so the body may "
                "lag behind what moves it: slower motion, or more Steps per Frame in the bake, would help"
            )
            sentences(layout, context, text, "INFO")
        if status.deep:
            text = f"{status.deep} vertices are too deep inside capsules to be pushed out"
            sentences(layout, context, text, "INFO")
        if status.wedged:
            text = f"{status.wedged} vertices are caught between capsules"
            sentences(layout, context, text, "INFO")
        if status.behind_layers:
            text = f"{status.behind_layers} vertices are too deep behind the layers below to be pushed out"
            sentences(layout, context, text, "INFO")
        if status.warning:
            sentences(layout, context, status.warning.message, "INFO")
            if status.warning.code in ("catch_up_needed", "play_waits"):
                layout.operator(NEURALPHYSICS_OT_catch_up.bl_idname, icon="FF")
            elif status.warning.code == "lock_interface_off":
                layout.operator(NEURALPHYSICS_OT_lock_interface.bl_idname, icon="LOCKED")


def _outside_in_words(name: str, beyond: Beyond) -> str:
    if beyond.unit == "m":
        return f"{name} is {length(beyond.distance)} outside the trained range"
    return f"{name} is outside the trained range by {beyond.distance:.0%} of that range"


class NEURALPHYSICS_PT_play_advanced(Details, bpy.types.Panel):
    bl_label = "Advanced"
    step = "play"
    bl_parent_id = "NEURALPHYSICS_PT_play"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = target_of(context)
        return obj is not None and settings_of(obj).playing and bool(super().poll(context))

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, settings, status = settings_column(layout), settings_of(obj), status_of(obj)
        column.prop(settings, "start_frame")
        column.prop(settings, "show_captions")
        column.label(text=f"Step {status.step_us:.0f} µs")
        if not status.previewed:
            column.label(text=f"Decode {status.decode_us:.0f} µs")
            if status.push_us:
                column.label(text=f"Push Out {status.push_us:.0f} µs")
        if status.linear:
            column.prop(settings, "bases_shown", text="Quality (0: all)")
            column.prop(settings, "decode_with")
            column.prop(settings, "use_preview")


CLASSES = (NEURALPHYSICS_PT_play, NEURALPHYSICS_PT_play_advanced)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
