"""How the figures of the documents look: matplotlib's style, colours, and shapes in its axes."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from neural_physics.arrays import Floats
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.models.normals import triangulate
from neural_physics.pictures.shapes import Camera, shape_picture

REFERENCE_COLOUR, OURS_COLOUR = "#8a8f98", "#2f6fbd"
REFERENCE_CLOTH, OURS_CLOTH = "#b4b9c1", "#5d95d8"
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
PIXELS = 700  # across a shape


def png(figure: Figure) -> bytes:
    """The picture's file."""
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=130, facecolor="white")
    return stream.getvalue()


def svg(figure: Figure) -> bytes:
    """The same as lines; without a date and with names that repeat, so that what is the same is one file."""
    stream = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "benchmarks"}):
        figure.savefig(stream, format="svg", facecolor="white", metadata={"Date": None})
    return stream.getvalue()


def show_view(axes: Axes, camera: Camera) -> None:
    """Let a plot show what a camera does, in metres."""
    middle = (camera.low + camera.high) / 2
    axes.set_xlim(middle[0] - camera.width / 2, middle[0] + camera.width / 2)
    axes.set_ylim(middle[1] - camera.height / 2, middle[1] + camera.height / 2)
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_shape(
    axes: Axes,
    camera: Camera,
    mesh: Mesh,
    positions: Floats,
    *,
    colour: str,
    balls: list[tuple[Floats, float]],
) -> None:
    """One shape (V, 3), and balls given by centre and radius, into an empty plot."""
    height = max(1, round(PIXELS * camera.height / camera.width))
    triangles = triangulate(mesh.corners, mesh.face_sizes)
    pixels = shape_picture(
        camera, triangles, positions, PIXELS, height=height, colour=to_rgb(colour), balls=balls
    )
    show_view(axes, camera)
    axes.imshow(pixels, extent=(*axes.get_xlim(), *axes.get_ylim()))
