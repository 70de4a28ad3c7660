"""Curves as SVG: what is drawn where, by its numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from learning.evaluation.plots import Line, plot, ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.3, 26.0, 8, [5.0, 10.0, 15.0, 20.0, 25.0]),
        (-3e-5, 2e-5, 5, [-3e-5, -2e-5, -1e-5, 0.0, 1e-5, 2e-5]),
        (990.0, 1010.0, 2, [990.0, 1000.0, 1010.0]),
    ],
)
def test_axes_have_round_numbers(low, high, most, expected):
    assert ticks(low, high, most) == pytest.approx(expected, abs=1e-12)


def test_a_line_goes_through_its_values_and_a_gap_in_them_is_no_error():
    x = np.linspace(0.0, 10.0, 11)
    picture = plot([Line(x, 2.0 * x, "#123456", "twice")], 800, 300, from_zero=True)
    (points,) = re.findall(r'points="([^"]+)"', picture)
    places = np.array([place.split(",") for place in points.split()], float)
    assert np.diff(places, axis=0) == pytest.approx(np.tile(places[1] - places[0], (10, 1)), abs=0.11)
    assert places[0, 0] < places[-1, 0] and places[0, 1] > places[-1, 1], "to the right and up"
    assert ">twice<" in picture
    assert "nan" not in plot([Line(x, np.full(11, 3.0), "#123456")])


def test_names_are_no_markup():
    x = np.arange(3.0)
    assert "<script>" not in plot([Line(x, x, "#000", "<script>")], x_label="<script>")
