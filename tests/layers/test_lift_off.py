"""Vertices pushed out of the surface below them, against shapes whose distances are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.layers.pushing import is_turned, lift_off
from neural_physics.layers.surface import Surface
from neural_physics.layers.vertex_tree import VertexTree

GAP, DEEPEST = 0.004, 0.05


def grid(columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) between 0 and 1, and triangles that look up where y is ahead and x to the right."""
    x, y = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows), indexing="ij")
    first = (np.arange(columns - 1)[:, None] * rows + np.arange(rows - 1)).ravel()
    lower = np.stack([first, first + rows, first + rows + 1], 1)
    return np.stack([x.ravel(), y.ravel()], 1), np.concatenate(
        [lower, np.stack([first, first + rows + 1, first + 1], 1)]
    )


def surface(positions: np.ndarray, triangles: np.ndarray) -> Surface:
    positions = positions.astype(np.float32)
    made = Surface(positions, triangles.reshape(-1).astype(np.int32), np.full(len(triangles), 3, np.int32))
    made.place(positions)
    return made


def tube() -> tuple[np.ndarray, np.ndarray]:
    """A round one along z without ends, a metre long, whose 60 faces around look out."""
    places, triangles = grid(61, 31)
    angles = 2 * np.pi * places[: 60 * 31, 0]
    positions = np.stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), places[: 60 * 31, 1]], 1)
    return positions, triangles % (60 * 31)


def around(radii: np.ndarray, seed: int = 0) -> np.ndarray:
    """Points at these distances from the tube's axis, well within its ends."""
    rng = np.random.default_rng(seed)
    angles, heights = rng.uniform(0, 2 * np.pi, len(radii)), rng.uniform(0.1, 0.9, len(radii))
    return np.stack([radii * np.cos(angles), radii * np.sin(angles), heights], 1).astype(np.float32)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 257, 3000])
@pytest.mark.parametrize("reach", [0.05, 0.3, 100.0])
def test_the_nearest_vertex_is_that_of_all_pairs(count, reach):
    rng = np.random.default_rng(count)
    rest, now = rng.normal(size=(2, count, 3)).astype(np.float32)
    points = rng.normal(size=(400, 3)).astype(np.float32)
    tree = VertexTree(rest)  # grouped by another shape than it has
    tree.place(now)
    at, vertices, away = tree.nearest(points, reach)
    distances = np.linalg.norm(points[:, None].astype(float) - now[None], axis=2)
    assert np.array_equal(at, np.flatnonzero(distances.min(1) <= reach))
    assert away == pytest.approx(distances.min(1)[at], rel=1e-5)
    assert distances[at, vertices] == pytest.approx(distances.min(1)[at], rel=1e-5)


@pytest.mark.parametrize("faces", ["out", "in"])
def test_what_is_behind_a_tube_ends_the_gap_above_it_and_all_else_is_untouched(faces):
    positions, triangles = tube()
    below = surface(positions, triangles if faces == "out" else triangles[:, ::-1])
    assert is_turned(around(np.full(500, 0.32)), below, 0.05) == (faces == "in")
    below.place(positions.astype(np.float32), turned=faces == "in")
    radii = np.random.default_rng(1).uniform(0.27, 0.34, 4000)
    points = around(radii)
    lifted = lift_off(points, below, GAP, DEEPEST)
    after = np.linalg.norm(lifted.positions[:, :2].astype(float), axis=1)
    sagitta = 0.3 * (1 - np.cos(np.pi / 60))  # how far a flat face is within the round tube
    low = radii < 0.3 + GAP - sagitta
    assert after[low].min() > 0.3 + GAP - 1.5 * sagitta
    assert after[low].max() < 0.3 + GAP + sagitta
    high = radii > 0.3 + GAP + 1e-5
    assert np.array_equal(lifted.positions[high], points[high])
    assert np.abs(lifted.positions[:, 2] - points[:, 2]).max() < 1e-5, "it goes straight out"
    assert not lifted.deep.any()


def test_what_is_deeper_than_allowed_is_left_and_counted():
    below = surface(*tube())
    points = around(np.array([0.29, 0.26, 0.23, 0.1]))
    lifted = lift_off(points, below, GAP, DEEPEST)
    assert np.array_equal(lifted.deep, [False, False, True, False])  # the last is nowhere near
    assert np.array_equal(lifted.positions[2:], points[2:])


def test_what_slides_over_a_rim_does_not_jump():
    places, triangles = grid(21, 21)
    below = surface(np.column_stack([places, np.zeros(len(places))]), triangles)
    x = np.linspace(0.8, 1.2, 2001)
    points = np.stack([x, np.full_like(x, 0.51), np.full_like(x, -0.01)], 1).astype(np.float32)
    heights = lift_off(points, below, GAP, DEEPEST).positions[:, 2]
    assert heights[x < 1.0] == pytest.approx(GAP, abs=1e-6)
    assert heights[x > 1.05] == pytest.approx(-0.01, abs=1e-6)
    assert np.abs(np.diff(heights)).max() < 0.02 * (GAP + 0.01)


def test_a_wave_of_the_layer_is_followed_where_it_is_now_and_not_where_it_was_at_rest():
    places, triangles = grid(81, 81)
    flat = np.column_stack([places, np.zeros(len(places))]).astype(np.float32)
    below = surface(flat, triangles)

    def wave(x):
        return 0.05 * np.sin(6 * x)

    below.place(np.column_stack([places, wave(places[:, 0])]).astype(np.float32))
    rng = np.random.default_rng(3)
    at = rng.uniform(0.1, 0.9, (3000, 2))
    points = np.column_stack([at, wave(at[:, 0]) + rng.uniform(-0.03, 0.03, 3000)]).astype(np.float32)
    lifted = lift_off(points, below, GAP, DEEPEST).positions.astype(float)
    slope = 0.3 * np.cos(6 * lifted[:, 0])
    heights = (lifted[:, 2] - wave(lifted[:, 0])) / np.sqrt(1 + slope**2)
    assert heights.min() > GAP - 3e-4
    assert np.median(np.abs(heights[points[:, 2] < wave(points[:, 0])] - GAP)) < 1e-4


def test_loose_vertices_and_faces_without_area_push_nothing():
    places, triangles = grid(11, 11)
    flat = np.column_stack([places, np.zeros(len(places))])
    positions = np.concatenate([flat, [[0.5, 0.5, 0.004]]])
    flat_face = np.array([[0, 0, 1]])
    below = surface(positions, np.concatenate([triangles, flat_face]))
    points = np.array([[0.52, 0.52, -0.01], [0.5, 0.5, 0.05], [0.0, 0.05, -0.01]], np.float32)
    lifted = lift_off(points, below, GAP, DEEPEST).positions
    assert np.isfinite(lifted).all()
    assert np.array_equal(lifted[1], points[1])
    assert lifted[2, 2] > 0.0
