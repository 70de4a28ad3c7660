"""Which paths mean the same place to Blender as to Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.files.blenders_places import (
    BELOW_DATASET,
    BESIDE_SCENE,
    MOST,
    check_blenders,
    check_fluids_place,
    is_blenders,
)

POSIX = pytest.mark.skipif(os.sep != "/", reason="a backslash is no part of a name there")


def long_place(length: int) -> Path:
    """A place whose path takes so many bytes."""
    place = Path(Path.cwd().anchor)
    while len(str(place)) + 201 < length:
        place /= "d" * 100
    return place / ("e" * (length - len(str(place)) - 1))


@pytest.mark.parametrize("name", ["dataset", "Sprünge – 布", "a b", "a:b", "..."])
def test_most_places_are_the_same(name, tmp_path):
    assert is_blenders(tmp_path / name)
    assert check_blenders(tmp_path / name, BELOW_DATASET) == tmp_path / name


@POSIX
@pytest.mark.parametrize("path", ["/a/b\\c/d", "/a\\", "\\a", "//a/b", "a\\b"])
def test_a_backslash_and_two_slashes_at_the_beginning_are_of_another_place(path):
    assert not is_blenders(Path(path))
    with pytest.raises(Problem) as raised:
        check_blenders(Path(path))
    assert raised.value.code == "place_not_blenders" and "Blender" in raised.value.message


@POSIX
@pytest.mark.parametrize("name", ["pro:j", "a?", "*", 'a"b', "<a", "a\nb", "a\tb"])
def test_a_fluid_lies_elsewhere_where_it_makes_another_name(name, tmp_path):
    assert check_fluids_place(tmp_path / "Sprünge – 布") == tmp_path / "Sprünge – 布"
    with pytest.raises(Problem) as raised:
        check_fluids_place(tmp_path / name / "dataset")
    assert raised.value.code == "place_not_blenders"


@POSIX
def test_a_place_is_asked_about_as_a_whole(tmp_path, monkeypatch):
    (tmp_path / "a\\b").mkdir()
    monkeypatch.chdir(tmp_path / "a\\b")
    assert not is_blenders(Path("c"))


@pytest.mark.parametrize("room", [0, BESIDE_SCENE, BELOW_DATASET])
def test_a_path_has_as_many_bytes_as_blender_keeps_with_what_comes_below_it(room):
    fits = long_place(MOST - room)
    assert len(str(fits)) == MOST - room
    assert is_blenders(fits, room) and not is_blenders(Path(f"{fits}e"), room)
    with pytest.raises(Problem, match="1,024 of 1,023 bytes"):
        check_blenders(Path(f"{fits}e"), room)


def test_bytes_count_and_not_letters():
    letters = long_place(MOST - 300)
    assert is_blenders(letters / ("u" * 290)) and not is_blenders(letters / ("ü" * 290))


@POSIX
def test_names_that_are_no_text_are_asked_about_too(tmp_path):
    """Of which a byte of the system's is one of a path, and half a character is no system's."""
    assert is_blenders(tmp_path / "\udcff") and not is_blenders(tmp_path / "\udcff\\")
    fits = Path(f"{long_place(MOST - 1)}\udcff")
    assert is_blenders(fits) and not is_blenders(Path(f"{fits}\udcff"))
    assert not is_blenders(tmp_path / "\ud800")


def test_what_a_bake_adds_has_room():
    cache = f"/blendcache_take/{'n' * 200}_000001_00.bphys"
    assert len(cache) <= BESIDE_SCENE - len("@.new")
    assert len("/bake/take_0000000/1234567890") + BESIDE_SCENE <= BELOW_DATASET
