"""Settings that a file holds beyond what can be set: they are brought within their limits."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("bpy")
from scenes import add_ball, add_cloth, bpy, empty_scene, react_to, settings_of, stored

from neural_physics.blender.baking.preparing import check_bake
from neural_physics.blender.scene.setting_up import set_up
from neural_physics.blender.settings.from_files import limits
from neural_physics.blender.settings.from_files.limits import MOST_LINES
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

BILLIONS = 2**31 - 1
# Of the object, of what it reacts to, and of its simulation: what a file says, and what it is then.
BEYOND = {
    "take_count": (BILLIONS, 1000),
    "take_frames": (-5, 3),
    "parallel_takes": (BILLIONS, 256),
    "pose_count": (BILLIONS, 100_000),
    "bases_shown": (-7, 0),
    "start_frame": (-BILLIONS, -1_048_574),
    "ground_height": (math.nan, 0.0),
    "pose_range": (1e30, 3.1416),
    "basis_count": (BILLIONS, None),
    "seed": (-1, 0),
}
BEYOND_OF_MOVERS = {
    "shortest": (0.0, 0.02),
    "fastest": (-1e30, 0.01),
    "variation": (math.inf, 0.0),
    "box_high": ([math.nan, 1.0, 1.0], [1.0, 1.0, 1.0]),
}
BEYOND_OF_SIMULATION = {
    "tetrahedra": (BILLIONS, 1_000_000),
    "steps": (BILLIONS, 100),
    "poisson": (9.0, 0.499),
}


def strangers_file(path):
    """A scene as no Blender would let anybody set it."""
    empty_scene()
    cloth = add_cloth()
    react_to(cloth, add_ball())
    for settings, beyond in parts_of(cloth):
        for name, (value, _) in beyond.items():
            stored(settings)[name] = value
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return cloth.name


def parts_of(cloth):
    settings = settings_of(cloth)
    return (
        (settings, BEYOND),
        (settings.interactions[0], BEYOND_OF_MOVERS),
        (settings.simulation, BEYOND_OF_SIMULATION),
    )


@pytest.mark.parametrize("how", ["opened", "appended", "linked"])
def test_what_a_file_sets_beyond_the_limits_is_brought_within_them(tmp_path, how):
    name = strangers_file(tmp_path / "stranger.blend")
    if how == "opened":
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "stranger.blend"))
    else:
        empty_scene()
        bring = bpy.ops.wm.append if how == "appended" else bpy.ops.wm.link
        bring(directory=str(tmp_path / "stranger.blend" / "Object"), filename=name)
    for settings, beyond in parts_of(bpy.data.objects[name]):
        for setting, (value, within) in beyond.items():
            found = getattr(settings, setting)
            if within is None:
                assert found == settings.bl_rna.properties[setting].hard_max < value, setting
            else:
                assert (
                    list(found) == within if isinstance(within, list) else found == pytest.approx(within)
                ), setting


def test_an_object_that_was_not_set_up_in_the_file_is_looked_at_when_it_is(tmp_path):
    name = strangers_file(tmp_path / "stranger.blend")
    settings_of(bpy.data.objects[name]).enabled = False
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "stranger.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "stranger.blend"))
    cloth = bpy.data.objects[name]
    set_up(cloth, bpy.context.scene)
    settings = settings_of(cloth)
    assert settings.enabled
    for setting in ("take_count", "parallel_takes", "take_frames"):
        assert getattr(settings, setting) <= settings.bl_rna.properties[setting].hard_max


def test_what_is_within_the_limits_stays_as_it_is(tmp_path):
    empty_scene()
    cloth = add_cloth()
    react_to(cloth, add_ball(), box_low=(-3.0, -2.0, -1.0))
    settings, name = settings_of(cloth), cloth.name
    settings.take_count, settings.stretch, settings.start_frame = 1000, 12.5, -3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mine.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "mine.blend"))
    settings = settings_of(bpy.data.objects[name])
    assert (settings.take_count, settings.stretch, settings.start_frame) == (1000, 12.5, -3)
    assert tuple(settings.interactions[0].box_low) == (-3.0, -2.0, -1.0)


# What the settings name, by data of another type; and lists without end.
POINTERS = (
    lambda settings: (settings, "frame_object"),
    lambda settings: (settings, "model"),
    lambda settings: (settings, "resting_action"),
    lambda settings: (settings.interactions[0], "object"),
    lambda settings: (settings.layers_below[0], "object"),
    lambda settings: (settings.capsules[0], "source"),
    lambda settings: (settings.handles[0], "object"),
)
LISTS = ("interactions", "capsules", "handles", "layers_below")


def saved_and_opened(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.mark.parametrize("data", ["meshes", "scenes", "collections"])
def test_what_names_data_of_another_type_names_none(data, tmp_path):
    empty_scene()
    cloth = add_cloth()
    react_to(cloth, add_ball(), motion="KEEP")
    for name in LISTS[1:]:
        getattr(settings_of(cloth), name).add()
    bpy.data.collections.new("Some").use_fake_user = True
    for find in POINTERS:
        settings, name = find(settings_of(cloth))
        stored(settings)[name] = getattr(bpy.data, data)[0]
    saved_and_opened(tmp_path / "strange.blend")
    settings = settings_of(bpy.data.objects["Sheet"])
    for find in POINTERS:
        part, name = find(settings)
        assert getattr(part, name) is None, name
    with pytest.raises(Problem) as caught:
        check_bake(bpy.context.scene, bpy.data.objects["Sheet"])
    assert caught.value.code == "interaction_unset"


def test_a_choice_that_is_none_becomes_the_first_one(tmp_path):
    empty_scene()
    cloth = add_cloth()
    react_to(cloth, add_ball())
    stored(settings_of(cloth).simulation)["kind"] = 999
    stored(settings_of(cloth))["method"] = -5
    saved_and_opened(tmp_path / "strange.blend")
    settings = settings_of(bpy.data.objects["Sheet"])
    assert settings.simulation.kind == "BLENDER"
    assert settings.method == settings.bl_rna.properties["method"].default


@pytest.mark.parametrize("how", ["opened", "linked", "overridden"])
def test_lists_of_more_lines_than_anybody_makes_are_not_gone_through(how, tmp_path):
    empty_scene()
    cloth = add_cloth()
    react_to(cloth, add_ball())
    for name in LISTS:
        for _ in range(MOST_LINES + 1):
            getattr(settings_of(cloth), name).add()
    if how == "opened":
        saved_and_opened(tmp_path / "strange.blend")
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
        empty_scene()
        limits.unregister()
        try:  # an override has its own, as Blender makes it when a file is opened
            bpy.ops.wm.link(directory=str(tmp_path / "strange.blend" / "Object"), filename="Sheet")
            found = bpy.data.objects["Sheet"]
            cloth = found.override_create() if how == "overridden" else found
        finally:
            limits.register()
    settings = settings_of(cloth if how == "overridden" else bpy.data.objects["Sheet"])
    assert [len(getattr(settings, name)) for name in LISTS] == [0] * len(LISTS)


def test_many_short_lists_of_a_file_are_not_gone_through_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_IN_ALL", 100)
    empty_scene()
    cloths = [add_cloth(name) for name in ("A", "B", "C")]
    for cloth in cloths:
        settings_of(cloth).enabled = True
        for _ in range(60):
            settings_of(cloth).interactions.add()
    saved_and_opened(tmp_path / "strange.blend")
    assert [len(settings_of(bpy.data.objects[name]).interactions) for name in "ABC"] == [60, 0, 0]


def test_objects_that_are_not_set_up_name_no_data_of_another_type_either(tmp_path):
    empty_scene()
    cloth, ball = add_cloth(), add_ball()
    settings_of(ball).layers_below.add()
    settings_of(ball).resting_strips = True
    stored(settings_of(ball))["resting_action"] = cloth.data
    stored(settings_of(ball).layers_below[0])["object"] = cloth.data
    assert not settings_of(ball).enabled
    saved_and_opened(tmp_path / "strange.blend")
    settings = settings_of(bpy.data.objects["Ball"])
    assert settings.resting_action is None and settings.layers_below[0].object is None


def test_what_is_not_set_up_takes_no_lines_from_what_is(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_IN_ALL", 100)
    empty_scene()
    for name in ("A", "B"):
        settings = settings_of(add_cloth(name))
        settings.enabled = name == "B"
        for _ in range(60):
            settings.interactions.add()
    saved_and_opened(tmp_path / "strange.blend")
    assert [len(settings_of(bpy.data.objects[name]).interactions) for name in "AB"] == [0, 60]


@pytest.mark.parametrize("link", [False, True], ids=["appended", "linked"])
def test_what_comes_from_another_file_takes_no_lines_from_what_is_there(tmp_path, monkeypatch, link):
    monkeypatch.setattr(limits, "MOST_IN_ALL", 100)
    for name, count in (("AA", 90), ("Mine", 60)):
        empty_scene()
        settings = settings_of(add_cloth(name))
        settings.enabled = True
        for _ in range(count):
            settings.interactions.add()
        if name == "AA":
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "stranger.blend"))
    with bpy.data.libraries.load(str(tmp_path / "stranger.blend"), link=link) as (_, here):
        here.objects = ["AA"]
    counts = [len(settings_of(bpy.data.objects[name]).interactions) for name in ("AA", "Mine")]
    assert counts == [90, 60]
