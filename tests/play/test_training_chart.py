"""The chart of a training: what a label says is drawn at the middle of its row."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("bpy")

from neural_physics.blender.display.chart import (
    BEST,
    HEIGHT,
    ROWS,
    VALIDATION,
    WIDTH,
    axis_of,
    draw,
)

pytestmark = [pytest.mark.blender, pytest.mark.once]


def flat(error: float, count: int = 20) -> tuple[tuple[float, float, float], ...]:
    return tuple((10.0 * step, 1.0 / (step + 1), error) for step in range(count))


@pytest.mark.parametrize("metres", [0.0, 0.004, 0.083, 3.7])
@pytest.mark.parametrize("error", [1.0, 0.44, 0.07, 0.0031])
def test_labels_stand_where_their_errors_are_drawn(error, metres):
    axis = axis_of(flat(error), metres)
    labels = axis.labels()
    assert len(labels) == ROWS and labels[-1] == f"0 {axis.unit}"
    written = [(row, float(text.split()[0])) for row, text in enumerate(labels) if text]
    assert written[0][1] / axis.scale >= 0.8 * error, "the axis is as high as the curve"
    assert written[0][1] / axis.scale <= 3.0 * error, "and not much higher"
    for row, value in written:
        assert len(f"{value:.10g}".replace(".", "").strip("0")) <= 2, "labels are round numbers"
        history = (*flat(error, 10), *((100.0 + step, 0.1, value / axis.scale) for step in range(10)))
        rows = np.flatnonzero((draw(history, axis, 0.0)[:, -1] == np.float32(VALIDATION)).all(-1))
        assert abs(rows.mean() - (ROWS - row - 0.5) / ROWS * HEIGHT) <= 2.0


def test_errors_are_in_words_of_the_axis():
    assert axis_of(flat(0.44), 0.0).words(0.4432) == "44 %"
    assert axis_of(flat(0.25), 0.083).words(0.2519) == "2.1 cm"
    assert axis_of(flat(0.25), 0.004).words(0.25) == "1 mm"


def test_a_training_that_begins_badly_does_not_flatten_the_rest():
    axis = axis_of(((1.0, 1.0, 900.0), (2.0, 0.5, 0.4)), 0.0)
    assert axis.share(0.4) > 0.2
    assert np.isfinite(draw(((1.0, 1.0, 900.0), (2.0, 0.5, 0.4)), axis, 1.0)).all()


@pytest.mark.parametrize(
    "history",
    [
        ((0.0, math.nan, math.nan), (1.0, math.nan, math.nan)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ((5.0, 1.0, math.nan), (5.0, 1.0, math.inf)),
    ],
)
def test_a_history_of_nothing_has_a_picture_too(history):
    assert np.isfinite(draw(history, axis_of(history, 0.0), 5.0)).all()


def test_the_dotted_line_is_at_the_step_of_the_model_that_is_kept():
    history = flat(0.5, 12)[1:]
    first, last = history[0][0], history[-1][0]
    for share in (0.0, 0.5, 1.0):
        pixels = draw(history, axis_of(history, 0.0), first + share * (last - first))
        (columns,) = np.nonzero((pixels[0] == np.float32(BEST)).all(-1))
        assert columns.tolist() == [round(share * (WIDTH - 1))]
    assert not (draw(history, axis_of(history, 0.0), 0.0) == np.float32(BEST)).all(-1).any()


def test_what_another_program_has_logged_has_a_picture_too():
    for history in (((9.0, 1.0, 0.1), (1.0, 2.0, 0.2)), ((0.0, 1.0, 1e-320), (1e15, 1.0, 1e-320))):
        for metres in (0.0, 1e-300):
            assert np.isfinite(draw(history, axis_of(history, metres), 1.0)).all()
