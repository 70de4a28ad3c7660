"""Pictures of what `splits` rolled out: `python -m benchmarks.latent_dynamics.plots`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.drawing import OURS_COLOUR, REFERENCE_COLOUR, STYLE, png
from benchmarks.folders import IMAGES
from benchmarks.latent_dynamics.splits import CURVES
from neural_physics.files.atomic import write_atomically

LIMIT_COLOUR = "#b04a6f"
SMOOTHED = 15  # frames: half a second

Curve = NDArray[np.float64]


def plot(name: str, path: Path) -> None:
    """Errors, and kinetic energies as seen from the pins, over a whole sequence."""
    with np.load(path) as curves:
        fps, seen = float(curves["fps"]), int(curves["seen"])
        rest = float(np.sqrt((curves["rest"] ** 2).mean()))
        seconds = np.arange(len(curves["away"])) / fps
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=(8.0, 4.6), layout="constrained")
            errors, energies = figure.subplots(2, 1, sharex=True)
        errors.set_title(name, fontsize=9, loc="left")
        errors.plot(
            seconds, curves["rest"] / rest, color=REFERENCE_COLOUR, linewidth=0.8, label="carried rest pose"
        )
        errors.plot(seconds, curves["away"] / rest, color=OURS_COLOUR, linewidth=1.4, label="this model")
        if "limit" in curves:
            limit = curves["limit"] / rest
            errors.plot(seconds, limit, color=LIMIT_COLOUR, linewidth=1.0, label="a body 0.01 % larger")
        errors.set_ylabel("error")
        for key, colour, label in (
            ("true_kinetic", REFERENCE_COLOUR, "the solver"),
            ("kinetic", OURS_COLOUR, "this model"),
        ):
            energies.plot(seconds[1:], _smooth(curves[key]), color=colour, linewidth=1.2, label=label)
        energies.set_ylabel("kinetic energy, J")
        energies.set_xlabel("seconds")
        for axes in (errors, energies):
            _finish(axes, seen / fps)
    write_atomically(IMAGES / f"latent_{name.lower().replace(' ', '_')}.png", png(figure))


def _finish(axes: Axes, seen: float) -> None:
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, None)
    if seen:
        axes.axvspan(0, seen, color="#f1f3f5", zorder=0)
        axes.text(
            seen, 0.97, "trained on ", transform=axes.get_xaxis_transform(), ha="right", va="top", fontsize=8
        )
    axes.legend(ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=8, borderaxespad=0.0)


def _smooth(curve: Curve) -> Curve:
    return np.convolve(curve, np.ones(SMOOTHED) / SMOOTHED, "same")


def main() -> None:
    """Plot every rollout whose curves are on disk."""
    for path in sorted(CURVES.glob("*.npz")):
        plot(path.stem, path)


if __name__ == "__main__":
    main()
