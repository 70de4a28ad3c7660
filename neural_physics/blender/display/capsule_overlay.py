"""The capsules of an object, drawn in the viewport while it is the target of the panels."""

from __future__ import annotations

from typing import Any

import bpy
import gpu

from ...capsules.wires import wires
from ...errors import Problem
from ..scene.capsule_sampling import CapsuleSampler, pushing_capsules
from ..scene.targets import target_of
from ..settings.properties import settings_of
from ..settings.registration import ViewportHandler
from .viewport_lines import Canvas, current_canvas, draw_lines

COLOUR = (0.95, 0.65, 0.20)
OPACITY = 0.8
HIDDEN = 0.35  # of the opacity, for what is behind something: most of a capsule is within its limb


def shows_capsules(obj: bpy.types.Object) -> bool:
    """Whether an object's capsules are drawn: it has been set up, has some, and they are to be seen."""
    settings = settings_of(obj)
    return settings.enabled and settings.projection.show and bool(pushing_capsules(obj))


def register() -> None:
    """Start drawing the capsules in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the capsules."""
    _HANDLER.unregister()


def _draw() -> None:
    canvas = current_canvas()
    obj = target_of(bpy.context) if canvas is not None else None
    if canvas is not None and obj is not None and shows_capsules(obj):
        draw_capsules(obj, bpy.context.evaluated_depsgraph_get(), canvas.size, canvas.line_width)


def draw_capsules(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, viewport: tuple[int, int], width: float
) -> None:
    """Draw an object's capsules where they are now into what is bound; viewport, width: in pixels.

    Nothing is drawn while one of them has lost what carries it, which Play and Fit report.
    """
    try:
        capsules, _ = CapsuleSampler(obj).sample(depsgraph)
    except Problem:
        return
    points: Any = wires(capsules).reshape(-1, 3)  # which the stubs do not take for the buffer that it is
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.evaluated_get(depsgraph).matrix_world)
        draw_lines(Canvas(viewport, width), points, COLOUR, OPACITY, hidden=HIDDEN)


_HANDLER = ViewportHandler(_draw)
