"""Curves as SVG: axes with round numbers, lines, a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

INK, FAINT, GRID = "#22262b", "#667080", "#e6e8eb"
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 26, 42  # pixels around what is plotted
Place = tuple[float, float]  # pixels to the right and down

MOST_POINTS = 1500  # of a curve: more than there are pixels


@dataclass(frozen=True)
class Line:
    """A curve: x, y (n,). name: in the legend, none if empty."""

    x: NDArray[np.floating]
    y: NDArray[np.floating]
    colour: str
    name: str = ""
    width: float = 1.6
    opacity: float = 1.0


def plot(
    lines: Sequence[Line],
    width: int = 800,
    height: int = 300,
    *,
    x_label: str = "",
    y_label: str = "",
    from_zero: bool = False,
) -> str:
    """An <svg> of curves over one pair of axes. from_zero: the y axis begins there."""
    x, y = (np.concatenate([getattr(line, name) for line in lines]) for name in ("x", "y"))
    x_range, y_range = _range(x), _range(y, from_zero=from_zero, margin=0.05)
    bottom = BOTTOM if x_label else 22
    inner, tall = width - LEFT - RIGHT, height - TOP - bottom

    def at_x(value: float) -> float:
        return LEFT + inner * (value - x_range[0]) / (x_range[1] - x_range[0])

    def at_y(value: float) -> float:
        return TOP + tall * (1.0 - (value - y_range[0]) / (y_range[1] - y_range[0]))

    parts = []
    for value in ticks(*y_range, tall // 45 + 1):
        parts.append(_stroke((LEFT, at_y(value)), (width - RIGHT, at_y(value)), GRID))
        parts.append(_text((LEFT - 8, at_y(value) + 4), _number(value), "end"))
    for value in ticks(*x_range, 8):
        parts.append(_stroke((at_x(value), TOP), (at_x(value), TOP + tall), GRID))
        parts.append(_text((at_x(value), TOP + tall + 16), _number(value), "middle"))
    for line in lines:
        every = max(1, math.ceil(len(line.x) / MOST_POINTS))
        points = zip(line.x[::every], line.y[::every], strict=True)
        parts.append(polyline([(at_x(a), at_y(b)) for a, b in points], line))
    if x_label:
        parts.append(_text((LEFT + inner / 2, height - 6), x_label, "middle"))
    middle = TOP + tall / 2
    turned = f' transform="rotate(-90 14 {middle:.1f})"'
    parts.append(_text((14, middle), y_label, "middle", turned))
    named = [line for line in lines if line.name]
    return svg(width, height, "".join(parts) + legend(named, width - RIGHT))


def legend(lines: Sequence[Line], right: float) -> str:
    """Names beside their colours in one row at the top, which ends at `right`."""
    parts = []
    for line in reversed(lines):
        parts.append(_text((right, 15), line.name, "end"))
        right -= 6.6 * len(line.name) + 24
        parts.append(_stroke((right, 11), (right + 18, 11), line.colour, 2.5))
        right -= 16
    return "".join(parts)


def polyline(points: Sequence[Place], line: Line) -> str:
    """A curve through places in pixels."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline fill="none" stroke="{line.colour}" stroke-width="{line.width}" '
        f'stroke-linejoin="round" opacity="{line.opacity}" points="{places}"/>'
    )


def svg(width: int, height: int, content: str) -> str:
    """A picture that becomes as wide as the page."""
    return f'<svg viewBox="0 0 {width} {height}" role="img" font-size="12" fill="{INK}">{content}</svg>'


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, at most about `most` of them."""
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _range(
    values: NDArray[np.floating], *, from_zero: bool = False, margin: float = 0.0
) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    low = 0.0 if from_zero else low
    high = high if high > low else low + max(1e-9, abs(low))
    reach = margin * (high - low)
    return (low if from_zero else low - reach), high + reach


def _number(value: float) -> str:
    return f"{value:.6g}" if abs(value) > 1e-12 else "0"


def _stroke(start: Place, end: Place, colour: str, width: float = 1.0) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _text(at: Place, text: str, anchor: str, more: str = "") -> str:
    place = f'x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{FAINT}"{more}>{escape(text)}</text>'
