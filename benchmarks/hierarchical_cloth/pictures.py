"""Pictures of what was measured, into docs/images: `python -m benchmarks.hierarchical_cloth.pictures`.

Curves are drawn from build/bench/report.json, shapes from the networks that are kept there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.drawing import (
    OURS_CLOTH,
    OURS_COLOUR,
    REFERENCE_CLOTH,
    REFERENCE_COLOUR,
    STYLE,
    draw_shape,
    png,
)
from benchmarks.folders import IMAGES, REPORT
from benchmarks.hierarchical_cloth.scenes import EVERY, shapes_of
from benchmarks.hierarchical_cloth.stretched import SIMULATED, ways
from ml_backend.methods.hierarchical_cloth.errors import Refine, loop_subdivision
from ml_backend.methods.hierarchical_cloth.pairs import Shapes
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, motions_of
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.files.atomic import write_atomically
from neural_physics.pictures.shapes import Camera
from neural_physics.subdivision.levels import Level

PAPER_COLOUR, PAPER_CLOTH = "#b04a6f", "#cf8aa3"
COLOURS = {"paper": PAPER_COLOUR, "local": OURS_COLOUR}
CLOTHS = {"paper": PAPER_CLOTH, "local": OURS_CLOTH}
COARSE = "level 0"
SHADES = ("#9cc3e6", "#5d95d8", "#2f6fbd", "#1b3f73")  # of structures, the smallest first
TOWARDS = {"flag": (0.25, -1.0, 0.2), "curtain": (0.35, -1.0, 0.25), "drape": (0.4, -1.0, 0.6)}
SHAPE = 15  # of a scene's, drawn beside the error table

Array = NDArray[np.float64]


def plot_table(part: Mapping[str, Any]) -> Figure:
    """Table 1 as curves: of pairs learned from, thin, and of others."""
    figure, grid = _plots(1, 2, 3.2)
    for axes, row in zip(grid[0], part["rows"], strict=True):
        axes.axhline(
            1e3 * row["linear"][1], color=REFERENCE_COLOUR, linestyle="--", label="linear subdivision"
        )
        for form, curve in row["curves"].items():
            epochs = curve["epochs"]
            axes.plot(epochs, 1e3 * np.array(curve["seen"]), color=COLOURS[form], linewidth=0.8, alpha=0.6)
            axes.plot(epochs, 1e3 * np.array(curve["unseen"]), color=COLOURS[form], label=f"`{form}`")
        axes.set_title(f"level {row['level']}", fontsize=9, loc="left")
        _finish(axes, "RMSE of equation 7, mm")
    return figure


def plot_structures(part: Mapping[str, Any]) -> Figure:
    """Fig. 10: level 1 of the pairs not learned from, over linear subdivision."""
    figure, grid = _plots(2, 2, 5.2)
    for axes_of_row, form in zip(grid, COLOURS, strict=True):
        for axes, vary, keep, title in (
            (axes_of_row[0], "layers", ("width", 32), "{} layers of 32"),
            (axes_of_row[1], "width", ("layers", 3), "3 layers of {}"),
        ):
            rows = sorted((r for r in part["rows"] if r[keep[0]] == keep[1]), key=lambda r: r[vary])
            for row, colour in zip(rows, SHADES, strict=True):
                curve = row["curves"][form][0]
                share = np.array(curve["unseen"]) / part["linear"][0]
                axes.plot(curve["epochs"], share, color=colour, label=title.format(row[vary]))
            axes.set_title(f"`{form}`", fontsize=9, loc="left")
            _finish(axes, "RMSE over linear subdivision's")
    return figure


def draw_motion() -> Figure:
    """One shape of each scene of unseen motion: the truth, subdivision, and networks."""
    rows = []
    for scene, shapes in shapes_of("motion"):
        all_ways = ways(shapes)
        chosen: dict[str, Refine] = {
            "linear": all_ways["linear"],
            "Loop": loop_subdivision(shapes.hierarchy),
            "paper": all_ways["paper"],
            "local": all_ways["local"],
        }
        rows.append((scene, shapes, SHAPE, chosen))
    return draw_shapes(rows, coarse=False)


def draw_stretched() -> Figure:
    """Fig. 11: the last shape of each scene."""
    rows = []
    for scene, shapes in shapes_of("stretched"):
        found = ways(shapes)
        rows.append((scene, shapes, len(shapes.frames) - 1, {k: found[k] for k in ("paper", "local")}))
    return draw_shapes(rows, coarse=True)


def draw_shapes(rows: Sequence[tuple[ClothScene, Shapes, int, Mapping[str, Refine]]], coarse: bool) -> Figure:
    """A row for each scene: level 0 if it is asked for, the truth, and what is inferred, with its error."""
    columns = 1 + coarse + len(rows[0][3])
    panels = [_panels(*row) for row in rows]
    cameras = [_camera(row[0], [x for _, x, _ in of_row]) for row, of_row in zip(rows, panels, strict=True)]
    heights = [float((c.high - c.low)[1] / (c.high - c.low)[0]) for c in cameras]
    with mpl.rc_context(STYLE):
        size = (10.0, 10.0 / columns * sum(heights) + 0.3 * len(rows))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(len(rows), columns, squeeze=False, height_ratios=heights)
    for (scene, shapes, at, _), of_row, camera, axes_of_row in zip(rows, panels, cameras, grid, strict=True):
        balls = _balls(scene, at)
        for (name, x, level), axes in zip(of_row[not coarse :], axes_of_row, strict=True):
            colour = CLOTHS.get(name, REFERENCE_CLOTH)
            draw_shape(axes, camera, _mesh(level, x), x.astype(np.float32), colour=colour, balls=balls)
            axes.set_title(_title(name, x, shapes, at), fontsize=8, color="#555")
    return figure


def _panels(
    scene: ClothScene, shapes: Shapes, at: int, refined: Mapping[str, Refine]
) -> list[tuple[str, Array, Level]]:
    """What is drawn: its name, (n, 3), and its triangles; level 0 first, then the truth."""
    levels = shapes.hierarchy.levels
    truth = shapes.hierarchy.sorted(shapes.frames[at]).astype(np.float64)
    coarse = truth[: levels[0].vertex_count]
    inferred = [
        (name, np.array(refine(coarse).T, np.float64), levels[-1]) for name, refine in refined.items()
    ]
    return [(COARSE, coarse, levels[0]), (SIMULATED, truth, levels[-1]), *inferred]


def _title(name: str, x: Array, shapes: Shapes, at: int) -> str:
    if name in (COARSE, SIMULATED):
        return name
    first = shapes.hierarchy.levels[0].vertex_count
    wrong = (x - shapes.hierarchy.sorted(shapes.frames[at]))[first:]
    return f"{name}: {1e3 * np.sqrt((wrong**2).sum(1).mean()):.1f} mm"


def _camera(scene: ClothScene, shown: Sequence[Array]) -> Camera:
    towards = np.array(TOWARDS[scene.kind]) / np.linalg.norm(TOWARDS[scene.kind])
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(towards, right), towards])
    points = np.concatenate(shown) @ axes.T
    return Camera(axes, points.min(0)[:2], points.max(0)[:2])


def _balls(scene: ClothScene, at: int) -> list[tuple[NDArray[np.float32], float]]:
    """The scene's ball when a shape was so."""
    if scene.kind == "flag":
        return []
    return [(motions_of(scene).colliders[EVERY * (at + 1) - 1].starts[0].astype(np.float32), scene.radius)]


def _mesh(level: Level, x: Array) -> Mesh:
    triangles = level.triangles.astype(np.int32)
    sizes = np.full(len(triangles), 3, np.int32)
    return Mesh(x.astype(np.float32), triangles.ravel(), sizes, np.zeros(len(x), np.float32))


def _plots(rows: int, columns: int, height: float) -> tuple[Figure, NDArray[Any]]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, height), layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False)


def _finish(axes: Axes, label: str) -> None:
    axes.set_yscale("log")
    axes.set_xlim(0, None)
    axes.set_xlabel("epochs")
    axes.set_ylabel(label)
    axes.legend(fontsize=7)


PLOTS = {"hierarchy_table": plot_table, "hierarchy_structures": plot_structures}  # of parts of the report
SHAPES = {"hierarchy_motion": draw_motion, "hierarchy_stretched": draw_stretched}


def main() -> None:
    """Draw the pictures named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", nargs="*", help=", ".join([*PLOTS, *SHAPES]))
    for name in parser.parse_args().picture or [*PLOTS, *SHAPES]:
        if name in PLOTS:
            figure = PLOTS[name](json.loads(REPORT.read_text(encoding="utf-8"))[name])
        else:
            figure = SHAPES[name]()
        write_atomically(IMAGES / f"{name}.png", png(figure))


if __name__ == "__main__":
    main()
