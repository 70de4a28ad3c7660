"""What a take may be called."""

from __future__ import annotations

import pytest

from neural_physics.datasets.take_names import LONGEST_NAME, check_take_name


@pytest.mark.parametrize("name", ["take_000", "walk 01", "Sprünge", "a" * LONGEST_NAME])
def test_names_of_folders_are_names_of_takes(name):
    check_take_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "a\\b", "c:", "a\nb", "\ud800", "é" * LONGEST_NAME, 3]
)
def test_others_are_refused(name):
    with pytest.raises(ValueError, match="take"):
        check_take_name(name)
