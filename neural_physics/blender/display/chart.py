"""A training's curves for the panel: a small picture, and the labels of its axes, to be drawn beside it.

Blender scales icons, but draws labels sharply at every interface scale; so no letter is in the picture. The
picture is ROWS labels high, and what a label says is drawn at the middle of its row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy  # noqa: F401 (its submodule is imported next)
import bpy.utils.previews
import numpy as np

from ...arrays import Doubles, Floats

ROWS = 7
WIDTH = HEIGHT = 32 * ROWS  # a square: Blender draws icons as squares
BACKGROUND = (0.10, 0.10, 0.11, 1.0)
GRID = (0.22, 0.22, 0.24, 1.0)
LOSS = (0.35, 0.60, 0.95, 1.0)
VALIDATION = (0.95, 0.62, 0.20, 1.0)
BEST = (0.55, 0.55, 0.58, 1.0)
THICKNESS = 3  # pixels
ROUND = (
    1.0,
    1.5,
    2.0,
    2.5,
    4.0,
    5.0,
    10.0,
)  # heights of a row: twice these are labels
MOST = 1.2  # the largest validation error that the axis reaches: the first ones may be of any size
Point = tuple[float, float, float]  # steps done, loss, validation (not a number where there is none)


@dataclass(frozen=True)
class Axis:
    """The error's axis. scale: a validation error of 1 in the unit. per_row: how much of it a row is high.

    Zero is in the middle of the lowest row. unit: "%", "mm", "cm" or "m".
    """

    unit: str
    scale: float
    per_row: float

    def labels(self) -> list[str]:
        """One for each row from the top; "" where none is to be."""
        values = [number * self.per_row for number in reversed(range(ROWS))]
        return ["" if (ROWS - 1 - k) % 2 else f"{value:.10g} {self.unit}" for k, value in enumerate(values)]

    def words(self, error: float) -> str:
        """A validation error as the axis has it, to two digits: `2.4 cm`."""
        return f"{float(f'{error * self.scale:.2g}'):.10g} {self.unit}"

    def share(self, error: float) -> float:
        """How high up in the picture an error is, 0 to 1."""
        return (error * self.scale / self.per_row + 0.5) / ROWS


_pictures: bpy.utils.previews.ImagePreviewCollection | None = None
_drawn: dict[str, tuple[Point, ...]] = {}


def axis_of(history: tuple[Point, ...], metres: float) -> Axis:
    """The axis on which the validation errors fill the picture. metres: of an error of 1, 0: unknown."""
    known = [min(point[2], MOST) for point in history if math.isfinite(point[2])]
    top = max(known, default=1.0) or 1.0
    unit, scale = "%", 100.0
    if metres > 0.0:
        far = top * metres
        unit, times = ("mm", 1e3) if far < 0.01 else ("cm", 1e2) if far < 1.0 else ("m", 1.0)
        scale = metres * times
    least = max(top * scale / (ROWS - 1), 1e-12)
    power = 10.0 ** math.floor(math.log10(least))
    per_row = next(power * step for step in ROUND if power * step >= least * (1.0 - 1e-9))
    return Axis(unit, scale, per_row)


def chart_icon(name: str, history: tuple[Point, ...], axis: Axis, best_step: float) -> int:
    """The icon that shows a history; 0 if there is nothing to show. Drawn again only when it has grown."""
    if _pictures is None or len(history) < 2:
        return 0
    picture = _pictures.get(name) or _pictures.new(name)
    if _drawn.get(name) is not history:
        _drawn[name] = history
        picture.image_size = (WIDTH, HEIGHT)
        picture.image_pixels_float = draw(history, axis, best_step).ravel().tolist()
    return int(picture.icon_id)


def draw(history: tuple[Point, ...], axis: Axis, best_step: float) -> Floats:
    """RGBA pixels (HEIGHT, WIDTH, 4), from the bottom up.

    The validation error is on the axis, and the step of the model that is kept is marked; the loss, whose
    numbers mean nothing, is logarithmic, from the axis's zero to the picture's top.
    """
    points = np.array(history, float)
    pixels = np.empty((HEIGHT, WIDTH, 4), np.float32)
    pixels[:] = BACKGROUND
    for row in range(0, ROWS, 2):
        pixels[round((row + 0.5) / ROWS * HEIGHT)] = GRID
    steps, loss, validation = points.T
    if best_step and steps[0] <= best_step <= steps[-1]:
        across = (best_step - steps[0]) / max(steps[-1] - steps[0], 1e-9)
        pixels[::4, round(across * (WIDTH - 1))] = BEST
    curve = np.log10(np.where(loss > 0, loss, np.nan))
    if np.isfinite(curve).any():
        low, high = np.nanmin(curve), np.nanmax(curve)
        zero = 0.5 / ROWS
        _plot(pixels, steps, zero + (0.96 - zero) * (curve - low) / max(high - low, 1e-9), LOSS)
    _plot(pixels, steps, np.array([axis.share(error) for error in validation]), VALIDATION)
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


def _plot(pixels: Floats, steps: Doubles, curve: Doubles, colour: tuple[float, float, float, float]) -> None:
    """One curve of heights from 0 to 1, column by column, joined from each column to the next."""
    known = np.isfinite(curve)
    if not known.any():
        return
    at = np.linspace(steps[0], steps[-1], WIDTH)
    heights = np.interp(at, steps[known], curve[known], left=np.nan, right=np.nan)
    before = None
    for column, height in enumerate(heights):
        if not np.isfinite(height):
            continue
        row = int(np.clip(height * HEIGHT, 0, HEIGHT - 1))
        first, last = sorted((row, row if before is None else before))
        pixels[max(0, first - THICKNESS // 2) : last + THICKNESS // 2 + 1, column] = colour
        before = row
