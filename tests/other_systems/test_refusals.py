"""What an artist reads where Windows refuses a path for its length, of which its own words say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.files.atomic import writing

LONG, SHORT = "C:/" + 26 * "dataset 9/", "C:/dataset"


@pytest.mark.parametrize(
    ("winerror", "name", "said"),
    [
        (3, LONG, "263 characters"),
        (206, LONG, "too long for Windows"),
        (3, SHORT, "cannot find"),
        (5, LONG, "find"),
    ],
)
def test_a_path_that_is_too_long_is_called_that(winerror, name, said):
    error = FileNotFoundError(2, "The system cannot find the path specified", name)
    error.winerror = winerror  # type: ignore[attr-defined]
    with pytest.raises(Problem) as raised, writing(Path("C:/")):
        raise error
    assert raised.value.code == "folder_not_writable" and said in raised.value.message
