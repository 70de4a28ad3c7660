"""What a capsule is drawn with lies on its surface, and shows all of it."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.capsules.projection import Capsules
from neural_physics.capsules.wires import wires

CAPSULES = Capsules(
    np.array([(0, 0, 0), (1, 2, 3), (0, 0, 0), (0.5, 0, 0)]),
    np.array([(0, 0, 1), (2, 1, 5), (0, 0.1, 0), (0.5, 0, 0)]),
    np.array([0.3, 0.2, 0.5, 0.0]),
    np.array([0.1, 0.6, 0.1, 0.0]),  # the third is a ball, the last a point
)


def test_every_point_lies_on_the_surface():
    lines = wires(CAPSULES)
    for k in range(len(CAPSULES)):
        assert CAPSULES.distance(k, lines[k].reshape(-1, 3))[0] == pytest.approx(0.0, abs=2e-6)


def test_lines_reach_from_tip_to_tip_and_all_the_way_round():
    points = wires(CAPSULES)[0].reshape(-1, 3)
    assert points.min(0) == pytest.approx([-0.3, -0.3, -0.3], abs=1e-2)
    assert points.max(0) == pytest.approx([0.3, 0.3, 1.1], abs=1e-2)


def test_no_line_is_cut_through_the_capsule():
    lines = wires(CAPSULES)
    middles = lines.mean(2)
    for k in (0, 1, 2):
        assert CAPSULES.distance(k, middles[k])[0].min() > -0.03 * max(CAPSULES.radii[k], 0.6)


def test_no_capsules_give_no_lines():
    none = Capsules(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty(0))
    assert wires(none).reshape(-1, 3).shape == (0, 3)
