"""Pictures of what `comparison` measured, into docs/images:
`python -m benchmarks.subspace_physics.baselines.plots`.

Errors by training frames and by minutes of training; the course of the error since a rollout began, with
Holden's training method and without it (Holden 2019, Fig. 12); the matrices A and B (Fig. 14).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from benchmarks.drawing import STYLE, svg
from benchmarks.folders import IMAGES, REPORT
from benchmarks.subspace_physics.baselines.errors import BIN
from benchmarks.subspace_physics.models import MODELS
from neural_physics.files.atomic import write_atomically

COLOURS = {
    "ours": "#2f6fbd",
    "bare": "#1b9e9e",
    "plain": "#7fc4c4",
    "dropout": "#8c6bb1",
    "single": "#111111",
    "rnn": "#e08a2e",
    "gru": "#c8453b",
    "lstm": "#b04a6f",
    "rbf": "#5b9e6d",
    "rbf_fitted": "#a6cfae",
    "linear": "#8a8f98",
    "linear_history": "#b9bec6",
}
FPS = 24.0


def by_frames(part: dict[str, Any], out: Path) -> None:
    """Errors by training frames, both axes logarithmic."""
    names = _names(part)
    figure, (axes,) = _figure(7.0, 4.2, 1)
    frames = [size["frames"] for size in part["sizes"]]
    for key in part["sizes"][0]["errors"]:
        errors = [size["errors"][key] for size in part["sizes"]]
        axes.plot(frames, errors, "o-", color=COLOURS[key], markersize=3, linewidth=1.3, label=names[key])
    axes.set_xscale("log")
    axes.set_xticks(frames, [f"{count:,}" for count in frames])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("training frames")
    _errors(axes, "error on the test takes")
    _write(figure, axes, out)


def by_time(part: dict[str, Any], out: Path) -> None:
    """Validation errors by minutes of training, first box and seed, both axes logarithmic."""
    figure, (axes,) = _figure(7.0, 4.2, 1)
    for row in part["boxes"][0]["rows"]:
        first = row["runs"][0]
        if first["history"]:
            steps, errors = np.array(first["history"]).T
            minutes = steps * first["seconds"] / 60.0 / part["steps"]
            axes.plot(minutes, errors, color=COLOURS[row["key"]], linewidth=1.2, label=row["name"])
    axes.set_xscale("log")
    _round_numbers(axes.xaxis, (1.0, 2.0, 5.0))
    axes.set_xlabel("minutes of training")
    _errors(axes, "error on the validation take")
    _write(figure, axes, out)


def by_course(part: dict[str, Any], out: Path) -> None:
    """Errors since rollouts began, first box and seed (Holden 2019, Fig. 12)."""
    figure, (axes,) = _figure(7.0, 4.2, 1)
    for row in part["boxes"][0]["rows"]:
        course = row["runs"][0]["course"]
        seconds = (np.arange(len(course)) + 0.5) * BIN / FPS
        axes.plot(seconds, course, color=COLOURS[row["key"]], linewidth=1.2, label=row["name"])
    axes.set_xlabel("seconds since the rollout began")
    _errors(axes, "error on the test takes")
    _write(figure, axes, out)


def both_matrices(path: Path, out: Path) -> None:
    """A and B of appendix A (Holden 2019, Fig. 14)."""
    figure, plots = _figure(7.0, 3.6, 2)
    with np.load(path) as found:
        for axes, name in zip(plots, ("a", "b"), strict=True):
            axes.grid(visible=False)
            shown = axes.imshow(found[name], cmap="RdBu_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
            axes.set_title(name.upper(), fontsize=9, loc="left")
    figure.colorbar(shown, ax=plots, shrink=0.8)
    write_atomically(out, svg(figure))


def draw(part: dict[str, Any], matrices: Path, folder: Path) -> None:
    """All of them, where there is something to show."""
    if part["sizes"]:
        by_frames(part, folder / "baselines_frames.svg")
    by_time(part, folder / "baselines_time.svg")
    by_course(part, folder / "baselines_course.svg")
    both_matrices(matrices, folder / "baselines_matrices.svg")


def _names(part: dict[str, Any]) -> dict[str, str]:
    return {row["key"]: row["name"] for row in part["boxes"][0]["rows"]}


def _figure(width: float, height: float, plots: int) -> tuple[Figure, list[Axes]]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(1, plots, squeeze=False)[0])


def _errors(axes: Axes, label: str) -> None:
    axes.set_yscale("log")
    _round_numbers(axes.yaxis, (1.0, 2.0, 3.0, 5.0, 7.0))
    axes.set_ylabel(label)


def _round_numbers(axis: Axis, leading: tuple[float, ...]) -> None:
    axis.set_major_locator(LogLocator(subs=leading))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_locator(NullLocator())


def _write(figure: Figure, axes: Axes, out: Path) -> None:
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    write_atomically(out, svg(figure))


def main() -> None:
    """Draw what is in the report."""
    parser = argparse.ArgumentParser(description="Pictures of the models compared.")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--out", type=Path, default=IMAGES, help="the folder that they are written to")
    args = parser.parse_args()
    report = json.loads(args.report.read_text(encoding="utf-8"))
    draw(report["baselines"], MODELS / "baselines" / "matrices.npz", args.out)


if __name__ == "__main__":
    main()
