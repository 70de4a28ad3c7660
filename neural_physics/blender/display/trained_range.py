"""The boxes that positions were trained in, drawn while a model plays: amber and red where one is left."""

from __future__ import annotations

import bpy
import gpu
from mathutils import Matrix

from ...arrays import Floats
from ..playing.handlers import PLAYED
from ..playing.session import Place
from ..scene.targets import target_of
from ..settings.properties import settings_of
from ..settings.registration import ViewportHandler
from .viewport_lines import BOX_EDGES, Canvas, Colour, box_corners, current_canvas, draw_face, draw_lines

INSIDE, AT_FACE, FAR_OUT = (0.35, 0.80, 0.45), (1.00, 0.62, 0.10), (0.95, 0.20, 0.15)
CALM, ALERT = 0.30, 0.95  # opacities of edges: of the box, and of a face that is being left
FILLED = 0.12  # opacity of a face for each level that is reached there
HIDDEN = 0.3  # of the opacity, for what is behind something
WIDER = 1.5  # than the box's edges are those of a face that is being left


def shown_places(obj: bpy.types.Object) -> list[Place]:
    """The boxes that are drawn of an object that plays: none where its model knows no range of positions."""
    settings, session = settings_of(obj), PLAYED.session_of(obj)
    if session is None or not settings.playing or not settings.show_trained_range or not obj.visible_get():
        return []
    return session.places()


def register() -> None:
    """Start drawing trained ranges in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing trained ranges."""
    _HANDLER.unregister()


def _draw() -> None:
    canvas = current_canvas()
    obj = target_of(bpy.context) if canvas is not None else None
    if canvas is not None and obj is not None:
        for place in shown_places(obj):
            draw_place(place, canvas)


def draw_place(place: Place, canvas: Canvas) -> None:
    """Draw one box, and how what it is of leaves it, into what is bound."""
    corners = box_corners(place.low.tolist(), place.high.tolist())
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(Matrix(place.world_from_frame.tolist()))
        draw_lines(canvas, corners, INSIDE, CALM, hidden=HIDDEN, edges=BOX_EDGES)
        wide = canvas._replace(line_width=WIDER * canvas.line_width)
        # The worst comes last, over edges that faces share.
        for level, axis, side in sorted(_left_faces(place)):
            face = [corners[n] for n in _face_corners(axis, side)]
            draw_face(face, colour_of(level), FILLED * level)
            opacity = CALM + (ALERT - CALM) * min(level, 1.0)
            draw_lines(wide, face, colour_of(level), opacity, hidden=HIDDEN, edges=FACE_EDGES)
        if place.outside:
            way = [_nearest(place), tuple(map(float, place.at))]
            draw_lines(wide, way, colour_of(float(place.levels.max())), ALERT, hidden=HIDDEN)


FACE_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0)]


def colour_of(level: float) -> Colour:
    """Of a face: green at 0, amber at 1, red at 2."""
    first, second = (INSIDE, AT_FACE) if level < 1.0 else (AT_FACE, FAR_OUT)
    share = level if level < 1.0 else level - 1.0
    r, g, b = ((1.0 - share) * a + share * c for a, c in zip(first, second, strict=True))
    return r, g, b


def _left_faces(place: Place) -> list[tuple[float, int, int]]:
    levels = place.levels.tolist()
    return [(levels[a][s], a, s) for a in range(3) for s in range(2) if levels[a][s] > 0.0]


def _face_corners(axis: int, side: int) -> list[int]:
    """Numbers of the corners of a face, one after the other around it; see `box_corners`."""
    first, second = (1 << (2 - other) for other in range(3) if other != axis)
    start = side << (2 - axis)
    return [start, start + first, start + first + second, start + second]


def _nearest(place: Place) -> tuple[float, ...]:
    """The point of the box that is nearest."""
    nearest: Floats = place.at.clip(place.low, place.high)
    return tuple(map(float, nearest))


_HANDLER = ViewportHandler(_draw)
