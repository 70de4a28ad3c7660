"""The boxes that training motion stays in, drawn in the viewport while an object is being set up."""

from __future__ import annotations

import bpy

from ..scene.targets import target_of
from ..settings.motions import is_wind
from ..settings.properties import NEURALPHYSICS_PG_interaction, settings_of
from ..settings.registration import ViewportHandler
from .viewport_lines import BOX_EDGES, box_corners, current_canvas, draw_lines

COLOUR = (0.25, 0.85, 0.85)
ACTIVE, OTHER = 0.9, 0.35  # opacities
HIDDEN = 0.25  # of the opacity, for what is behind something


def active_box(context: bpy.types.Context) -> NEURALPHYSICS_PG_interaction | None:
    """The chosen interaction, if its motion box is shown."""
    obj = target_of(context)
    if obj is None:
        return None
    settings = settings_of(obj)
    boxes = shown_boxes(obj)
    index = settings.active_interaction
    if index >= len(settings.interactions) or settings.interactions[index] not in boxes:
        return None
    return settings.interactions[index]


def shown_boxes(obj: bpy.types.Object) -> list[NEURALPHYSICS_PG_interaction]:
    """The interactions whose boxes are shown: those that wander, unless the model plays."""
    settings = settings_of(obj)
    if not settings.enabled or not settings.show_boxes or settings.playing:
        return []
    return [i for i in settings.interactions if i.object and i.motion == "WANDER" and not is_wind(i.object)]


def register() -> None:
    """Start drawing the motion boxes in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the motion boxes."""
    _HANDLER.unregister()


def _draw() -> None:
    canvas = current_canvas()
    if canvas is None:
        return
    obj, active = target_of(bpy.context), active_box(bpy.context)
    for item in shown_boxes(obj) if obj else ():
        corners, opacity = box_corners(item.box_low, item.box_high), ACTIVE if item == active else OTHER
        draw_lines(canvas, corners, COLOUR, opacity, hidden=HIDDEN, edges=BOX_EDGES)


_HANDLER = ViewportHandler(_draw)
