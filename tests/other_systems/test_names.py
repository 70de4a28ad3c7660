"""Names that mean the same on every system, although the one at hand is less strict."""

from __future__ import annotations

import unicodedata

import pytest

from neural_physics.datasets.take_names import check_take_name
from neural_physics.files.names import is_portable, portable, same_key

DEVICES = ["CON", "nul", "Aux.pc2", "com1", "LPT9.x", "COM¹", "conout$"]


@pytest.mark.parametrize("name", [*DEVICES, "take.", "take ", "a?", "a|b", "a<b", "a*", "a:b", 'a"b', ""])
def test_what_is_no_name_on_windows_is_no_name_anywhere(name):
    assert not is_portable(name)
    with pytest.raises(ValueError, match="take"):
        check_take_name(name)


@pytest.mark.parametrize(
    "name", ["Sprünge", "布料", "कपड़ा", "walk 01", ".hidden", "confetti", "com10", "a.b"]
)
def test_names_of_every_script_are(name):
    assert is_portable(name)
    check_take_name(name)


def test_names_that_are_one_folder_on_some_system_are_told():
    for name, other in (
        ("Take", "take"),
        ("STRASSE", "straße"),
        ("a.", "a"),
        ("é", unicodedata.normalize("NFD", "É")),
    ):
        assert same_key(name) == same_key(other)
    assert same_key("take_000") != same_key("take_001")


@pytest.mark.parametrize("name", ["Take_000", "POSES_001"])
def test_a_take_is_not_called_as_those_of_bakes_but_for_capitals(name):
    with pytest.raises(ValueError, match="capitals"):
        check_take_name(name)
    check_take_name(name.lower())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b/c:d", "a_b_c_d"),
        ("Ball.001", "Ball_001"),
        ("布料", "布料"),
        ("CON", "CON_"),
        ("nul.x", "nul_x"),
        ("", "_"),
    ],
)
def test_a_text_has_a_name_that_every_system_takes(text, name):
    assert portable(text) == name and is_portable(name)


@pytest.mark.parametrize("text", ["a" * 300, "\u0958" * 85, "a" + "布" * 100])
def test_a_long_text_has_a_name_that_a_disk_has_room_for(text, tmp_path):
    """NFC makes two letters of that in the middle, so that 255 bytes become 510."""
    assert 195 < len(portable(text).encode()) <= 200
    (tmp_path / f"{portable(text)} 2026-01-01 12.00.00").mkdir()


def test_for_ascii_it_is_the_name_that_blender_makes():
    """So that files are found that were made before."""
    bpy = pytest.importorskip("bpy")
    for text in map(chr, range(32, 127)):
        assert portable(f"a{text}b") == bpy.path.clean_name(f"a{text}b")


def test_every_device_is_given_another_name():
    for device in DEVICES:
        assert is_portable(portable(device))
