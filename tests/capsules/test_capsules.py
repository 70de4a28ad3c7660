"""Capsules, held against their definition, against finite differences and against plain balls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from neural_physics.capsules.projection import Capsules, push_out

INSIDE = 2e-6  # of the largest coordinate, as `Capsules.tolerance`


def capsules_of(rows):
    """Rows of start, end, start radius, end radius."""
    rows = np.array(rows, float).reshape(-1, 8)
    return Capsules(rows[:, :3], rows[:, 3:6], rows[:, 6], rows[:, 7])


def random_capsules(rng, count, size=1.0):
    starts = rng.uniform(-size, size, (count, 3))
    ends = starts + rng.normal(size=(count, 3)) * 0.6 * size
    return Capsules(starts, ends, *rng.uniform(0.05, 0.4, (2, count)) * size)


def of_balls(capsules, k, points, steps=20001):
    """By definition: the least distance to any of the balls that a capsule is the union of."""
    along = np.linspace(0.0, capsules.lengths[k], steps)
    radii = capsules.radii[k] - capsules.slopes[k] * along
    middles = capsules.starts[k] + along[:, None] * capsules.axes[k]
    return np.array([(np.linalg.norm(p - middles, axis=1) - radii).min() for p in points])


def union(capsules, points):
    return np.min([capsules.distance(k, points)[0] for k in range(len(capsules))], axis=0)


def points_in(rng, count, size=1.5):
    return rng.uniform(-size, size, (count, 3)).astype(np.float32)


numbers = st.floats(-2.0, 2.0, width=32, allow_subnormal=False)
rows_of_capsules = arrays(np.float32, st.tuples(st.integers(1, 6), st.just(8)), elements=numbers).map(
    lambda rows: np.concatenate([rows[:, :6], np.abs(rows[:, 6:]) / 2], 1)
)


def test_distance_is_that_to_the_balls_a_capsule_is_made_of():
    rng = np.random.default_rng(0)
    capsules, points = random_capsules(rng, 6), points_in(rng, 200)
    for k in range(len(capsules)):
        assert capsules.distance(k, points)[0] == pytest.approx(of_balls(capsules, k, points), abs=2e-6)


def test_gradient_is_the_distances_and_of_unit_length():
    rng = np.random.default_rng(1)
    capsules, points = random_capsules(rng, 6), points_in(rng, 300)
    h = 1e-2
    for k in range(len(capsules)):
        distance, gradient = capsules.distance(k, points)
        assert np.linalg.norm(gradient, axis=1) == pytest.approx(1.0, abs=1e-5)
        clear = np.abs(distance) > 2 * h  # far from the axis and the surface's own bends
        ahead = capsules.distance(k, points + np.float32(h) * gradient)[0]
        assert ahead[clear] == pytest.approx(distance[clear] + h, abs=1e-5)


def test_equal_radii_make_the_capsule_and_one_ball_in_the_other_makes_the_larger():
    rng = np.random.default_rng(2)
    points = points_in(rng, 200)
    plain = capsules_of([0, 0, -0.5, 0, 0, 0.5, 0.2, 0.2])
    beyond = np.maximum(np.abs(points[:, 2]) - 0.5, 0.0)
    expected = np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2) - 0.2
    assert plain.distance(0, points)[0] == pytest.approx(expected, abs=1e-6)
    ball = np.linalg.norm(points - [0.1, 0.0, 0.0], axis=1) - 0.5
    for row in (
        [0.1, 0, 0, 0.2, 0, 0, 0.5, 0.1],
        [0.2, 0, 0, 0.1, 0, 0, 0.1, 0.5],
        [0.1, 0, 0, 0.1, 0, 0, 0.5, 0.0],
    ):
        assert capsules_of(row).distance(0, points)[0] == pytest.approx(ball, abs=1e-6)


def test_a_vertex_on_the_axis_leaves_the_limb_by_its_radius():
    capsules = capsules_of([[0, 0, 0, 1, 0, 0, 0.3, 0.1], [5, 0, 0, 5, 0, 0, 0.2, 0.2]])
    points = np.array([[0.3, 0, 0], [0, 0, 0], [5, 0, 0]], np.float32)
    pushed = push_out(points, capsules, 1.0)
    assert union(capsules, pushed.positions) == pytest.approx(0.0, abs=1e-6)
    moved = np.linalg.norm(pushed.positions - points, axis=1)
    assert moved == pytest.approx(-union(capsules, points), abs=1e-6)


def test_a_push_is_the_shortest_way_to_the_surface():
    rng = np.random.default_rng(3)
    capsules = random_capsules(rng, 1)
    points = (capsules.starts[0] + rng.normal(size=(4000, 3)) * 0.3).astype(np.float32)
    depth = np.maximum(-capsules.distance(0, points)[0], 0.0)
    pushed = push_out(points, capsules, 10.0)
    assert np.linalg.norm(pushed.positions - points, axis=1) == pytest.approx(depth, abs=2e-6)
    assert (capsules.distance(0, pushed.positions)[0] > -capsules.tolerance).all()


def test_a_vertex_deeper_than_the_limit_is_left_alone_and_counted():
    capsules = capsules_of([0, 0, 0, 0, 0, 1, 0.5, 0.5])
    points = np.array([[0.35, 0, 0.5], [0.45, 0, 0.5], [0.6, 0, 0.5]], np.float32)
    pushed = push_out(points, capsules, 0.1)
    assert pushed.deep.tolist() == [True, False, False] and not pushed.wedged.any()
    assert np.array_equal(pushed.positions[[0, 2]], points[[0, 2]])
    assert pushed.positions[1] == pytest.approx([0.5, 0, 0.5], abs=1e-6)


def test_without_capsules_or_far_from_them_nothing_changes():
    points = points_in(np.random.default_rng(4), 50)
    for capsules in (capsules_of([]), capsules_of([90, 0, 0, 91, 0, 0, 1, 2])):
        pushed = push_out(points, capsules, 1.0)
        assert pushed.positions.tobytes() == points.tobytes() and pushed.positions is not points
        assert pushed.positions.dtype == np.float32
        assert not pushed.deep.any() and not pushed.wedged.any()


@settings(deadline=None, max_examples=200)
@given(rows_of_capsules, st.integers(0, 2**31), st.floats(0.015625, 3.0, width=32))
def test_nothing_within_the_limit_stays_inside_and_nothing_outside_moves(rows, seed, limit):
    capsules = capsules_of(rows)
    points = np.random.default_rng(seed).uniform(-3, 3, (300, 3)).astype(np.float32)
    before = union(capsules, points)
    pushed = push_out(points, capsules, limit)
    after = union(capsules, pushed.positions)
    untouched = (before >= 0.0) | pushed.deep
    assert pushed.positions[untouched].tobytes() == points[untouched].tobytes()
    assert (pushed.deep == (before < -limit)).all()
    assert (after[~pushed.deep & ~pushed.wedged] >= -capsules.tolerance).all()
    # Only between capsules that overlap can a vertex find no way out.
    if len(capsules) == 1:
        assert not pushed.wedged.any()


def bent_arm(degrees):
    places = [np.zeros(3)]
    for length, turn in ((0.3, 0.0), (0.28, 1.0), (0.1, 1.3)):
        a = np.radians(degrees) * turn
        places.append(places[-1] + length * np.array([np.cos(a), 0.0, np.sin(a)]))
    starts = [*places[:3], np.array([-0.15, 0.0, -0.4])]
    ends = [*places[1:], np.array([-0.15, 0.0, 0.1])]
    radii = np.array([0.06, 0.045, 0.035, 0.17]), np.array([0.045, 0.035, 0.03, 0.14])
    return Capsules(np.array(starts), np.array(ends), *radii)


@pytest.mark.parametrize("degrees", [20, 90, 150])
def test_out_of_a_bent_arm_every_vertex_finds_the_way_and_none_goes_far(degrees):
    capsules = bent_arm(degrees)
    points = np.random.default_rng(5).uniform(-0.4, 0.7, (60000, 3)).astype(np.float32)
    depth = -union(capsules, points)
    points = points[(depth > 0) & (depth < 0.03)]
    pushed = push_out(points, capsules, 0.03)
    assert len(points) > 500 and not pushed.deep.any() and not pushed.wedged.any()
    assert (union(capsules, pushed.positions) > -capsules.tolerance).all()
    moved = np.linalg.norm(pushed.positions - points, axis=1)
    assert np.quantile(moved, 0.99) < 0.035 and moved.max() < 0.12


def test_between_thighs_that_share_half_their_width_hardly_any_vertex_is_wedged():
    capsules = capsules_of(
        [
            [-0.05, 0, 0, -0.05, 0, -0.42, 0.09, 0.055],
            [0.05, 0, 0, 0.05, 0.02, -0.42, 0.09, 0.055],
            [-0.05, 0, -0.42, -0.05, -0.02, -0.85, 0.055, 0.04],
            [0.05, 0.02, -0.42, 0.05, 0.05, -0.85, 0.055, 0.04],
            [0, 0, 0.05, 0, 0, 0.2, 0.16, 0.14],
        ]
    )
    points = np.random.default_rng(8).uniform((-0.25, -0.25, -0.95), (0.25, 0.25, 0.15), (300000, 3))
    points = points.astype(np.float32)
    depth = -union(capsules, points)
    points = points[(depth > 0) & (depth < 0.03)]
    pushed = push_out(points, capsules, 0.03)
    assert pushed.wedged.mean() < 0.004
    assert (union(capsules, pushed.positions)[~pushed.wedged] > -capsules.tolerance).all()


def test_the_result_follows_the_vertices_without_jumps():
    capsules = bent_arm(150)
    rng = np.random.default_rng(6)
    points = rng.uniform(-0.4, 0.7, (40000, 3)).astype(np.float32)
    depth = -union(capsules, points)
    points = points[(depth > 0) & (depth < 0.029)]
    nudged = points + rng.normal(size=points.shape).astype(np.float32) * np.float32(1e-6)
    apart = np.linalg.norm(
        push_out(points, capsules, 0.03).positions - push_out(nudged, capsules, 0.03).positions, axis=1
    )
    assert np.quantile(apart, 0.999) < 1e-4


def test_ends_that_move_take_the_surface_along():
    points = points_in(np.random.default_rng(7), 500)
    rows = np.array([[0, 0, 0, 0, 0, 1, 0.4, 0.2]], float)
    shift = np.array([0.5, -0.25, 0.125], np.float32)
    moved = rows + np.array([*shift, *shift, 0, 0])
    here, there = push_out(points, capsules_of(rows), 1.0), push_out(points + shift, capsules_of(moved), 1.0)
    assert there.positions - shift == pytest.approx(here.positions, abs=1e-6)


def test_shapes_that_make_no_sense_are_refused():
    good = np.zeros((2, 3)), np.ones((2, 3)), np.ones(2), np.ones(2)
    for place, bad in ((0, np.zeros((2, 2))), (1, np.ones((3, 3))), (2, np.ones(3)), (3, np.ones((2, 1)))):
        arguments = [*good[:place], bad, *good[place + 1 :]]
        with pytest.raises(ValueError, match="two ends"):
            Capsules(*arguments)
    with pytest.raises(ValueError, match="negative"):
        Capsules(*good[:3], -np.ones(2))
