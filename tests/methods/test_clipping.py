"""What is no number, or far too large, becomes a number; all others stay what they are, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.methods.clipping import (
    FURTHEST,
    LARGEST,
    bounded,
    clipped,
    clipped_rows,
    keep_within_reach,
    within_reach,
)

LOW, HIGH = np.float32([-1.0, 2.0, -1.0]), np.float32([1.0, 3.0, 1.0])


def test_what_is_no_number_is_taken_for_0_within_the_range_and_counts_as_clipped():
    values, count = clipped(np.float32([np.nan, np.nan, 0.25]), LOW, HIGH)
    assert (values.tolist(), count) == ([0.0, 2.0, 0.25], 2)


def test_rows_are_clipped_as_each_is_alone():
    rows = np.float32([[np.nan, 2.5, np.inf], [0.5, 2.5, 0.5], [-np.inf, np.nan, 0.0]])
    values, counts = clipped_rows(rows, LOW, HIGH)
    alone = [clipped(row, LOW, HIGH) for row in rows]
    assert np.array_equal(values, [each for each, _ in alone])
    assert counts.tolist() == [count for _, count in alone] == [2, 0, 2]


def test_ordinary_numbers_are_the_same_array():
    y = np.float32([3.0, -2.5, 0.0])
    assert bounded(y) is y and bounded(np.empty(0, np.float32)).size == 0


@pytest.mark.parametrize(
    ("given", "taken"),
    [(np.nan, 0.0), (np.inf, LARGEST), (-np.inf, -LARGEST), (3e38, LARGEST), (-1e9, -LARGEST)],
)
def test_others_are_bounded_and_their_neighbours_kept(given, taken):
    assert bounded(np.float32([1.5, given])).tolist() == [1.5, taken]


def test_places_out_of_reach_are_those_of_the_other_shape():
    shown, mean = np.float32([[0.0, np.nan, 2.0], [np.inf, 1.0, 2e12]]), np.full((2, 3), 7.0, np.float32)
    keep_within_reach(shown, mean)
    assert shown.tolist() == [[0.0, 7.0, 2.0], [7.0, 1.0, 7.0]]


def test_reach_is_asked_of_all_arrays():
    near = np.zeros((2, 3))
    assert within_reach(near, near + FURTHEST)
    for bad in (np.nan, np.inf, -2.0 * FURTHEST):
        assert not within_reach(near, np.array([[0.0, bad]]))
