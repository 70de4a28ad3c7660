"""The pictures of an evaluation's report, each as SVG."""

from __future__ import annotations

import base64
from html import escape

import numpy as np

from learning.evaluation.comparison import BASIS, MEAN, OURS, RIDGE, Motion
from learning.evaluation.plots import FAINT, Line, legend, plot, polyline, svg
from neural_physics.arrays import Doubles, Floats
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.evaluation.rollouts import RolloutErrors
from neural_physics.models.normals import triangulate
from neural_physics.pictures.png import png
from neural_physics.pictures.shapes import Camera, shape_picture

REFERENCE_COLOUR, OURS_COLOUR = "#8a8f98", "#2f6fbd"
REFERENCE_CLOTH, OURS_CLOTH = (0.706, 0.725, 0.757), (0.365, 0.584, 0.847)
COLOURS = {OURS: OURS_COLOUR, RIDGE: "#b04a6f", MEAN: "#b8b8b8", BASIS: "#5b9e6d"}
NAMES = {
    OURS: "this model",
    RIDGE: "ridge regression",
    MEAN: "the average shape",
    BASIS: "best possible with these bases",
}
REFERENCE, MODEL = "reference", NAMES[OURS]
SMOOTHED = 12  # frames: half a second at 24 per second
WIDTH = 800  # of each picture
# Along z1, z2, z3 the path of the motion moves so far to the right and down the picture.
PATH_AXES = np.array([[0.86, 0.28], [-0.5, 0.48], [0.0, -0.84]])


def error_curve(errors: dict[str, RolloutErrors], fps: float) -> str:
    """Relative error by the time since the rollouts began."""
    lines = []
    for name in (MEAN, RIDGE, OURS, BASIS):
        if name in errors:
            curve = errors[name].curve
            seconds = np.arange(1, len(curve) + 1) / fps
            if name == OURS:
                lines.append(Line(seconds, curve, COLOURS[name], width=0.8, opacity=0.25))
            lines.append(Line(seconds, _smooth(curve), COLOURS[name], NAMES[name], width=1.8))
    return plot(
        lines, x_label="seconds since the start of the rollout", y_label="relative error", from_zero=True
    )


def coefficients(reference: Floats, prediction: Floats, fps: float, start: float) -> str:
    """The first three coefficients of a rollout, (n, u) each, as paths and over time (Holden's Fig. 10)."""
    both = ((reference, REFERENCE_COLOUR, REFERENCE), (prediction, OURS_COLOUR, MODEL))
    seconds = start + np.arange(len(reference)) / fps
    shown = min(3, reference.shape[1])
    rows = [
        plot(
            [Line(seconds, z[:, k], colour, name if k == 0 else "", 1.3) for z, colour, name in both],
            WIDTH,
            150 if k < shown - 1 else 170,
            x_label="seconds in the take" if k == shown - 1 else "",
            y_label=f"z{k + 1}",
        )
        for k in range(shown)
    ]
    return _path([(z[: int(12 * fps), :shown], colour, name) for z, colour, name in both]) + "".join(rows)


def energies(reference: Motion, prediction: Motion, fps: float, start: float) -> str:
    """Kinetic and gravitational energy and the stretch of one rollout."""
    rows = (
        ("kinetic", "kinetic, J/kg", 1.0),
        ("gravitational", "gravity, J/kg", 1.0),
        ("stretch", "stretch, 10⁻⁴", 1e4),
    )
    pictures = []
    for row, (name, label, scale) in enumerate(rows):
        curves = [scale * getattr(one.energy, name) for one in (reference, prediction)]
        last = row == len(rows) - 1
        pictures.append(
            plot(
                _two(curves, fps, start, named=row == 0),
                WIDTH,
                180 if last else 160,
                x_label="seconds in the take" if last else "",
                y_label=label,
            )
        )
    return "".join(pictures)


def penetrations(reference: Motion, prediction: Motion, fps: float, start: float) -> str:
    """How deep one rollout goes into what it collides with."""
    depths = []
    for one in (reference, prediction):
        assert one.penetration is not None  # asked for only where there is something to penetrate
        depths.append(1000 * one.penetration.depth)
    lines = _two(depths, fps, start, named=True)
    return plot(
        lines, WIDTH, 230, x_label="seconds in the take", y_label="deepest vertex, mm", from_zero=True
    )


def side_by_side(
    mesh: Mesh,
    camera: Camera,
    reference: Floats,
    prediction: Floats,
    *,
    balls: list[list[tuple[Floats, float]]],
    titles: list[str],
) -> str:
    """Shapes (k, V, 3) of the reference above those of the model, one column per frame."""
    columns, left, top = len(titles), 20, 20
    triangles = triangulate(mesh.corners, mesh.face_sizes)
    wide = (WIDTH - left) // columns
    tall = min(400, round(wide * camera.height / camera.width))
    parts = []
    for row, (shapes, colour, name) in enumerate(
        ((reference, REFERENCE_CLOTH, REFERENCE), (prediction, OURS_CLOTH, MODEL))
    ):
        y = top + row * tall
        middle = y + tall / 2
        parts.append(
            f'<text x="14" y="{middle:.0f}" text-anchor="middle" fill="{FAINT}" '
            f'transform="rotate(-90 14 {middle:.0f})">{name}</text>'
        )
        for column, shape in enumerate(shapes):
            # Twice as fine as it is shown at first, for pages that are wider.
            pixels = shape_picture(
                camera, triangles, shape, 2 * wide, height=2 * tall, colour=colour, balls=balls[column]
            )
            file = base64.b64encode(png(pixels)).decode()
            x = left + column * wide
            parts.append(
                f'<image x="{x}" y="{y}" width="{wide}" height="{tall}" href="data:image/png;base64,{file}"/>'
            )
    for column, title in enumerate(titles):
        middle = left + (column + 0.5) * wide
        parts.append(
            f'<text x="{middle:.0f}" y="13" text-anchor="middle" fill="{FAINT}">{escape(title)}</text>'
        )
    return svg(WIDTH, top + 2 * tall, "".join(parts))


def _path(curves: list[tuple[Floats, str, str]]) -> str:
    """The first coefficients (n, <= 3) as paths in space, seen from a corner."""
    height, margin, top = 300, 24, 30
    places = [(z @ PATH_AXES[: z.shape[1]], colour, name) for z, colour, name in curves]
    every = np.concatenate([place for place, _, _ in places])
    low, high = every.min(0), every.max(0)
    room = np.array([WIDTH - 2 * margin, height - top - margin])
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    offset = np.array([WIDTH / 2, top + room[1] / 2]) - scale * (low + high) / 2
    lines = [Line(np.empty(0), np.empty(0), colour, name, 1.2) for _, colour, name in places]
    drawn = [
        polyline([(x, y) for x, y in scale * place + offset], line)
        for (place, _, _), line in zip(places, lines, strict=True)
    ]
    words = f'<text x="10" y="{height - 8}" fill="{FAINT}">the first 12 seconds: z1, z2, z3 as a place</text>'
    return svg(WIDTH, height, "".join(drawn) + words + legend(lines, WIDTH - 12))


def _two(curves: list[Doubles], fps: float, start: float, *, named: bool) -> list[Line]:
    """A curve of the reference and one of the model, by seconds in the take."""
    return [
        Line(start + np.arange(len(curve)) / fps, curve, colour, name if named else "", 1.3)
        for curve, colour, name in zip(
            curves, (REFERENCE_COLOUR, OURS_COLOUR), (REFERENCE, MODEL), strict=True
        )
    ]


def _smooth(curve: Doubles) -> Doubles:
    """The mean of each value and its neighbours."""
    weights = np.ones(min(SMOOTHED, len(curve)))
    return np.convolve(curve, weights, "same") / np.convolve(np.ones_like(curve), weights, "same")
