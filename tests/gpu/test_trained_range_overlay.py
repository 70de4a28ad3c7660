"""The trained box as it is drawn: green, and amber or red at the face through which something leaves."""

from __future__ import annotations

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
import gpu
from mathutils import Matrix

from neural_physics.blender.display.trained_range import draw_place
from neural_physics.blender.display.viewport_lines import Canvas
from neural_physics.blender.playing.session import Place

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

SIZE = 200
FROM_ABOVE = Matrix.Diagonal((0.5, 0.5, -0.1, 1.0))  # four units to the picture's side
LOW, HIGH = np.full(3, -1.0, np.float32), np.full(3, 1.0, np.float32)


def picture(*at: float) -> np.ndarray:
    """(SIZE, SIZE, 4) colours and opacities, the first index along X, the second along Y."""
    offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)
    with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(FROM_ABOVE)
        place = Place(LOW, HIGH, np.array(at, np.float32), np.eye(4))
        draw_place(place, Canvas((SIZE, SIZE), 3.0))
        buffer = gpu.state.active_framebuffer_get().read_color(0, 0, SIZE, SIZE, 4, 0, "FLOAT")
    buffer.dimensions = SIZE * SIZE * 4
    return np.array(buffer, np.float32).reshape(SIZE, SIZE, 4).swapaxes(0, 1)


def side(drawn: np.ndarray, x: float) -> np.ndarray:
    """The brightest colour drawn around the middle of the edge at this x."""
    column = int((x + 2) / 4 * SIZE)
    spot = drawn[column - 3 : column + 4, SIZE // 2 - 20 : SIZE // 2 - 10].reshape(-1, 4)
    return spot[spot[:, 3].argmax()]


def test_all_is_green_and_faint_while_it_is_inside():
    drawn = picture(0, 0, 0)
    for x in (-1, 1):
        red, green, _, _ = side(drawn, x)
        assert green > red
    assert drawn[SIZE // 2, SIZE // 2, 3] == 0  # nothing is filled


def test_the_face_that_is_left_is_red_and_brighter_and_the_other_stays_green():
    drawn = picture(2.5, 0, 0)
    red, green, _, opacity = side(drawn, 1)
    assert red > 2 * green
    other = side(drawn, -1)
    assert other[1] > other[0] and opacity > other[3]


def test_at_the_face_it_is_amber():
    red, green, blue, _ = side(picture(1, 0, 0), 1)
    assert red > green > blue > 0


def test_a_line_leads_from_the_box_to_what_has_left_it():
    assert picture(1.8, 0, 0)[int(3.4 / 4 * SIZE), SIZE // 2 - 2 : SIZE // 2 + 3, 3].max() > 0.5
    assert not picture(0.9, 0, 0)[int(3.4 / 4 * SIZE)].any()
