"""The training's curves as a small picture for the panel: loss and validation over the steps."""

from __future__ import annotations

import bpy  # noqa: F401 (its submodule is imported next)
import bpy.utils.previews
import numpy as np

from ...arrays import Doubles, Floats

WIDTH = HEIGHT = 192  # a square: Blender draws icons as squares
BACKGROUND = (0.10, 0.10, 0.11, 1.0)
GRID = (0.22, 0.22, 0.24, 1.0)
LOSS = (0.35, 0.60, 0.95, 1.0)
VALIDATION = (0.95, 0.62, 0.20, 1.0)
THICKNESS = 3  # pixels
Point = tuple[float, float, float]  # steps done, loss, validation (not a number where there is none)

_pictures: bpy.utils.previews.ImagePreviewCollection | None = None
_drawn: dict[str, tuple[Point, ...]] = {}


def chart_icon(name: str, history: tuple[Point, ...]) -> int:
    """The icon that shows a history; 0 if there is nothing to show. Drawn again only when it has grown."""
    if _pictures is None or len(history) < 2:
        return 0
    picture = _pictures.get(name) or _pictures.new(name)
    if _drawn.get(name) is not history:
        _drawn[name] = history
        picture.image_size = (WIDTH, HEIGHT)
        picture.image_pixels_float = draw(history).ravel().tolist()
    return int(picture.icon_id)


def draw(history: tuple[Point, ...]) -> Floats:
    """RGBA pixels (HEIGHT, WIDTH, 4), from the bottom up; both curves on one logarithmic scale."""
    points = np.array(history, float)
    pixels = np.empty((HEIGHT, WIDTH, 4), np.float32)
    pixels[:] = BACKGROUND
    steps, curves = points[:, 0], np.log10(np.where(points[:, 1:] > 0, points[:, 1:], np.nan))
    if not np.isfinite(curves).any():
        return pixels
    low, high = np.nanmin(curves), np.nanmax(curves)
    margin = 0.05 * max(high - low, 0.1)
    low, high = low - margin, high + margin
    for decade in range(int(np.ceil(low)), int(np.floor(high)) + 1):
        pixels[_row(decade, low, high)] = GRID
    for curve, colour in ((curves[:, 0], LOSS), (curves[:, 1], VALIDATION)):
        _plot(pixels, steps, curve, (low, high), colour=colour)
    return pixels


def register() -> None:
    """Create the collection of icons that charts are drawn into."""
    global _pictures  # noqa: PLW0603 (Blender's previews have to be given back)
    _pictures = bpy.utils.previews.new()


def unregister() -> None:
    """Give the icons back to Blender and forget what was drawn."""
    global _pictures  # noqa: PLW0603
    if _pictures is not None:
        bpy.utils.previews.remove(_pictures)
    _pictures = None
    _drawn.clear()


def _row(value: float, low: float, high: float) -> int:
    return int((value - low) / (high - low) * (HEIGHT - 1))


def _plot(
    pixels: Floats,
    steps: Doubles,
    curve: Doubles,
    span: tuple[float, float],
    *,
    colour: tuple[float, float, float, float],
) -> None:
    """One curve, column by column, joined from each column to the next."""
    known = np.isfinite(curve)
    if not known.any():
        return
    at = np.linspace(steps[0], steps[-1], WIDTH)
    heights = np.interp(at, steps[known], curve[known], left=np.nan, right=np.nan)
    before = None
    for column, height in enumerate(heights):
        if not np.isfinite(height):
            continue
        row = _row(height, *span)
        first, last = sorted((row, row if before is None else before))
        pixels[max(0, first - THICKNESS // 2) : last + THICKNESS, column] = colour
        before = row
