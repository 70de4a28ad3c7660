"""Settings that a file has stored as something else than they are declared, as only a changed file can."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from scenes import add_ball, add_cloth, empty_scene, react_to, settings_of, stored

from neural_physics.blender.settings.stored_types import drop_misfits

STRING, INTEGER, FLOAT, ARRAY, GROUP, DOUBLE, LINES = 0, 1, 2, 5, 6, 8, 9
BEFORE_NAME = 4  # bytes from an ID property's type to its name


def made() -> bpy.types.Object:
    empty_scene()
    cloth = add_cloth("Cloth")
    line = react_to(cloth, add_ball(), box_low=(-1.0, -1.0, -1.0), box_high=(1.0, 1.0, 1.0))
    line.bones.add().name = "bone"
    settings_of(cloth).take_count = 3
    settings_of(cloth).simulation.kind = "SOLID"
    settings_of(cloth).model = bpy.data.texts.new("Model")
    return cloth


@pytest.mark.parametrize(
    "name, was, to",
    [
        ("box_high", ARRAY, DOUBLE),
        ("box_low", ARRAY, INTEGER),
        ("interactions", LINES, DOUBLE),
        ("interactions", LINES, INTEGER),
        ("bones", LINES, INTEGER),
        ("simulation", GROUP, DOUBLE),
        ("take_count", INTEGER, FLOAT),
        ("neural_physics", GROUP, INTEGER),
    ],
)
def test_a_file_in_which_the_type_of_a_setting_was_changed_opens(name, was, to, tmp_path):
    """Blender reads a number as a row of numbers where it is declared as one: and ends, or waits for ever."""
    made()
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    data = bytearray(path.read_bytes())
    places = [found.start() for found in re.finditer(re.escape(name.encode() + b"\0"), data)]
    changed = [place for place in places if data[place - BEFORE_NAME] == was]
    assert changed
    for place in changed:
        data[place - BEFORE_NAME] = to
    path.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    cloth = bpy.data.objects["Cloth"]
    settings = settings_of(cloth)
    first = settings.bl_rna.properties["take_count"].default
    assert settings.take_count == (first if name in ("take_count", "neural_physics") else 3)
    for line in settings.interactions:
        assert len(line.box_high) == len(line.box_low) == 3
        assert [bone.name for bone in line.bones] in ([], ["bone"])
    assert settings.simulation.kind in ("SOLID", "BLENDER")


@pytest.mark.parametrize(
    "name, value",
    [
        ("take_count", "three"),
        ("take_count", [1, 2]),
        ("enabled", {"a": 1}),
        ("model", 7),
        ("simulation", 1.0),
        ("simulation", "text"),
        ("interactions", 1),
        ("interactions", {"a": 1}),
        ("dataset_folder", 3),
    ],
)
def test_what_a_script_has_stored_as_something_else_is_what_it_is_at_first(name, value):
    cloth = made()
    before = dict.fromkeys(stored(settings_of(cloth)).keys())
    raw = stored(settings_of(cloth))
    if name in raw:
        del raw[name]
    raw[name] = value
    drop_misfits(cloth)
    assert name not in stored(settings_of(cloth))
    assert before.keys() - {name} == set(stored(settings_of(cloth)).keys()) - {name}, "and nothing else is"
    drop_misfits(cloth)


def test_settings_as_they_are_made_stay():
    cloth = made()
    names = set(stored(settings_of(cloth)).keys())
    drop_misfits(cloth)
    settings = settings_of(cloth)
    (line,) = settings.interactions
    assert set(stored(settings).keys()) == names >= {"interactions", "take_count", "simulation", "model"}
    assert (settings.take_count, settings.simulation.kind) == (3, "SOLID")
    assert settings.model == bpy.data.texts["Model"] and line.object == bpy.data.objects["Ball"]
    assert line.box_low[:] == (-1.0, -1.0, -1.0) and line.bones[0].name == "bone"
