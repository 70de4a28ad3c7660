"""Lines and faces over the viewport: what the overlays of boxes and capsules share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

LINE_WIDTH = 1.5
CORNERS = list(product((0, 1), repeat=3))
BOX_EDGES = [
    (a, b)
    for a, first in enumerate(CORNERS)
    for b, second in enumerate(CORNERS)
    if a < b and sum(x != y for x, y in zip(first, second, strict=True)) == 1
]

Colour = tuple[float, float, float]


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


def box_corners(low: Sequence[float], high: Sequence[float]) -> list[tuple[float, ...]]:
    """The eight corners of a box, in the order of `CORNERS`."""
    ends = low, high
    return [tuple(float(ends[side][axis]) for axis, side in enumerate(corner)) for corner in CORNERS]


def draw_lines(
    canvas: Canvas,
    points: Any,  # noqa: ANN401 (a buffer, or a list of triples)
    colour: Colour,
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


def draw_face(corners: Sequence[Sequence[float]], colour: Colour, opacity: float) -> None:
    """Fill a face of four corners, one after the other around it, where nothing is before it."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)])
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    shader.uniform_float("color", (*colour, opacity))
    batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
