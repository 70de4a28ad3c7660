"""What the colours of an error mean: a bar with its ends in centimetres, over the viewport."""

from __future__ import annotations

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ...wording import distance
from ..scene.targets import set_up_objects
from ..settings.registration import ViewportHandler
from .evaluation import largest_error, prediction_of, ramp_colours
from .viewport_lines import current_canvas

FONT, SIZE = 0, 12.0  # points, at 1x
WIDTH, HEIGHT = 180.0, 10.0  # pixels at 1x
LEFT, TOP = (
    70.0,
    110.0,
)  # pixels at 1x from the corner, clear of what Blender writes there
STEPS = 24
TITLE = "Error of the prediction"


def shown_error(scene: bpy.types.Scene) -> float:
    """The error that the brightest colour means, metres, of the comparison that is shown; 0 for none."""
    copies = (prediction_of(obj) for obj in set_up_objects(scene))
    return next((largest_error(copy) for copy in copies if copy is not None), 0.0)


def register() -> None:
    """Start drawing the legend in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the legend."""
    _HANDLER.unregister()


def _draw() -> None:
    canvas, preferences, scene = current_canvas(), bpy.context.preferences, bpy.context.scene
    largest = shown_error(scene) if canvas is not None and scene is not None else 0.0
    if canvas is None or preferences is None or largest <= 0.0:
        return
    scale = preferences.system.ui_scale
    left, top = LEFT * scale, canvas.size[1] - TOP * scale
    _draw_bar(left, top - HEIGHT * scale, WIDTH * scale, HEIGHT * scale)
    blf.size(FONT, SIZE * scale)
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    _write(TITLE, left, top + 4.0 * scale)
    below = top - (HEIGHT + SIZE + 2.0) * scale
    _write("0", left, below)
    end = distance(largest)
    _write(end, left + WIDTH * scale - blf.dimensions(FONT, end)[0], below)


def _draw_bar(left: float, bottom: float, width: float, height: float) -> None:
    across = np.linspace(0.0, 1.0, STEPS)
    points = [(left + share * width, y) for share in across for y in (bottom, bottom + height)]
    colours = np.repeat(ramp_colours(across.astype(np.float32)), 2, axis=0)
    colours[:, :3] **= 1.0 / 2.2  # what is drawn over a viewport is in display space
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch_for_shader(shader, "TRI_STRIP", {"pos": points, "color": colours.tolist()}).draw(shader)


def _write(text: str, x: float, y: float) -> None:
    blf.position(FONT, x, y, 0.0)
    blf.draw(FONT, text)


_HANDLER = ViewportHandler(_draw, "POST_PIXEL")
