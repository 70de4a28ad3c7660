"""Numbers that cannot be learned from are named with their take and frame, wherever they are read."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.datasets.usable_numbers import FURTHEST, LARGEST, check_interaction, check_places
from neural_physics.errors import Problem


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e10, -3e38])
def test_a_place_that_is_none_or_too_far_is_named_with_its_frame(value):
    frames = np.zeros((5, 4, 3), np.float32)
    check_places(frames + FURTHEST, "take", 10)
    frames[3, 1, 2] = value
    with pytest.raises(Problem) as caught:
        check_places(frames, "take", 10, every=2)
    assert (caught.value.code, caught.value.names["frame"]) == ("dataset_not_numbers", 16)


def test_what_is_reacted_to_may_be_larger():
    rows = np.full((3, 2), LARGEST, np.float64)
    check_interaction(rows, "take", 0)
    check_interaction(rows[:0], "take", 0)
    rows[2, 0] = -1e16
    with pytest.raises(Problem) as caught:
        check_interaction(rows, "take", 0)
    assert caught.value.names == {"take": "take", "frame": 2}
