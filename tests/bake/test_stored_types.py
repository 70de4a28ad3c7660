"""Settings that a file has stored as something else than they are declared, as only a changed file can."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from scenes import add_ball, add_cloth, empty_scene, react_to, settings_of, stored

from neural_physics.blender.settings.from_files.stored_types import drop_misfits

INTEGER, FLOAT, GROUP, DOUBLE, LINES = 1, 2, 6, 8, 9
BEFORE_NAME = 4  # bytes from an ID property's type to its name
AFTER_NAME = 108 if bpy.app.version >= (5,) else 100  # and from there to how many it holds


def made() -> bpy.types.Object:
    empty_scene()
    cloth = add_cloth("Cloth")
    line = react_to(cloth, add_ball(), box_low=(-2.0, -1.0, -1.0), box_high=(2.0, 1.0, 1.0))
    line.bones.add().name = "bone"
    settings_of(cloth).take_count = 3
    settings_of(cloth).simulation.kind = "SOLID"
    settings_of(cloth).model = bpy.data.texts.new("Model")
    return cloth


@pytest.mark.parametrize(
    "name, was, to",
    [
        ("box_high_x", FLOAT, DOUBLE),
        ("box_low_x", FLOAT, INTEGER),
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
    assert line.box_low[:] == (-2.0, -1.0, -1.0) and line.bones[0].name == "bone"


@pytest.mark.parametrize("name", ["neural_physics", "simulation"])
@pytest.mark.parametrize("said", [0, 1, 200])
def test_a_group_that_says_another_number_of_settings_than_it_holds_is_left_out(name, said, tmp_path):
    """Blender 5.2 waits for ever as it adds one to a group that says fewer."""
    cloth = made()
    settings = settings_of(cloth)
    held = len(set(stored(settings if name == "neural_physics" else settings.simulation).keys()))
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    data = bytearray(path.read_bytes())
    places = [found.start() for found in re.finditer(name.encode() + b"\0", data)]
    groups = [place for place in places if data[place - BEFORE_NAME] == GROUP]
    changed = [place + AFTER_NAME for place in groups if data[place + AFTER_NAME] == held]
    assert changed
    for place in changed:
        data[place] = said
    path.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    settings = settings_of(bpy.data.objects["Cloth"])
    assert settings.take_count == settings.bl_rna.properties["take_count"].default
    settings.take_count, settings.simulation.kind = 5, "SHELL"
    assert settings.take_count == 5


def test_no_setting_is_stored_as_a_row_of_numbers():
    """Blender takes the number that a changed library has there for the row's place, before we can look."""
    cloth = made()
    settings = settings_of(cloth)
    owners = [settings, settings.capsules.add(), settings.interactions[0], settings.simulation]
    rows = [(owner, prop) for owner in owners for prop in owner.bl_rna.properties if _is_row(prop)]
    assert len(rows) == 5
    for owner, prop in rows:
        value = [True, False] if prop.type == "BOOLEAN" else [1.0, 2.0, 4.0]
        setattr(owner, prop.identifier, value)
        assert list(getattr(owner, prop.identifier)) == value
        assert prop.identifier not in stored(owner)
    owners = [settings.simulation, settings.projection, settings.handles.add(), settings.layers_below.add()]
    assert not [prop for owner in owners for prop in owner.bl_rna.properties if _is_row(prop)]


def _is_row(prop):
    return getattr(prop, "is_array", False)


@pytest.mark.parametrize("how", ["opened", "linked"])
def test_the_vectors_of_files_of_earlier_versions_are_read(how, tmp_path):
    cloth = made()
    settings = settings_of(cloth)
    settings.capsules.add()
    for owner, name, row in (
        (settings.interactions[0], "box_low", [-1.5, -2.5, -3.5]),
        (settings.capsules[0], "end", [0.5, 0.25, 2.0]),
        (settings, "resting_collision", [True, False]),
    ):
        for each in {key for key in set(stored(owner).keys()) if key.startswith(name)}:
            del stored(owner)[each]
        stored(owner)[name] = row
    path = tmp_path / "earlier.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    if how == "linked":
        empty_scene()
        bpy.ops.wm.link(directory=str(path / "Object"), filename="Cloth")
    else:
        bpy.ops.wm.open_mainfile(filepath=str(path))
    for _ in range(2):  # read, and then as they are stored now
        settings = settings_of(bpy.data.objects["Cloth"])
        assert settings.interactions[0].box_low[:] == (-1.5, -2.5, -3.5)
        assert settings.interactions[0].box_high[:] == (2.0, 1.0, 1.0)
        assert settings.capsules[0].end[:] == (0.5, 0.25, 2.0)
        assert settings.resting_collision[:] == (True, False)
        assert "box_low" not in stored(settings.interactions[0])
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "now.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "now.blend"))


def test_a_shot_opens_that_overrides_what_a_library_stores_as_another_type(tmp_path):
    """Blender compares all settings of an override with the library's while it opens the shot."""
    made()
    library, shot = tmp_path / "library.blend", tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), compress=False)
    empty_scene()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Cloth"]
    own = wanted.objects[0].override_create()
    own.location = (1.0, 2.0, 3.0)
    bpy.context.collection.objects.link(own)
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    data = bytearray(library.read_bytes())
    for name, was in ((b"box_high_x\0", FLOAT), (b"take_count\0", INTEGER)):
        places = [found.start() for found in re.finditer(name, data)]
        changed = [place for place in places if data[place - BEFORE_NAME] == was]
        assert changed
        for place in changed:
            data[place - BEFORE_NAME] = DOUBLE
    library.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    (own,) = (obj for obj in bpy.data.objects if obj.override_library is not None)
    assert own.location[:] == (1.0, 2.0, 3.0)
    assert len(settings_of(own).interactions[0].box_high) == 3


def test_what_a_script_links_with_a_collection_is_looked_at(tmp_path):
    """Blender reports the collection alone."""
    cloth = made()
    del stored(settings_of(cloth))["take_count"]
    stored(settings_of(cloth))["take_count"] = "three"
    collection = bpy.data.collections.new("Both")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(cloth)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    empty_scene()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["Both"]
    (linked,) = (obj for obj in wanted.collections[0].objects if obj.name == "Cloth")
    assert "take_count" not in stored(settings_of(linked))


@pytest.mark.skipif(bpy.app.version >= (5,), reason="Blender drops duplicates itself")
def test_many_settings_of_one_name_are_not_gone_through_one_by_one(tmp_path):
    """All settings go at once: Blender looks for each of a name from the front."""
    cloth = made()
    raw, count = stored(settings_of(cloth)), 1000
    for number in range(count):
        raw[f"f{number:07d}"] = 1
    for number in range(count):
        raw[f"d{number:07d}"] = "x"
    path = tmp_path / "many.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    path.write_bytes(re.sub(rb"d\d{7}\0", b"playing\0\0", path.read_bytes()))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert not {"take_count", "interactions", "playing"} & set(
        bpy.data.objects["Cloth"]["neural_physics"].keys()
    )


@pytest.mark.skipif(bpy.app.version >= (5,), reason="Blender drops duplicates itself")
def test_settings_that_a_file_has_many_times_over_are_left_out(tmp_path):
    cloth = made()
    del cloth["neural_physics"]
    for number in range(50):
        cloth[f"neural_{number:07d}"] = 1
    settings_of(cloth).take_count = 3
    path = tmp_path / "many.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    path.write_bytes(re.sub(rb"neural_\d{7}\0", b"neural_physics\0", path.read_bytes()))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    cloth = bpy.data.objects["Cloth"]
    assert settings_of(cloth).take_count == settings_of(cloth).bl_rna.properties["take_count"].default
    settings_of(cloth).take_count = 5
    assert settings_of(cloth).take_count == 5
