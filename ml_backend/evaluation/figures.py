"""The plots of an evaluation's report, each as a PNG."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ml_backend.evaluation.comparison import BASIS, MEAN, OURS, RIDGE, Motion
from ml_backend.evaluation.shape_pictures import Camera, draw_shape
from neural_physics.arrays import Doubles, Floats
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.evaluation.rollouts import RolloutErrors

REFERENCE_COLOUR, OURS_COLOUR = "#8a8f98", "#2f6fbd"
REFERENCE_CLOTH, OURS_CLOTH = "#b4b9c1", "#5d95d8"
COLOURS = {OURS: OURS_COLOUR, RIDGE: "#b04a6f", MEAN: "#b8b8b8", BASIS: "#5b9e6d"}
NAMES = {
    OURS: "this model",
    RIDGE: "ridge regression",
    MEAN: "the average shape",
    BASIS: "best possible with these bases",
}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e8eb",
    "axes.edgecolor": "#9aa0a8",
    "axes.axisbelow": True,
    "legend.frameon": False,
}
SMOOTHED = 12  # frames: half a second at 24 per second


def png(figure: Figure) -> bytes:
    """The picture's file."""
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=130, facecolor="white")
    return stream.getvalue()


def error_curve(errors: dict[str, RolloutErrors], fps: float) -> Figure:
    """Relative error by the time since the rollouts began."""
    figure, axes = _plot(8.0, 3.0)
    for name in (MEAN, RIDGE, OURS, BASIS):
        if name in errors:
            curve = errors[name].curve
            seconds = np.arange(1, len(curve) + 1) / fps
            if name == OURS:
                axes.plot(seconds, curve, color=COLOURS[name], alpha=0.25, linewidth=0.8)
            axes.plot(seconds, _smooth(curve), color=COLOURS[name], label=NAMES[name], linewidth=1.8)
    axes.set_xlabel("seconds since the start of the rollout")
    axes.set_ylabel("relative error")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, None)
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def coefficients(reference: Floats, prediction: Floats, fps: float, start: float) -> Figure:
    """The first three coefficients of a rollout, (n, u) each, as paths and over time (Holden's Fig. 10)."""
    figure = _figure(8.0, 3.8)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.0, 1.5))
    path = figure.add_subplot(grid[:, 0], projection="3d")
    some = slice(0, min(len(reference), int(12 * fps)))
    shown = min(3, reference.shape[1])
    for z, colour, width in ((reference, REFERENCE_COLOUR, 1.4), (prediction, OURS_COLOUR, 1.1)):
        columns = np.zeros((3, len(z[some])))
        columns[:shown] = z[some, :shown].T
        path.plot(*columns, color=colour, linewidth=width)
    path.set_title("first 12 seconds", fontsize=9)
    for number, axis in enumerate((path.xaxis, path.yaxis, path.zaxis), 1):
        axis.set_ticklabels([])
        axis.set_label_text(f"z{number}")
        axis.labelpad = -8
        axis.pane.set_facecolor("#f6f7f8")
    seconds = start + np.arange(len(reference)) / fps
    for row in range(shown):
        axes = figure.add_subplot(grid[row, 1])
        axes.plot(seconds, reference[:, row], color=REFERENCE_COLOUR, linewidth=1.6, label="reference")
        axes.plot(seconds, prediction[:, row], color=OURS_COLOUR, linewidth=1.1, label="this model")
        axes.set_ylabel(f"z{row + 1}")
        axes.set_xlim(seconds[0], seconds[-1])
        if row == 0:
            axes.legend(ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
        if row < shown - 1:
            axes.tick_params(labelbottom=False)
    axes.set_xlabel("seconds in the take")
    return figure


def energies(reference: Motion, prediction: Motion, fps: float, start: float) -> Figure:
    """Kinetic and gravitational energy and the stretch of one rollout."""
    figure = _figure(8.0, 4.6)
    rows = (
        ("kinetic", "kinetic\nJ/kg", 1.0),
        ("gravitational", "gravitational\nJ/kg", 1.0),
        ("stretch", "stretch\n10⁻⁴", 1e4),
    )
    for row, (name, label, scale) in enumerate(rows):
        axes = figure.add_subplot(3, 1, row + 1)
        for one, colour, legend in (
            (reference, REFERENCE_COLOUR, "reference"),
            (prediction, OURS_COLOUR, "this model"),
        ):
            values = scale * getattr(one.energy, name)
            axes.plot(start + np.arange(len(values)) / fps, values, color=colour, linewidth=1.3, label=legend)
        axes.set_ylabel(label)
        axes.margins(x=0)
        if row == 0:
            axes.legend(ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
        if row < len(rows) - 1:
            axes.tick_params(labelbottom=False)
    axes.set_xlabel("seconds in the take")
    return figure


def penetrations(reference: Motion, prediction: Motion, fps: float, start: float) -> Figure:
    """How deep one rollout goes into what it collides with."""
    figure, axes = _plot(8.0, 2.3)
    for one, colour, legend in (
        (reference, REFERENCE_COLOUR, "reference"),
        (prediction, OURS_COLOUR, "this model"),
    ):
        assert one.penetration is not None  # asked for only where there is something to penetrate
        depth = 1000 * one.penetration.depth
        axes.plot(start + np.arange(len(depth)) / fps, depth, color=colour, linewidth=1.3, label=legend)
    axes.set_xlabel("seconds in the take")
    axes.set_ylabel("deepest vertex, mm")
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    axes.legend(ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    return figure


def side_by_side(
    mesh: Mesh,
    camera: Camera,
    reference: Floats,
    prediction: Floats,
    *,
    balls: list[list[tuple[Floats, float]]],
    titles: list[str],
) -> Figure:
    """Shapes (k, V, 3) of the reference above those of the model, one column per frame."""
    columns = len(titles)
    width, height = camera.high - camera.low
    figure = _figure(8.0, min(8.0, 2 * 8.0 / columns * height / width + 0.5))
    for row, (shapes, colour, name) in enumerate(
        ((reference, REFERENCE_CLOTH, "reference"), (prediction, OURS_CLOTH, "this model"))
    ):
        for column in range(columns):
            axes = figure.add_subplot(2, columns, row * columns + column + 1)
            draw_shape(axes, camera, mesh, shapes[column], colour=colour, balls=balls[column])
            if row == 0:
                axes.set_title(titles[column], fontsize=8, color="#555")
            if column == 0:
                axes.text(-0.02, 0.5, name, rotation=90, ha="right", va="center", transform=axes.transAxes)
    return figure


def _figure(width: float, height: float) -> Figure:
    with mpl.rc_context(STYLE):
        return Figure(figsize=(width, height), layout="constrained")


def _plot(width: float, height: float) -> tuple[Figure, Axes]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def _smooth(curve: Doubles) -> Doubles:
    """The mean of each value and its neighbours."""
    weights = np.ones(min(SMOOTHED, len(curve)))
    return np.convolve(curve, weights, "same") / np.convolve(np.ones_like(curve), weights, "same")
