"""Pictures of what was measured, into docs/images: `python -m benchmarks.contact_corrections.pictures`.

Bodies as in Figs. 5 and 9 of Romero et al. 2021, and the force of Fig. 10.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import COMBED, DENTED, LED, TURNED, Compared, compared
from benchmarks.contact_corrections.pull import CURVES, PAPERS, STIFFNESSES
from benchmarks.contact_corrections.scenes import TEST
from benchmarks.contact_corrections.study import Study, study
from benchmarks.drawing import (
    OURS_CLOTH,
    OURS_COLOUR,
    REFERENCE_CLOTH,
    REFERENCE_COLOUR,
    STYLE,
    png,
)
from benchmarks.folders import IMAGES
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.files.atomic import write_atomically
from neural_physics.methods.contact_corrections.method import ContactCorrections

Array = NDArray[np.float64]

ROWS = (DENTED, COMBED, TURNED, LED)
LINEAR_COLOUR, LINEAR_CLOTH = "#b04a6f", "#cf8aa3"
COLUMNS = {
    "linear": ("handles alone", LINEAR_CLOTH),
    "ours": ("with corrections", OURS_CLOTH),
    "full": ("full body at rest", REFERENCE_CLOTH),
}
FORCES = {"linear": LINEAR_COLOUR, "ours": OURS_COLOUR, "full": REFERENCE_COLOUR}


def plot_shapes(studies: list[Study]) -> Figure:
    """Each body at the frame of its test take in which handles alone are farthest off."""
    figure = Figure(figsize=(8.0, 2.2 * len(studies)), layout="constrained")
    for row, found in zip(figure.subplots(len(studies), 3, squeeze=False), studies, strict=True):
        worst = _worst(found)
        for axes, (name, (title, colour)) in zip(row, COLUMNS.items(), strict=True):
            _draw(axes, found, getattr(worst, name), worst, colour=colour)
            if row[0].get_subplotspec().is_first_row():
                axes.set_title(title, fontsize=9)
    return figure


def plot_pull() -> Figure:
    """Fig. 10: the force along the worm's way between the posts; and its peaks over contact's stiffness."""
    figure = Figure(figsize=(8.0, 2.8), layout="constrained")
    axes, over = figure.subplots(1, 2, width_ratios=(2.0, 1.0))
    with np.load(CURVES, allow_pickle=False) as curves:
        peaks = {key: float(np.nanmax(curve)) for key, curve in curves.items() if key != "places"}
        for name, colour in FORCES.items():
            label = COLUMNS[name][0] if name != "full" else "full body"
            force = curves[f"{name}_{STIFFNESSES[0]:g}"]
            axes.plot(curves["places"], force, color=colour, label=label, linewidth=1.4)
    for name, ratio in PAPERS.items():
        ratios = [peaks[f"{name}_{times:g}"] / peaks[f"full_{times:g}"] for times in STIFFNESSES]
        over.plot(STIFFNESSES, ratios, "o-", color=FORCES[name], linewidth=1.4, markersize=3.0)
        over.axhline(ratio, color=FORCES[name], linewidth=0.8, linestyle="--")
    axes.set_xlabel("where the posts' middle pair is along the worm, m")
    axes.set_ylabel("force along the worm, N")
    axes.legend()
    over.set_xscale("log")
    over.set_xticks(STIFFNESSES, [f"{times:g}" for times in STIFFNESSES])
    over.minorticks_off()
    over.set_xlabel("stiffness of contact, times E")
    over.set_ylabel("peak over the full body's")
    over.set_title("dashed: the paper's", fontsize=9)
    return figure


def _worst(found: Study) -> Compared:
    method = ContactCorrections(found.model())
    frames = compared(found.dataset, found.scene, method, TEST)
    return max(
        (shapes for shapes in frames if shapes is not None and shapes.touched),
        key=lambda shapes: float(np.square(shapes.linear - shapes.full).sum()),
    )


def _draw(axes: Axes, found: Study, shape: Array, at: Compared, *, colour: str) -> None:
    seen = _Seen(found)
    triangles = seen(shape)[found.scene.body.elements]
    axes.add_collection(
        PolyCollection(list(triangles), facecolors=colour, edgecolors="white", linewidths=0.25)
    )
    for collider, centre, turn in zip(
        found.scene.contact.shapes, at.placed.centres, at.placed.turns, strict=True
    ):
        outline = _outline(collider) @ turn.T + centre
        axes.add_collection(PolyCollection([seen(outline)], facecolors="#4a4f57", edgecolors="none"))
    low, high = seen(at.full).min(0), seen(at.full).max(0)
    margin = 0.2 * float((high - low).max())
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)
    axes.set_aspect("equal")
    axes.axis("off")


class _Seen:
    """Places (N, 2) of a flat body, m, as seen along -Z, or along Y where the body stands."""

    def __init__(self, found: Study) -> None:
        self._coordinates = found.scene.coordinates
        extents = np.ptp(self._coordinates.places(found.scene.body.rest), axis=0)
        self._axes = [0, 1 if extents[1] > extents[2] else 2]

    def __call__(self, places: Array) -> Array:
        return np.asarray(self._coordinates.places(places)[:, self._axes])


def _outline(collider: Collider) -> Array:
    if isinstance(collider, Polygon):
        return collider.corners
    assert isinstance(collider, Sphere)  # no other shape is in these scenes
    around = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    return collider.radius * np.stack([np.cos(around), np.sin(around)], 1)


def main() -> None:
    """Draw the pictures whose models and curves exist."""
    studies = [found for row in ROWS if row.model.is_file() and (found := study(row)) is not None]
    with mpl.rc_context(STYLE):
        if studies:
            write_atomically(IMAGES / "contact_shapes.png", png(plot_shapes(studies)))
        if CURVES.is_file():
            write_atomically(IMAGES / "contact_pull.png", png(plot_pull()))


if __name__ == "__main__":
    main()
