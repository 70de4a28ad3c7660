"""Painted triangles against their geometry."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.pictures import raster
from neural_physics.pictures.raster import painted

RED, BLUE = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]


def triangles(*corners: list[list[float]]) -> np.ndarray:
    return np.array(corners, float)


@pytest.mark.parametrize("turned", [1, -1])
def test_as_much_is_covered_as_a_triangle_is_large(turned):
    corners = triangles([[3.2, 4.1, 0.0], [52.7, 11.9, 0.0], [20.3, 47.5, 0.0]])[:, ::turned]
    (a, b, c), pixels = corners[0, :, :2], painted(corners, np.array([RED]), 64, 56)
    area = abs(np.linalg.det(np.stack([b - a, c - a]))) / 2
    assert pixels[..., 3].sum() / 255 == pytest.approx(area, rel=0.01)
    assert (pixels[pixels[..., 3] == 255][:, :3] == [255, 0, 0]).all()


def test_small_triangles_that_meet_leave_no_gap():
    """A square in 2 x 24^2 triangles: each of its pixels is covered, to the last."""
    grid = np.stack(np.meshgrid(np.linspace(5, 45, 25), np.linspace(5, 45, 25)), -1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    halves = np.concatenate([np.stack(each, -2).reshape(-1, 3, 2) for each in ((a, b, c), (a, c, d))])
    corners = np.concatenate([halves, np.zeros((*halves.shape[:2], 1))], -1)
    pixels = painted(corners, np.tile(RED, (len(corners), 1)), 50, 50)
    assert (pixels[5:45, 5:45, 3] == 255).all() and pixels[..., 3].sum() == 255 * 40**2


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_nearest_is_in_front_whatever_comes_first(order):
    """Two that pass through each other: at the left one is nearer, at the right the other."""
    left_near = [[2.0, 2.0, 1.0], [30.0, 2.0, -1.0], [16.0, 30.0, 0.0]]
    right_near = [[2.0, 2.0, -1.0], [30.0, 2.0, 1.0], [16.0, 30.0, 0.0]]
    corners, colours = triangles(left_near, right_near)[order], np.array([RED, BLUE])[order]
    pixels = painted(corners, colours, 32, 32)
    assert pixels[6, 9, :3].tolist() == [255, 0, 0] and pixels[6, 22, :3].tolist() == [0, 0, 255]


def test_what_is_outside_the_picture_is_left_out():
    far = triangles([[-90.0, -90.0, 0.0], [-80.0, -90.0, 0.0], [-90.0, -80.0, 0.0]])
    across = triangles([[-20.0, -20.0, 0.0], [200.0, -20.0, 0.0], [-20.0, 200.0, 0.0]])
    assert painted(far, np.array([RED]), 20, 10)[..., 3].max() == 0
    assert painted(across, np.array([RED]), 20, 10)[..., 3].min() == 255


def test_triangles_that_lie_across_each_other_without_end_take_no_minutes(monkeypatch):
    """As many are painted as a bound allows, spread over all of them."""
    looked_at = []
    covered = raster._covered

    def watched(corners, low, size, *more, **named):
        looked_at.append(len(corners) * int(size.prod()))
        return covered(corners, low, size, *more, **named)

    monkeypatch.setattr(raster, "_covered", watched)
    monkeypatch.setattr(raster, "MOST_LAYERS", 10)
    rng = np.random.default_rng(0)
    corners = rng.uniform(0.0, 100.0, (2000, 3, 3))
    pixels = painted(corners, np.tile(RED, (2000, 1)), 100, 100)
    assert sum(looked_at) <= 15 * 300 * 300 and (pixels[..., 3] > 0).mean() > 0.5
    looked_at.clear()
    painted(corners[:10], np.tile(RED, (10, 1)), 100, 100)
    assert 0 < sum(looked_at) <= 10 * 300 * 300, "an ordinary picture is painted whole"
