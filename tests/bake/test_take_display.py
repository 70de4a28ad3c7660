"""A take beside its object shows what is on disk."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

import bpy
from bakes import BOX, command_for, run
from changed_blend import open_without_frame_rate
from scenes import add_ball, add_cloth, empty_scene, react_to

from neural_physics.blender.display import takes
from neural_physics.blender.scene.interaction_names import MOST_INTERACTIONS
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings.paths import dataset_folder
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout

FRAMES = 8


@pytest.fixture
def sheet(tmp_path):
    empty_scene()
    sheet = add_cloth(points=5)
    sheet.location = (0.0, 0.0, 1.0)
    sheet.rotation_euler = (0.4, 0.0, 0.0)
    react_to(sheet, add_ball(), **BOX)
    assert run(command_for(sheet, tmp_path / "d", 2, FRAMES))["event"] == "result"
    bpy.context.view_layer.update()
    return sheet


def dataset(sheet) -> Dataset:
    return Dataset.open(dataset_folder(sheet))


def seen(name: str) -> np.ndarray:
    """Vertices as Blender evaluates them, in the object's axes."""
    obj = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([vertex.co[:] for vertex in obj.data.vertices])


@pytest.mark.parametrize("scene_fps", [24, 48])
def test_the_copy_and_what_it_reacts_to_move_as_they_did(sheet, scene_fps):
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start = scene_fps, 11
    assert takes.show_take(scene, sheet) == "take_000"
    take = dataset(sheet).take("take_000")
    copies = {obj.name: obj for obj in bpy.data.collections["Take of Sheet"].objects}
    ball = next(obj for name, obj in copies.items() if name.startswith("Ball"))
    assert not ball.modifiers, "the copy of the ball collides with nothing"
    for index in (0, 3, FRAMES - 1):
        scene.frame_set(11 + index * scene_fps // 24)
        np.testing.assert_allclose(seen("Sheet take_000"), take.positions[index], atol=1e-6)
        from_copy = copies["Sheet take_000"].matrix_world.inverted() @ ball.matrix_world.translation
        np.testing.assert_allclose(from_copy, take.interaction[index], atol=1e-5)
    assert np.abs(bpy.data.objects["Sheet"].matrix_world.translation - sheet.location).max() == 0.0


def test_one_take_comes_after_the_other_and_all_is_taken_away_again(sheet):
    scene, before = (
        bpy.context.scene,
        {*bpy.data.objects.keys(), *bpy.data.meshes.keys(), *bpy.data.actions.keys()},
    )
    assert [takes.show_take(scene, sheet) for _ in range(3)] == ["take_000", "take_001", "take_000"]
    assert takes.shown_take(sheet) == "take_000"
    assert takes.show_take(scene, sheet, "take_001") == "take_001"
    with pytest.raises(Problem) as raised:
        takes.show_take(scene, sheet, "take_007")
    assert raised.value.code == "take_unknown" and takes.shown_take(sheet) == "take_001"
    takes.hide_take(sheet)
    assert takes.shown_take(sheet) == ""
    assert "Take of Sheet" not in bpy.data.collections
    after = {*bpy.data.objects.keys(), *bpy.data.meshes.keys(), *bpy.data.actions.keys()}
    assert after == before


@pytest.mark.parametrize("name", ["Long " * 12, "é" * 31])
def test_copies_of_what_has_as_long_a_name_as_can_be_are_taken_away_too(sheet, name):
    scene, sheet.name = bpy.context.scene, name
    for _ in range(2):
        takes.show_take(scene, sheet)
        assert takes.shown_take(sheet)
    takes.hide_take(sheet)
    assert not takes.shown_take(sheet) and len(bpy.data.objects) == 2 and not bpy.data.collections


def test_without_takes_or_with_another_mesh_one_sentence_says_so(sheet, tmp_path):
    sheet.data.vertices.add(1)
    with pytest.raises(Problem) as raised:
        takes.show_take(bpy.context.scene, sheet)
    assert raised.value.code == "dataset_other_object"
    sheet.neural_physics.dataset_folder = str(tmp_path / "nothing")
    with pytest.raises(Problem) as raised:
        takes.check_takes(sheet)
    assert raised.value.code == "not_baked"


def test_a_take_of_frames_without_end_that_are_holes_is_not_keyed(sheet):
    """A million frames in 400 KB are a second and 300 MB for each object; a billion, all memory."""
    folder, frames = dataset_folder(sheet) / "takes" / "take_000", 1_000_000_000
    os.truncate(folder / "interaction.npy", 128 + frames * 12)
    os.truncate(folder / "positions.pc2", 32 + frames * 25 * 12)
    before = bpy.data.objects.keys(), bpy.data.collections.keys(), bpy.data.actions.keys()
    with pytest.raises(Problem, match="has 1,000,000,000 frames, but at most 1,000,000 can") as raised:
        takes.show_take(bpy.context.scene, sheet, "take_000")
    assert raised.value.code == "take_too_long_to_show"
    assert (bpy.data.objects.keys(), bpy.data.collections.keys(), bpy.data.actions.keys()) == before
    assert takes.show_take(bpy.context.scene, sheet, "take_001") == "take_001"


def test_what_a_take_of_thousands_of_channels_names_is_not_copied_thousands_of_times(tmp_path):
    empty_scene()
    sheet, count = add_cloth(points=5), MOST_INTERACTIONS + 30
    add_ball()
    mesh, places = mesh_of(sheet), np.zeros(3 * count, np.float32)
    layout = ChannelLayout(tuple(Channel(f"a{number}", "position", 3, "Ball") for number in range(count)))
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, layout)
    with Dataset.create(tmp_path / "d", info, mesh).writer("take_000", TakeInfo(frames=5)) as writer:
        for _ in range(5):
            writer.append(mesh.rest_positions, places)
    assert takes.show_take(bpy.context.scene, sheet, folder=tmp_path / "d") == "take_000"
    assert len(bpy.data.collections["Take of Sheet"].objects) == 1 + MOST_INTERACTIONS


def test_in_a_scene_without_a_frame_rate_nothing_is_shown(sheet, tmp_path):
    scene = open_without_frame_rate(tmp_path / "scene.blend")
    sheet = bpy.data.objects["Sheet"]
    with pytest.raises(Problem) as caught:
        takes.show_take(scene, sheet, folder=tmp_path / "d")
    assert caught.value.code == "frame_rate_missing" and not takes.shown_take(sheet)


@pytest.mark.parametrize("hidden", ["in no scene", "in a collection that is excluded"])
def test_a_collection_of_the_name_that_is_hidden_stays_so(sheet, hidden):
    """What is in it may be simulated, where it is shown."""
    scene = bpy.context.scene
    theirs = bpy.data.collections.new("Take of Sheet")
    theirs.objects.link(bpy.data.objects.new("Theirs", None))
    theirs.use_fake_user = True
    if hidden != "in no scene":
        above = bpy.data.collections.new("Above")
        above.children.link(theirs)
        scene.collection.children.link(above)
        bpy.context.view_layer.layer_collection.children["Above"].exclude = True
    takes.show_take(scene, sheet)
    shown = bpy.data.collections["Take of Sheet"]
    assert shown != theirs and "Theirs" not in bpy.context.view_layer.objects
    assert shown in scene.collection.children.values() and "Sheet take_000" in shown.objects
    takes.hide_take(sheet)
    assert not bpy.data.collections.get("Take of Sheet") and theirs.objects
