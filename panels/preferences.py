"""The preferences: the Python that trains."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ..neural_physics.blender.jobs import training_environment as environment
from ..neural_physics.blender.settings.own_folders import PACKAGE
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.jobs.life_cycle import JobState, text_in
from ..neural_physics.jobs.wording import progress
from ..operators.environment import (
    NEURALPHYSICS_OT_check_environment,
    NEURALPHYSICS_OT_create_environment,
    NEURALPHYSICS_OT_show_environment_log,
    NEURALPHYSICS_OT_stop_environment,
)
from ..operators.support import obstacle
from .support import sentences

LOG_SHOWN = 6  # lines


def _look_at_it(preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    """Another Python was chosen."""
    check = bpy.ops.neural_physics.check_environment  # type: ignore[attr-defined]
    if check.poll() and not environment.state_of(environment.CHECK).active:
        check()


class NEURALPHYSICS_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = PACKAGE

    training_python: StringProperty(
        name="Python",
        description=(
            "A Python that has PyTorch, or the folder of its environment; if empty, the one created here"
        ),
        subtype="FILE_PATH",
        update=_look_at_it,
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        text = "Subspace Physics trains in Blender; other methods and the solver need PyTorch."
        sentences(layout, context, text)
        layout.prop(self, "training_python")
        self._draw_found(context)
        self._draw_create(context)

    def _draw_found(self, context: bpy.types.Context) -> None:
        layout, python = self.layout, environment.python_path()
        if python is None:
            text = "No Python with PyTorch is set up: choose one above, or create one below."
            sentences(layout, context, text, "ERROR")
            return
        trouble = obstacle(NEURALPHYSICS_OT_check_environment, context)
        if trouble:
            sentences(layout, context, trouble.message, "ERROR")
            return
        found = environment.checked(python)
        if environment.state_of(environment.CHECK).active:
            sentences(layout, context, f"Checking {python}", "SORTTIME")
        elif not found:
            if not environment.failure_of(environment.CHECK):
                sentences(layout, context, f"{python} has not been checked yet", "QUESTION")
        elif found["missing"]:
            sentences(layout, context, f"{python} lacks {', '.join(found['missing'])}", "ERROR")
        else:
            version, torch, device = (text_in(found, name) for name in ("python", "torch", "device"))
            text = f"{python}: Python {version}, PyTorch {torch} on {device}"
            sentences(layout, context, text, "CHECKMARK")
        layout.operator(NEURALPHYSICS_OT_check_environment.bl_idname, icon="VIEWZOOM")
        self._draw_failure(context, environment.CHECK)

    def _draw_create(self, context: bpy.types.Context) -> None:
        layout, state = self.layout, environment.state_of(environment.CREATE)
        if state.active:
            layout.progress(factor=0.0, text=progress(state))
            layout.operator(
                NEURALPHYSICS_OT_stop_environment.bl_idname, icon="CANCEL"
            ).kind = environment.CREATE
            self._draw_log(state)
            return
        row = layout.row()
        row.operator(NEURALPHYSICS_OT_create_environment.bl_idname, icon="IMPORT")
        reason = obstacle(NEURALPHYSICS_OT_create_environment, context)
        if reason:
            sentences(layout, context, reason.message, "INFO")
        if environment.may_ask_for_access():
            show = layout.operator(
                "screen.userpref_show", text="Open Network Preferences", icon="PREFERENCES"
            )
            show.section = "SYSTEM"
        if state.phase == "finished":
            sentences(layout, context, f"Created in {environment.environment_folder()}", "CHECKMARK")
        self._draw_failure(context, environment.CREATE)

    def _draw_log(self, state: JobState) -> None:
        box = self.layout.box().column(align=True)
        box.scale_y = 0.7
        for line in state.log[-LOG_SHOWN:]:
            box.label(text=line)

    def _draw_failure(self, context: bpy.types.Context, kind: str) -> None:
        failure = environment.failure_of(kind)
        if failure:
            failed = environment.state_of(kind).phase == "failed"
            sentences(self.layout, context, failure, "ERROR" if failed else "PAUSE")
            self.layout.operator(NEURALPHYSICS_OT_show_environment_log.bl_idname, icon="TEXT").kind = kind


def register() -> None:
    register_classes((NEURALPHYSICS_AP_preferences,))


def unregister() -> None:
    unregister_classes((NEURALPHYSICS_AP_preferences,))
