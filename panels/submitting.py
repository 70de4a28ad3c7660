"""The row that hands a task to other computers, and what to do there."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.tasks.submitting import submission_of
from ..operators.submitting import NEURALPHYSICS_OT_copy_submission
from ..operators.support import Button
from .support import sentences


def draw_submit(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    obj: bpy.types.Object,
    kind: str,
    *,
    operator: type[Button],
) -> None:
    """The button for a task, and below it what was made last."""
    layout.operator(operator.bl_idname, icon="NETWORK_DRIVE")
    made = submission_of(obj, kind)
    if made is not None:
        sentences(layout, context, made.said, "INFO")
        layout.operator(NEURALPHYSICS_OT_copy_submission.bl_idname, icon="COPYDOWN").kind = kind
