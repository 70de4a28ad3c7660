"""The boxes that training motion stays in, drawn in the viewport while an object is being set up."""

from __future__ import annotations

from itertools import product
from typing import Any

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from .properties import NEURALPHYSICS_PG_interaction, settings_of
from .sampling import is_wind
from .targets import target_of

COLOUR = (0.25, 0.85, 0.85)
ACTIVE, OTHER = 0.9, 0.35  # opacities
HIDDEN = 0.25  # of the opacity, for what is behind something
LINE_WIDTH = 1.5
CORNERS = list(product((0, 1), repeat=3))
EDGES = [
    (a, b)
    for a, first in enumerate(CORNERS)
    for b, second in enumerate(CORNERS)
    if a < b and sum(x != y for x, y in zip(first, second, strict=True)) == 1
]

_handle: Any = None


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
    global _handle  # noqa: PLW0603 (Blender wants it back)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle  # noqa: PLW0603
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None


def _draw() -> None:
    context = bpy.context
    space, region, preferences = context.space_data, context.region, context.preferences
    if not isinstance(space, bpy.types.SpaceView3D) or region is None or preferences is None:
        return
    if not space.overlay.show_overlays:
        return
    obj, active = target_of(context), active_box(context)
    width = LINE_WIDTH * preferences.system.pixel_size
    for item in shown_boxes(obj) if obj else ():
        _draw_box(item, ACTIVE if item == active else OTHER, (region.width, region.height), width)


def _draw_box(
    item: NEURALPHYSICS_PG_interaction, opacity: float, viewport: tuple[int, int], width: float
) -> None:
    ends = item.box_low, item.box_high
    corners = [tuple(ends[side][axis] for axis, side in enumerate(corner)) for corner in CORNERS]
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": corners}, indices=EDGES)
    shader.uniform_float("viewportSize", viewport)
    shader.uniform_float("lineWidth", width)
    gpu.state.blend_set("ALPHA")
    for depth, share in (("NONE", HIDDEN), ("LESS_EQUAL", 1.0)):
        gpu.state.depth_test_set(depth)
        shader.uniform_float("color", (*COLOUR, share * opacity))
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
