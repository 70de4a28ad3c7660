"""How long simulations took is kept beside the takes."""

import pytest

from neural_physics.datasets.pace import PACE, read_pace, write_pace


def test_it_is_read_as_it_was_written(tmp_path):
    assert read_pace(tmp_path) == 0.0
    write_pace(tmp_path, 0.0123)
    assert read_pace(tmp_path) == pytest.approx(0.0123)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"seconds_per_frame": "soon"}', '{"seconds_per_frame": -1}', "[" * 100_000]
)
def test_what_is_no_time_is_not_known(tmp_path, text):
    (tmp_path / PACE).write_text(text)
    assert read_pace(tmp_path) == 0.0
