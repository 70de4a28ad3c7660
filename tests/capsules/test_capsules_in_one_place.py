"""Hundreds of capsules that all hold all of a garment: no more memory than others, or none of it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from neural_physics.capsules.projection import Capsules, push_out
from neural_physics.pairs import TooManyPairs

MEGABYTES = 75


def around_everything(count: int) -> Capsules:
    rng = np.random.default_rng(0)
    starts, ends = 0.01 * rng.normal(size=(2, count, 3))
    return Capsules(starts, ends, np.full(count, 10.0), np.full(count, 10.0))


def points(count: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(count, 3)).astype(np.float32)


def test_vertices_that_are_in_all_capsules_leave_them_all():
    capsules = around_everything(500)
    tracemalloc.start()
    try:
        pushed = push_out(points(2000), capsules, 100.0)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES
    outside = ~pushed.wedged & ~pushed.deep
    assert outside.mean() > 0.9
    for k in range(0, 500, 50):
        assert capsules.distance(k, pushed.positions[outside])[0].min() > -2.0 * capsules.tolerance


def test_out_of_more_than_any_body_has_nothing_is_pushed():
    tracemalloc.start()
    try:
        with pytest.raises(TooManyPairs):
            push_out(points(5000), around_everything(1000), 100.0)
        assert tracemalloc.get_traced_memory()[1] / 1e6 < MEGABYTES
    finally:
        tracemalloc.stop()
