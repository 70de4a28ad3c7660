"""Pictures of what was measured, into docs/images: `python -m benchmarks.quasistatic_springs.plots`.

Curves as in Fig. 3 of Jin et al. 2022, and learned springs as colours of the mesh as in Fig. 8.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, Normalize, SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.drawing import STYLE, png, show_view
from benchmarks.folders import IMAGES
from benchmarks.quasistatic_springs.scenes import (
    CURVES,
    FITTED,
    JUDGED,
    PRESET,
    Character,
    baked,
    model_folder,
)
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.files.atomic import write_atomically
from neural_physics.models.model_file import read_model
from neural_physics.models.normals import triangulate
from neural_physics.pictures.shapes import Camera

# Fig. 3's curves, with the paper's colours: the key in the file, the label.
RED, BLUE, GREEN, ORANGE = "#c8453b", "#2f6fbd", "#5b9e6d", "#e08a2e"
LINES = {
    "positions": (RED, "positions, from the pelvis"),
    "from_skinning": (BLUE, "skinning to simulation"),
    "from_network": (GREEN, "network to simulation"),
    "springs": (ORANGE, "network to springs"),
}
ROWS = (("positions", "from_skinning"), ("from_skinning", "from_network"), ("from_network", "springs"))
# Rows are right, up and towards whoever looks: at a figure's face, at the animal's left.
AT_FACE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
VIEWS = {
    "SOFT_CHARACTER": AT_FACE,
    "HUMAN": AT_FACE,
    "SOFT_ANIMAL": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
}
SHADE = 0.35  # how much darker a face is that is seen from its edge


def plot_curves(path: Path, out: Path) -> None:
    """Fig. 3: on the left of all vertices, on the right of one on the belly."""
    with np.load(path) as curves, mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 6.2), layout="constrained")
        grid = figure.subplots(len(ROWS), 2, sharex=True)
        seconds = np.arange(len(curves["positions"])) / float(curves["fps"])
        for axes_of_row, keys in zip(grid, ROWS, strict=True):
            for axes, suffix in zip(axes_of_row, ("", "_belly"), strict=True):
                for key in keys:
                    colour, label = LINES[key]
                    axes.plot(seconds, 1e3 * curves[key + suffix], color=colour, linewidth=1.2, label=label)
                axes.set_ylim(bottom=0)
                axes.legend(fontsize=7, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
            axes_of_row[0].set_ylabel("mm")
        for axes, title in zip(grid[0], ("all vertices", "one on the belly"), strict=True):
            axes.set_title(title, fontsize=9, loc="left", pad=20)
        for axes in grid[-1]:
            axes.set_xlabel("seconds")
            axes.set_xlim(0, seconds[-1])
        write_atomically(out, png(figure))


def plot_springs(character: Character, mesh: Mesh, out: Path) -> None:
    """Fig. 8: stiffness, damping, and what decides between swinging and creeping back."""
    model = read_model(model_folder(character.example, PRESET) / "model.safetensors")
    k_s, k_d = (model.tensors[name].astype(np.float64) for name in ("stiffness", "damping"))
    damped = k_d**2 - 4.0 * k_s
    far = float(np.abs(damped).max())
    usual, marked = float(np.median(np.abs(damped))), 10.0 ** np.floor(np.log10(far))
    parts: tuple[tuple[str, NDArray[np.float64], Normalize, str], ...] = (
        ("stiffness $k_s$, 1/s²", k_s, LogNorm(k_s.min(), k_s.max()), "viridis"),
        ("damping $k_d$, 1/s", k_d, LogNorm(k_d.min(), k_d.max()), "viridis"),
        ("$k_d^2 - 4 k_s$, 1/s²: swings below 0", damped, SymLogNorm(usual, vmin=-far, vmax=far), "coolwarm"),
    )
    view = VIEWS[character.example]
    wide, high, _ = np.ptp(mesh.rest_positions @ view.T, axis=0)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.0 * high / wide + 1.0), layout="constrained")
        for axes, (label, values, norm, colours) in zip(figure.subplots(1, len(parts)), parts, strict=True):
            shown = ScalarMappable(norm, colours)
            draw_coloured(axes, view, mesh, shown.to_rgba(values)[:, :3])
            bar = figure.colorbar(shown, ax=axes, location="bottom", shrink=0.8, label=label)
            if values is damped:
                bar.set_ticks([-marked, 0.0, marked])
        write_atomically(out, png(figure))


def draw_coloured(axes: Axes, view: NDArray[np.float64], mesh: Mesh, colours: NDArray[np.float64]) -> None:
    """The rest shape from a direction, each face in the mean of its vertices' colours (V, 3), far to near."""
    corners = triangulate(mesh.corners, mesh.face_sizes)
    seen = mesh.rest_positions.astype(np.float64)[corners] @ view.T
    normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    facing = normals[:, 2] / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)
    order = np.argsort(seen[:, :, 2].mean(1))
    order = order[facing[order] > 0.0]
    painted = (colours[corners].mean(1) * (1.0 - SHADE * (1.0 - facing[:, None])))[order]
    axes.add_collection(
        PolyCollection(seen[order][:, :, :2], facecolors=painted, edgecolors=painted, linewidths=0.3)
    )
    flat = seen.reshape(-1, 3)
    show_view(axes, Camera(view, flat.min(0)[:2], flat.max(0)[:2]))


def main() -> None:
    """Draw the curves and the springs of each character whose results are on disk."""
    for character in JUDGED:
        curves, name = CURVES / f"{character.example}_{FITTED}.npz", character.example.lower()
        if curves.is_file():
            plot_curves(curves, IMAGES / f"springs_{name}_curves.png")
        dataset = baked(character)
        if dataset is not None and (model_folder(character.example, PRESET) / "training.json").is_file():
            plot_springs(character, dataset.mesh, IMAGES / f"springs_{name}_heat.png")


if __name__ == "__main__":
    main()
