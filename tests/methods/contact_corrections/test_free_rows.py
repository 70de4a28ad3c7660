"""Frames that are simulated: they turn and shift as one, about what they are held by."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from neural_physics.methods.contact_corrections.free_rows import FreeRows


def rows_of(d, points=2, frames=2):
    """Random points, then frames of d + 1 corners, turned anyhow."""
    rng = np.random.default_rng(d)
    rest = [rng.normal(size=(points, d))]
    for _ in range(frames):
        place = rng.normal(size=d)
        rest.append(place + 0.3 * np.concatenate([np.zeros((1, d)), np.eye(d)]))
    rows = FreeRows(np.concatenate(rest), frames)
    return rows, rows.moved(rows.rest, np.zeros(0, np.intp), rng.normal(size=unknowns(d, points, frames)))


def unknowns(d, points, frames):
    return d * points + (d + d * (d - 1) // 2) * frames


def sides(rows, q):
    d = q.shape[1]
    return [np.linalg.norm(q[c][:, None] - q[c][None], axis=-1) for c in rows._corners()] + [d]


@pytest.mark.parametrize("d", [2, 3])
def test_frames_keep_their_shape_however_far_they_go_and_points_move_by_the_step(d):
    rows, q = rows_of(d)
    for before, after in zip(sides(rows, rows.rest), sides(rows, q), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)
    assert np.abs(q - rows.rest).max() > 0.1
    move = np.zeros(unknowns(d, 2, 2))
    move[1] = 0.7
    assert rows.moved(q, np.zeros(0, np.intp), move)[0, 1] == pytest.approx(q[0, 1] + 0.7)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("held", [[], [0], [2], [0, 2]])
def test_ways_are_the_derivatives_of_what_moves(d, held):
    """Row 2 is the first corner of the first frame, which turns about it while it is held."""
    rows, q = rows_of(d)
    held = np.array(held, np.intp)
    directions = rows.admissible_directions(q, held)
    count = unknowns(d, 2, 2) - d * len(held)
    assert directions.shape == (q.size, count)
    for k in range(count):
        step = 1e-6 * np.eye(count)[k]
        slope = (rows.moved(q, held, step) - rows.moved(q, held, -step)) / 2e-6
        np.testing.assert_allclose(directions[:, k], slope.ravel(), atol=1e-8)
    moved = rows.moved(q, held, np.linspace(-1.0, 1.0, count))
    np.testing.assert_array_equal(moved[held], q[held])


@pytest.mark.parametrize("d", [2, 3])
def test_a_frame_goes_along_with_the_corner_that_is_held(d):
    rows, q = rows_of(d)
    place = q[2] + np.arange(1.0, d + 1.0)
    moved = rows.holding(q, np.array([2]), place[None])
    corners = rows._corners()[0]
    np.testing.assert_allclose(moved[corners] - q[corners], np.tile(place - q[2], (d + 1, 1)), atol=1e-12)
    np.testing.assert_array_equal(np.delete(moved, corners, 0), np.delete(q, corners, 0))


def test_what_is_sheared_becomes_the_nearest_frame_that_only_turned():
    rows, _ = rows_of(3, points=1, frames=1)
    turn = Rotation.from_rotvec([0.4, -1.0, 0.3]).as_matrix()
    q = rows.rest.copy()
    q[1:] = (rows.rest[1:] - rows.rest[1]) @ turn.T + [1.0, 2.0, 3.0]
    np.testing.assert_allclose(rows.rigid(q), q, atol=1e-12)
    sheared = q + 1e-3 * np.random.default_rng(0).normal(size=q.shape)
    found = rows.rigid(sheared)
    np.testing.assert_allclose(sides(rows, found)[0], sides(rows, rows.rest)[0], atol=1e-12)
    np.testing.assert_allclose(found, q, atol=5e-3)
    np.testing.assert_array_equal(found[0], sheared[0])


def test_without_frames_only_what_is_held_is_left_out():
    rows = FreeRows(np.zeros((3, 2)), 0)
    assert rows.admissible_directions(rows.rest, np.zeros(0, np.intp)) == slice(None)
    assert rows.admissible_directions(rows.rest, np.array([1])).tolist() == [0, 1, 4, 5]
