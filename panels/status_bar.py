"""Jobs in Blender's status bar: seen in every workspace, with the sidebar open or not."""

from __future__ import annotations

import time
from typing import Any

import bpy

from ..neural_physics.blender.jobs import host
from ..neural_physics.blender.scene.targets import set_up_objects
from ..neural_physics.blender.settings.glances import at_a_glance
from ..neural_physics.blender.tasks import making, object_tasks
from ..neural_physics.jobs.life_cycle import JobState
from ..neural_physics.jobs.wording import job_name, progress
from .support import making_in_words

NOTICE = 20.0  # seconds that the end of a job is told
LOOK = 0.05  # seconds of a redraw for jobs that this Blender does not know of yet; the next one goes on
WORDS = {"finished": "finished", "failed": "failed", "stopped": "was stopped"}
ICONS: dict[str, Any] = {"finished": "CHECKMARK", "failed": "ERROR", "stopped": "PAUSE"}


def register() -> None:
    bpy.types.STATUSBAR_HT_header.append(_draw)


def unregister() -> None:
    bpy.types.STATUSBAR_HT_header.remove(_draw)


def _draw(header: bpy.types.Header, context: bpy.types.Context) -> None:
    layout, scene = header.layout, context.scene
    if layout is None or scene is None:
        return
    with at_a_glance():
        until = time.monotonic() + LOOK
        for obj in set_up_objects(scene):
            for kind, folder in object_tasks.job_folders(obj).items():
                if host.is_known(folder, kind) or time.monotonic() < until:
                    _draw_job(layout, obj, kind, host.state_of(folder, kind))


def _draw_job(layout: bpy.types.UILayout, obj: bpy.types.Object, kind: str, state: JobState) -> None:
    if state.active:
        row = layout.row()
        row.ui_units_x = 14
        said: dict[str, Any] = {"factor": state.share, "text": progress(state)}
        if making.is_making(obj):
            said = making_in_words(obj)
        row.progress(factor=said["factor"], text=f"{obj.name}: {said['text']}")
        return
    ended = host.ended_at(object_tasks.job_folder(obj, kind), kind)
    if state.phase in WORDS and time.monotonic() - ended < NOTICE:
        layout.label(text=f"{obj.name}: {job_name(kind)} {WORDS[state.phase]}", icon=ICONS[state.phase])
