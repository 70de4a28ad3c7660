"""Pictures of shapes whose outline is known."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.pictures.shapes import camera_for, shape_picture

SQUARE = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
RED = (1.0, 0.0, 0.0)


def standing(width: float, height: float) -> np.ndarray:
    """A rectangle in the plane x = 0."""
    return np.array([[0, 0, 0], [0, width, 0], [0, width, height], [0, 0, height]], np.float32)


@pytest.mark.parametrize("width, height", [(1.0, 1.0), (3.0, 1.0), (0.2, 0.6)])
def test_a_rectangle_has_its_own_proportions_in_the_middle_of_the_picture(width, height):
    """It is seen 28 degrees from the side and 14 from above."""
    shape = standing(width, height)
    camera = camera_for((0.0, 0.0, -9.81), shape, shape)
    pixels = shape_picture(camera, SQUARE, shape, 200, height=200, colour=RED)
    covered = pixels[..., 3] > 127
    rows, columns = np.flatnonzero(covered.any(1)), np.flatnonzero(covered.any(0))
    right, up = np.cos(np.radians(28)) * width, np.cos(np.radians(14)) * height
    lift = np.sin(np.radians(14)) * np.sin(np.radians(28)) * width  # the far side is higher in the picture
    assert np.ptp(columns) / np.ptp(rows) == pytest.approx(right / (up + lift), rel=0.03)
    for seen in (rows, columns):
        assert seen[0] + seen[-1] == pytest.approx(199, abs=2)
    assert (pixels[covered][:, 0] > 0).all() and not pixels[covered][:, 1:3].any()


def test_up_is_away_from_gravity():
    """The upper half of a rectangle stays in the upper half of the picture, wherever things fall."""
    shape = standing(1.0, 1.0)
    for gravity, upper in (((0.0, 0.0, -1.0), shape[:, 2] > 0), ((0.0, -1.0, 0.0), shape[:, 1] > 0)):
        seen = camera_for(gravity, shape, shape).seen(shape.astype(float), 100, 100)
        assert seen[upper, 1].mean() < seen[~upper, 1].mean()


@pytest.mark.parametrize("size", [1e-6, 1e6, 1e38])
def test_a_shape_of_any_size_is_seen_alike(size):
    shape = standing(3.0, 1.0).astype(float)
    pictures = [
        shape_picture(camera_for((0.0, 0.0, -9.81), s, s), SQUARE, s, 60, height=60, colour=RED)
        for s in (shape, size * shape)
    ]
    assert np.abs(pictures[0].astype(int) - pictures[1]).max() <= 1 and pictures[0].any()


def test_a_shape_that_is_a_point_is_nothing_in_a_picture_and_what_is_beside_it_is_seen():
    point = np.ones((3, 3))
    camera = camera_for((0.0, 0.0, -9.81), point, point)
    triangles = np.array([[0, 1, 2]], np.int32)
    alone = shape_picture(camera, triangles, point, 40, height=30, colour=(1.0, 0.0, 0.0))
    assert not alone.any()
    ball = [(np.ones(3), 0.01)]
    assert shape_picture(camera, triangles, point, 40, height=30, colour=(1.0, 0.0, 0.0), balls=ball).any()
