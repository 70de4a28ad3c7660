"""What the colours of errors mean: bars with their ends in centimetres, over the viewport."""

from __future__ import annotations

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ...wording import distance
from ..scene.targets import set_up_objects
from ..settings.registration import ViewportHandler
from . import typical_error
from .evaluation import display_colours, largest_error, prediction_of
from .viewport_lines import current_canvas

FONT, SIZE = 0, 12.0  # points, at 1x
WIDTH, HEIGHT = 180.0, 10.0  # pixels at 1x
LEFT, TOP = (
    70.0,
    124.0,
)  # pixels at 1x from the corner, clear of what Blender writes there
APART = 60.0  # pixels at 1x from one bar to the next below it
STEPS = 24
PREDICTION, TYPICAL, EXPECTED = "Error of the prediction", "Typical error", "Expected error"


def shown_errors(scene: bpy.types.Scene) -> dict[str, float]:
    """By what they are of: the errors that the brightest colour means now, metres."""
    copies = (prediction_of(obj) for obj in set_up_objects(scene))
    found = {
        PREDICTION: next((largest_error(copy) for copy in copies if copy is not None), 0.0),
        EXPECTED if typical_error.is_of_now(scene) else TYPICAL: typical_error.largest_error(scene),
    }
    return {title: largest for title, largest in found.items() if largest > 0.0}


def register() -> None:
    """Start drawing the legend in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the legend."""
    _HANDLER.unregister()


def _draw() -> None:
    canvas, preferences, scene = current_canvas(), bpy.context.preferences, bpy.context.scene
    if canvas is None or preferences is None or scene is None:
        return
    scale = preferences.system.ui_scale
    top = canvas.size[1] - TOP * scale
    for title, largest in shown_errors(scene).items():
        _draw_scale(title, largest, top, scale)
        top -= APART * scale


def _draw_scale(title: str, largest: float, top: float, scale: float) -> None:
    """One bar and what is written at it; top: pixels from below; scale: of the interface."""
    left = LEFT * scale
    _draw_bar(left, top - HEIGHT * scale, WIDTH * scale, HEIGHT * scale)
    blf.size(FONT, SIZE * scale)
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    _write(title, left, top + 4.0 * scale)
    below = top - (HEIGHT + SIZE + 2.0) * scale
    _write("0", left, below)
    end = distance(largest)
    _write(end, left + WIDTH * scale - blf.dimensions(FONT, end)[0], below)


def _draw_bar(left: float, bottom: float, width: float, height: float) -> None:
    across = np.linspace(0.0, 1.0, STEPS)
    points = [(left + share * width, y) for share in across for y in (bottom, bottom + height)]
    colours = np.repeat(display_colours(across.astype(np.float32)), 2, axis=0)
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch_for_shader(shader, "TRI_STRIP", {"pos": points, "color": colours.tolist()}).draw(shader)


def _write(text: str, x: float, y: float) -> None:
    blf.position(FONT, x, y, 0.0)
    blf.draw(FONT, text)


_HANDLER = ViewportHandler(_draw, "POST_PIXEL")
