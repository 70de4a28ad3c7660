"""Places that the system does not let anybody look at: not there where they are shown, else a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.files.listing import entries
from neural_physics.files.looking import has_file, has_folder, is_file, is_folder, look


@pytest.fixture(params=["a link to itself", "a name that is too long", "below a link to itself"])
def refused(request, tmp_path) -> Path:
    """What even root is not allowed to look at."""
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    places = {"a link to itself": loop, "a name that is too long": tmp_path / ("a" * 300)}
    return places.get(request.param, loop / "x")


def test_what_cannot_be_looked_at_is_not_there_where_it_is_shown(refused):
    assert not is_file(refused) and not is_folder(refused)


@pytest.mark.parametrize("ask", [has_file, has_folder, look, entries])
def test_what_cannot_be_looked_at_is_said_with_the_systems_reason(refused, ask):
    with pytest.raises(Problem, match=r"too long|Too many levels") as raised:
        ask(refused)
    assert raised.value.code == "place_not_readable"


def test_what_is_there_is_told_apart_from_what_is_not(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    assert is_file(file) and has_file(file) and not is_folder(file) and not has_folder(file)
    assert is_folder(tmp_path) and has_folder(tmp_path) and not is_file(tmp_path) and not has_file(tmp_path)
    for nothing in (tmp_path / "nothing", file / "below", tmp_path / "a\0b"):
        assert not is_file(nothing) and not has_file(nothing) and not has_folder(nothing)
        assert look(nothing) is None
    assert entries(tmp_path / "nothing") == entries(file) == [] and entries(tmp_path) == [file]
