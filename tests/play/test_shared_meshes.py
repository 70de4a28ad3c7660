"""Objects whose mesh cannot hold what they show: it is shared, linked from another file, or overridden."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.playing import playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.mesh_cache import bake_playback
from neural_physics.blender.playing.output import geometry_nodes, position_places
from neural_physics.blender.scene.sources import mesh_data
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.point_caches import read_pc2
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

FRAMES = range(1, 30)


@pytest.fixture
def alone():
    """What two sheets show that react to hands of their own, each with its own mesh: {frame: (V, 3)} each."""
    play_scenes.open_scene()
    sheets = [play_scenes.add_sheet(play_scenes.add_hand(name, seed), name) for seed, name in enumerate("AB")]
    for sheet in sheets:
        playback.attach(sheet)
    return shapes(sheets)


def shapes(objects):
    found = [{} for _ in objects]
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        for each, obj in zip(found, objects, strict=True):
            each[frame] = play_scenes.shown(obj)
    return found


def same(one, other):
    return all(np.array_equal(one[frame], other[frame]) for frame in FRAMES)


def two_of_one_mesh():
    play_scenes.open_scene()
    hands = [play_scenes.add_hand(name, seed) for seed, name in enumerate("AB")]
    first = play_scenes.add_sheet(hands[0], "First")
    second = first.copy()
    second.name = "Second"
    bpy.context.scene.collection.objects.link(second)
    settings_of(second).interactions[0].object = hands[1]
    return first, second


def test_two_objects_of_one_mesh_play_motion_of_their_own(alone):
    sheets = two_of_one_mesh()
    for sheet in sheets:
        playback.attach(sheet)
    assert sheets[0].data == sheets[1].data
    assert not same(alone[0], alone[1])
    for shown, expected in zip(shapes(sheets), alone, strict=True):
        assert same(shown, expected)
    assert geometry_nodes.ATTRIBUTE not in sheets[0].data.attributes
    before = len(bpy.data.objects)
    playback.detach(sheets[0])
    assert len(bpy.data.objects) == before - 1
    bpy.context.scene.frame_set(20)
    assert np.array_equal(play_scenes.shown(sheets[1]), alone[1][20])
    playback.detach(sheets[1])
    assert len(bpy.data.objects) == 4 and len(bpy.data.meshes) == 1 and not bpy.data.node_groups


def test_a_duplicate_of_what_plays_plays_motion_of_its_own(alone):
    play_scenes.open_scene()
    hands = [play_scenes.add_hand(name, seed) for seed, name in enumerate("AB")]
    first = play_scenes.add_sheet(hands[0], "First")
    playback.attach(first)
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    settings_of(second).interactions[0].object = hands[1]
    bpy.context.view_layer.update()
    third = second.copy()
    bpy.context.scene.collection.objects.link(third)
    settings_of(third).interactions[0].object = hands[0]
    bpy.context.view_layer.update()
    for shown, expected in zip(shapes((first, second, third)), (*alone, alone[0]), strict=True):
        assert same(shown, expected)


def test_what_two_of_one_mesh_show_survives_saving(alone, tmp_path):
    for sheet in two_of_one_mesh():
        playback.attach(sheet)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "two.blend"))
    for shown, expected in zip(
        shapes([bpy.data.objects[n] for n in ("First", "Second")]), alone, strict=True
    ):
        assert same(shown, expected)


def test_playback_of_one_of_two_is_baked(alone, tmp_path):
    sheets = two_of_one_mesh()
    for sheet in sheets:
        playback.attach(sheet)
    bake_playback(bpy.context.scene, sheets[1], tmp_path / "second.pc2", 1, last=29)
    baked = read_pc2(tmp_path / "second.pc2")
    assert all(np.array_equal(baked[frame - 1], alone[1][frame]) for frame in FRAMES)


def asset(folder: Path, *, plays: bool) -> Path:
    """A file with a collection of a sheet and its hand."""
    play_scenes.open_scene()
    hand = play_scenes.add_hand("Hand", 0)
    sheet = play_scenes.add_sheet(hand, "Sheet")
    sheet.modifiers.new("Subdivision", "SUBSURF").levels = 1
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    for obj in (hand, sheet):
        bpy.context.scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
    if plays:
        playback.attach(sheet)
        bpy.context.scene.frame_set(7)
    path = folder / "asset.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def overridden(path: Path, name: str = "Sheet"):
    """The sheet of one more library override of the asset's collection, in the scene that is open."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["Character"]
    before = set(bpy.data.objects)
    wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    return next(obj for obj in set(bpy.data.objects) - before if obj.override_library and obj.type == "MESH")


@pytest.mark.parametrize("plays", [False, True])
def test_an_overridden_character_plays_as_at_home_and_does_so_when_the_shot_is_opened(tmp_path, plays):
    path = asset(tmp_path, plays=False)
    sheet = bpy.data.objects["Sheet"]
    playback.attach(sheet)
    (at_home,) = shapes([sheet])
    path = asset(tmp_path, plays=plays)
    play_scenes.open_scene()
    sheet = overridden(path)
    assert mesh_data(sheet).library is not None
    playback.attach(sheet)
    (shown,) = shapes([sheet])
    assert same(shown, at_home)
    names = [modifier.name for modifier in sheet.modifiers]
    assert names.index("Neural Physics") < names.index("Subdivision")
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    sheet = next(obj for obj in bpy.data.objects if obj.override_library and obj.type == "MESH")
    assert settings_of(sheet).playing and playback.status_of(sheet).problem is None
    (shown,) = shapes([sheet])
    assert same(shown, at_home)
    playback.detach(sheet)
    bpy.context.scene.frame_set(20)
    assert not np.array_equal(play_scenes.shown(sheet), at_home[20])
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    sheet = next(obj for obj in bpy.data.objects if obj.override_library and obj.type == "MESH")
    assert not settings_of(sheet).playing and sheet.modifiers["Cloth"].show_viewport


def test_two_of_one_overridden_character_play_motion_of_their_own(tmp_path):
    path = asset(tmp_path, plays=True)
    play_scenes.open_scene()
    first, second = overridden(path), overridden(path)
    other = play_scenes.add_hand("Other", 1)
    settings_of(second).interactions[0].object = other
    for sheet in (first, second):
        playback.attach(sheet)
    one, two = shapes([first, second])
    assert not same(one, two)
    playback.detach(second)
    (again,) = shapes([first])
    assert same(one, again)


def test_undo_and_redo_leave_each_its_own_motion(alone):
    first, second = two_of_one_mesh()
    for sheet in (first, second):
        playback.attach(sheet)
    bpy.ops.ed.undo_push(message="both play")
    playback.detach(second)
    bpy.ops.ed.undo_push(message="one plays")
    bpy.ops.ed.undo()
    first, second = bpy.data.objects["First"], bpy.data.objects["Second"]
    assert settings_of(second).playing
    for shown, expected in zip(shapes([first, second]), alone, strict=True):
        assert same(shown, expected)
    bpy.ops.ed.redo()
    first = bpy.data.objects["First"]
    (shown,) = shapes([first])
    assert same(shown, alone[0]) and not settings_of(bpy.data.objects["Second"]).playing


def strangers(first, second):
    """What a file may name as a place: no mesh, another one's place, and one with the object's own mesh."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    twin = bpy.data.objects.new("Twin", first.data)
    return camera, position_places.place_of(second), twin


def test_a_place_that_is_no_mesh_or_another_objects_is_not_written_and_survives(alone):
    first, second = two_of_one_mesh()
    for sheet in (first, second):
        playback.attach(sheet)
    for place in strangers(first, second):
        geometry_nodes.set_place(geometry_nodes.find_modifier(first), place)
        PLAYED.clear()
        PLAYED.rebuild()
        for shown, expected in zip(shapes([first, second]), alone, strict=True):
            assert same(shown, expected)
        assert geometry_nodes.ATTRIBUTE not in first.data.attributes
        playback.detach(first)
        assert bpy.data.objects["First"].data == bpy.data.objects["Second"].data == first.data
        playback.attach(first)


def test_a_strangers_node_group_with_a_panel_of_that_name_breaks_nothing(alone):
    first, second = two_of_one_mesh()
    for sheet in (first, second):
        playback.attach(sheet)
    group = bpy.data.node_groups.new("Neural Physics Play from Object 1 of mine", "GeometryNodeTree")
    group.interface.new_panel("Positions")
    group.interface.new_socket("Positions", in_out="OUTPUT", socket_type="NodeSocketObject")
    geometry_nodes.find_modifier(first).node_group = group
    PLAYED.clear()
    PLAYED.rebuild()
    shown = shapes([second])
    assert same(shown[0], alone[1])
    playback.detach(first)
    playback.attach(first)
    (shown,) = shapes([first])
    assert same(shown, alone[0])


def test_strangers_node_groups_called_like_those_for_places_are_not_used(alone):
    sheets = two_of_one_mesh()
    names = [geometry_nodes.PLACED_GROUP + end for end in ("", geometry_nodes.HIDDEN)]
    theirs = [geometry_nodes.new_group(name) for name in names]
    for sheet in sheets:
        playback.attach(sheet)
    for shown, expected in zip(shapes(sheets), alone, strict=True):
        assert same(shown, expected)
    place = position_places.place_of(sheets[0])
    for visible, name in ((False, names[1]), (True, names[0])):
        for sheet in sheets:
            geometry_nodes.show_in_viewports(sheet, visible)
            assert geometry_nodes.find_modifier(sheet).node_group.name == f"{name}.001"
        assert position_places.place_of(sheets[0]) == place
        geometry_nodes.set_place(geometry_nodes.find_modifier(sheets[0]), place)
        assert geometry_nodes.find_modifier(sheets[0]).node_group.name == f"{name}.001"
    for sheet in sheets:
        playback.detach(sheet)
    assert all(group in bpy.data.node_groups.values() for group in theirs)


def test_what_was_written_into_the_mesh_before_it_was_shared_is_taken_away(alone):
    play_scenes.open_scene()
    hands = [play_scenes.add_hand(name, seed) for seed, name in enumerate("AB")]
    first = play_scenes.add_sheet(hands[0], "First")
    playback.attach(first)
    assert geometry_nodes.ATTRIBUTE in first.data.attributes
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    bpy.context.view_layer.update()
    assert geometry_nodes.ATTRIBUTE not in first.data.attributes
    for sheet in (first, second):
        playback.detach(sheet)
    assert len(bpy.data.meshes) == 1


def test_a_character_whose_file_is_missing_says_which_one_and_plays_when_it_is_back(tmp_path):
    path = asset(tmp_path, plays=True)
    play_scenes.open_scene()
    sheet = overridden(path)
    playback.attach(sheet)
    (expected,) = shapes([sheet])
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    path.rename(tmp_path / "elsewhere.blend")
    bpy.ops.wm.open_mainfile(filepath=shot)
    sheet = next(obj for obj in bpy.data.objects if obj.override_library and obj.type == "MESH")
    bpy.context.scene.frame_set(5)
    problem = playback.status_of(sheet).problem
    assert problem.code == "object_lost" and "asset.blend" in problem.message
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    (tmp_path / "elsewhere.blend").rename(path)
    bpy.ops.wm.open_mainfile(filepath=shot)
    sheet = next(obj for obj in bpy.data.objects if obj.override_library and obj.type == "MESH")
    (shown,) = shapes([sheet])
    assert same(shown, expected)


def subdivided(mesh):
    import bmesh

    shape = bmesh.new()
    shape.from_mesh(mesh)
    bmesh.ops.subdivide_edges(shape, edges=shape.edges[:1], cuts=1)
    shape.to_mesh(mesh)
    shape.free()


def test_one_of_two_whose_mesh_gets_another_topology_says_so_and_the_other_plays_on(alone):
    sheets = two_of_one_mesh()
    for sheet in sheets:
        playback.attach(sheet)
    bpy.context.scene.frame_set(9)
    sheets[1].data = sheets[1].data.copy()
    subdivided(sheets[1].data)
    standing = play_scenes.shown(sheets[1])
    (first,) = shapes(sheets[:1])
    assert same(first, alone[0])
    problem = playback.status_of(sheets[1]).problem
    assert problem.code == "model_other_object" and "Second" in problem.message
    assert np.array_equal(play_scenes.shown(sheets[1]), standing), "it stands still until that is mended"
    sheets[1].data = sheets[0].data
    playback.attach(sheets[1])
    for shown, expected in zip(shapes(sheets), alone, strict=True):
        assert same(shown, expected)


def test_overrides_of_which_one_has_another_topology_say_which(tmp_path):
    path = asset(tmp_path, plays=True)
    (tmp_path / "other").mkdir()
    other = asset(tmp_path / "other", plays=True)
    subdivided(bpy.data.objects["Sheet"].data)
    bpy.ops.wm.save_as_mainfile(filepath=str(other))
    play_scenes.open_scene()
    same_mesh, another = overridden(path), overridden(other)
    another.name = "Variant"
    playback.attach(same_mesh)
    with pytest.raises(Problem) as refused:
        playback.attach(another)
    assert refused.value.code == "model_other_object" and "Variant" in refused.value.message
    bpy.context.scene.frame_set(9)
    assert playback.status_of(same_mesh).problem is None
    # The character's file gets another topology while the shot is closed.
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    other.replace(path)
    bpy.ops.wm.open_mainfile(filepath=shot)
    bpy.context.scene.frame_set(5)
    sheet = bpy.data.objects["Sheet"]
    problem = playback.status_of(sheet).problem
    assert problem.code == "model_other_object" and "Sheet" in problem.message


def test_a_place_that_does_anything_by_itself_was_not_made_here():
    """A file may name any object, which would be evaluated with what shows it."""
    first, _ = two_of_one_mesh()
    playback.attach(first)
    place = position_places.place_of(first)
    assert place is not None
    position_places.give_place(first)
    assert position_places.place_of(first) == place
    place.modifiers.new("Particles", "PARTICLE_SYSTEM")
    position_places.give_place(first)
    assert (
        position_places.place_of(first) not in (None, place) and not position_places.place_of(first).modifiers
    )
