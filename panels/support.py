"""What the panels share: wrapped sentences, reasons at disabled buttons, the state of a job."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ..neural_physics.blender.assets.dropped_models import dropped_on
from ..neural_physics.blender.jobs import host
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.glances import at_a_glance
from ..neural_physics.blender.settings.own_folders import PACKAGE
from ..neural_physics.blender.settings.paths import check_places
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.tasks import making, object_tasks
from ..neural_physics.blender.tasks.steps import Step, is_done
from ..neural_physics.errors import Problem
from ..neural_physics.jobs.life_cycle import JobState
from ..neural_physics.jobs.wording import progress
from ..neural_physics.plain_text import displayable
from ..neural_physics.wording import duration
from ..operators.assets import NEURALPHYSICS_OT_play_asset
from ..operators.places import NEURALPHYSICS_OT_allow_places
from ..operators.support import Button, obstacle
from ..operators.tasks.jobs import NEURALPHYSICS_OT_show_log, NEURALPHYSICS_OT_stop_job
from .steps import steps_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems as Icon

CHARACTER = 6.0  # pixels that a character of the interface's font is wide, about
STARS: dict[str, Icon] = {"good": "SOLO_ON", "fair": "SOLO_OFF"}
TALL = 1.4  # times a button's height: the ones that a step is about
OF_THE_PYTHON = "training_python_", "simulating_python_"  # how the codes of what the preferences mend begin
BESIDE = 70  # pixels of a panel's width that text cannot use: margins and an icon


class Panel(bpy.types.Panel if TYPE_CHECKING else object):  # type: ignore[misc]
    """A panel of the Neural Physics tab, for an object that has been set up."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Neural Physics"
    step: ClassVar[Step]
    on_disk: ClassVar[bool] = False  # whether what it shows lies in the dataset's folder or beside the model

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = target_of(context)
        return obj is not None and settings_of(obj).enabled

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        """What is shown for an object that has been set up."""
        raise NotImplementedError


class Section(Panel):
    """One of the steps. Its header is drawn here, since Blender's own cannot be opened by what is next."""

    bl_options: ClassVar[Any] = {"HIDE_HEADER"}

    def draw(self, context: bpy.types.Context) -> None:
        with at_a_glance():
            self._draw(context)

    def _draw(self, context: bpy.types.Context) -> None:
        obj = target_of(context)
        assert obj is not None  # `poll` comes first
        header, body = self.layout.panel_prop(steps_of(context), self.step)
        header.label(text=self.bl_label, icon="CHECKMARK" if is_done(obj, self.step) else "BLANK1")
        if self.step == "set_up":
            header.label(text=obj.name)
        if body is not None and (not self.on_disk or may_use_places(body, context, obj)):
            self.draw_for(body, context, obj)


class Details(Panel):
    """A panel inside one of the steps, there while that is open."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        with at_a_glance():
            return bool(super().poll(context)) and bool(getattr(steps_of(context), cls.step))

    def draw(self, context: bpy.types.Context) -> None:
        obj = target_of(context)
        assert obj is not None  # `poll` comes first
        with at_a_glance():
            if not self.on_disk or may_use_places(self.layout, context, obj):
                self.draw_for(self.layout, context, obj)


def may_use_places(layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> bool:
    """Whether the scene may name the places it does; if not, why, and the button to allow them."""
    try:
        check_places(obj)
    except Problem as problem:
        sentences(layout, context, problem.message, "ERROR")
        if problem.code == "place_elsewhere":
            layout.operator(NEURALPHYSICS_OT_allow_places.bl_idname, icon="CHECKMARK")
        return False
    return True


def settings_column(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    """A column of settings with their names to the left."""
    column = layout.column(align=True)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def sentences(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Icon = "NONE") -> None:
    """A text of any length, wrapped to the panel's width."""
    scale = context.preferences.system.ui_scale
    width = max(20, int((context.region.width / scale - BESIDE) / CHARACTER))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(displayable(text), width)):
        column.label(text=line, icon=icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE")


def button(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    operator: type[Button],
    text: str = "",
    *,
    icon: Icon = "NONE",
    scale: float = TALL,
) -> Any:  # noqa: ANN401 (the operator's properties)
    """A button, and under it the reason if it cannot be clicked."""
    properties = tall_button(layout, operator, text, icon=icon, scale=scale)
    reasons(layout, context, operator)
    return properties


def tall_button(
    layout: bpy.types.UILayout,
    operator: type[Button],
    text: str = "",
    *,
    icon: Icon = "NONE",
    scale: float = TALL,
) -> Any:  # noqa: ANN401 (the operator's properties)
    """A button, without the reason."""
    row = layout.row()
    row.scale_y = scale
    return row.operator(operator.bl_idname, text=text or operator.bl_label, icon=icon)


def reasons(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    *operators: type[Button],
    further: Problem | None = None,
) -> None:
    """Why buttons above cannot be clicked, each reason once, and the way to where it is mended.

    further: what will keep them from it once these are mended.
    """
    problems = [*(obstacle(operator, context) for operator in operators), further]
    found = {each.message: each for each in problems if each is not None}
    for reason in found:
        sentences(layout, context, reason, "INFO")
    if any(problem.code.startswith(OF_THE_PYTHON) for problem in found.values()):
        show = layout.operator("preferences.addon_show", text="Open Preferences", icon="PREFERENCES")
        show.module = PACKAGE


def dropped_asset(layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """The button for a model asset that an object holds and does not play: one that came with the file."""
    if dropped_on(obj):
        button(layout, context, NEURALPHYSICS_OT_play_asset, icon="PLAY")


def job(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    obj: bpy.types.Object,
    kind: str,
    *,
    is_over: bool = False,
) -> JobState:
    """A job's progress with its Stop button, or how it ended; is_over: that is of no interest any more."""
    state = host.state_of(object_tasks.job_folder(obj, kind), kind)
    if state.active:
        if making.is_making(obj):
            layout.progress(**making_in_words(obj))
        layout.progress(factor=state.share, text=progress(state))
        row = layout.row(align=True)
        stop = row.operator(
            NEURALPHYSICS_OT_stop_job.bl_idname,
            text="Stop Now" if state.phase == "stopping" else "Stop",
            icon="CANCEL",
        )
        stop.kind = kind
        row.operator(NEURALPHYSICS_OT_show_log.bl_idname, text="", icon="TEXT").kind = kind
    elif is_over:
        pass
    elif making.problem_of(obj) is not None and state.phase == "finished" and kind == object_tasks.BAKE:
        # Make It Play could not go on after a job that went well.
        sentences(layout, context, str(making.problem_of(obj)), "ERROR")
    elif state.phase == "failed":
        sentences(layout, context, state.message, "ERROR")
        layout.operator(NEURALPHYSICS_OT_show_log.bl_idname, icon="TEXT").kind = kind
    elif state.phase == "stopped":
        sentences(layout, context, state.message, "PAUSE")
    return state


def verdict(
    layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, *, grade: str, detail: str
) -> None:
    """What is said of a model: a star where it is good, and what is known beside it."""
    sentences(layout, context, sentence, STARS.get(grade, "ERROR"))
    if detail:
        column = layout.column()
        column.active = False
        sentences(column, context, detail, "BLANK1")


def making_in_words(obj: bpy.types.Object) -> dict[str, Any]:
    """The factor and the text of the progress of Make It Play."""
    made = making.progress(obj)
    left = "" if made.left is None else f", {duration(made.left)} left"
    return {"factor": made.share, "text": f"Making it play{left}"}


def busy(obj: bpy.types.Object, kind: str) -> bool:
    """Whether this task of the object runs now."""
    return object_tasks.running(obj) == kind
