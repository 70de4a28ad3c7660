"""The row that hands a task to other computers, and what to do there."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.settings.paths import dataset_folder
from ..neural_physics.blender.tasks.submitting import submission_of
from ..neural_physics.blender.tasks.watched_bakes import is_under_way
from ..operators.support import Button
from ..operators.tasks.submitting import NEURALPHYSICS_OT_copy_submission
from .support import sentences


def draw_submit(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    obj: bpy.types.Object,
    kind: str,
    *,
    operator: type[Button],
) -> None:
    """The button for a task, and below it what was made last, until somebody has begun with it."""
    layout.operator(operator.bl_idname, icon="NETWORK_DRIVE")
    made = submission_of(obj, kind)
    if made is not None and not is_under_way(dataset_folder(obj)):
        sentences(layout, context, made.said, "INFO")
        layout.operator(NEURALPHYSICS_OT_copy_submission.bl_idname, icon="COPYDOWN").kind = kind
