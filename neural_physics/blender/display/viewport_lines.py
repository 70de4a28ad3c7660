"""Lines over the viewport: what the overlays of motion boxes and capsules share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

LINE_WIDTH = 1.5


class Canvas(NamedTuple):
    """What is drawn into: its width and height, and how wide a line is, in pixels."""

    size: tuple[int, int]
    line_width: float


def current_canvas() -> Canvas | None:
    """The viewport that is being drawn; None where overlays are off, or it is none."""
    context = bpy.context
    space, region, preferences = context.space_data, context.region, context.preferences
    if not isinstance(space, bpy.types.SpaceView3D) or region is None or preferences is None:
        return None
    if not space.overlay.show_overlays:
        return None
    return Canvas((region.width, region.height), LINE_WIDTH * preferences.system.pixel_size)


def draw_lines(
    canvas: Canvas,
    points: Any,  # noqa: ANN401 (a buffer, or a list of triples)
    colour: tuple[float, float, float],
    opacity: float,
    *,
    hidden: float,
    edges: Sequence[tuple[int, int]] | None = None,
) -> None:
    """Draw lines in world space, or what the matrices are set to; hidden: share of the opacity behind things.

    points (n, 3): two for each line, unless `edges` says which two.
    """
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": points}, indices=edges)
    shader.uniform_float("viewportSize", canvas.size)
    shader.uniform_float("lineWidth", canvas.line_width)
    gpu.state.blend_set("ALPHA")
    for depth, share in (("NONE", hidden), ("LESS_EQUAL", 1.0)):
        gpu.state.depth_test_set(depth)
        shader.uniform_float("color", (*colour, share * opacity))
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
