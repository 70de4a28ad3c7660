"""A packed model goes where its object goes, and a file with it opens cleanly everywhere."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time

import bpy
import numpy as np
import play_models
import play_scenes
import pytest
import synthetic

from neural_physics.blender.playing import handlers, packing, playback
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.errors import Problem
from neural_physics.files.held_folders import HeldFolder

pytestmark = pytest.mark.blender

FRAME = 25
# Opens a file as somebody without the extension does; prints what is shown at two frames.
STRANGER = """
import os, sys
import bpy
import numpy as np

bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "neural_physics")
scene = bpy.context.scene
for frame in (scene.frame_current, 90):
    scene.frame_set(frame)
    mesh = bpy.data.objects["Sheet"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    np.save(f"{sys.argv[2]}_{frame}.npy", positions)
if len(sys.argv) > 3:
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[3])
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture
def sheet():
    scene = play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    scene.frame_set(FRAME)
    return sheet


@pytest.fixture
def saved(sheet, tmp_path):
    """A .blend that plays, saved at FRAME; and the pose it was saved in."""
    path = tmp_path / "packed.blend"
    pose = play_scenes.shown(sheet)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path, pose


def model_bytes():
    return play_models.model_file(synthetic.sheet_mesh())


def test_unpacking_gives_the_bytes_that_were_packed(sheet, tmp_path):
    packing.unpack(sheet, tmp_path / "new" / "model.safetensors")
    assert (tmp_path / "new" / "model.safetensors").read_bytes() == model_bytes()


def test_packing_a_file_that_is_no_model_changes_nothing(sheet, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"not a model")
    with pytest.raises(Problem) as caught:
        packing.pack(sheet, path)
    assert caught.value.code == "model_damaged"
    assert packing.packed_bytes(sheet) == model_bytes()


def test_packing_again_replaces_and_leaves_others_theirs(sheet):
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    packing.remove_packed(other)
    settings_of(other).model = settings_of(sheet).model
    new = play_models.model_file(synthetic.sheet_mesh(), seed=9)
    packing.pack(sheet, new)
    assert packing.packed_bytes(sheet) == new
    assert packing.packed_bytes(other) == model_bytes()
    packing.remove_packed(sheet)
    assert packing.packed_bytes(sheet) is None
    assert [text for text in bpy.data.texts if packing.PROPERTY in text] == [settings_of(other).model]


def test_a_model_of_another_mesh_is_refused_before_it_takes_the_place_of_the_packed_one(sheet, tmp_path):
    path = tmp_path / "other.safetensors"
    path.write_bytes(play_models.model_file(synthetic.sheet_mesh(points=5)))
    with pytest.raises(Problem) as caught:
        object_tasks.use_model(sheet, path)
    assert caught.value.code == "model_other_object"
    assert packing.packed_bytes(sheet) == model_bytes()


def test_unpacking_never_overwrites_another_model_unasked_or_half(sheet, tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    path.write_bytes(model_bytes())
    packing.unpack(sheet, path)  # the same one is no loss
    newer = play_models.model_file(synthetic.sheet_mesh(), seed=9)
    path.write_bytes(newer)
    with pytest.raises(Problem) as caught:
        packing.unpack(sheet, path)
    assert caught.value.code == "model_in_the_way"
    assert path.read_bytes() == newer

    opened = HeldFolder.opened

    def full(self, name, flags):
        with opened(self, name, flags) as file:
            file.write(b"half")
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(HeldFolder, "opened", full)
        with pytest.raises(Problem) as caught:
            packing.unpack(sheet, path, overwrite=True)
    assert caught.value.code == "disk_full"
    assert path.read_bytes() == newer
    packing.unpack(sheet, path, overwrite=True)
    assert path.read_bytes() == model_bytes()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_exchanged_while_it_is_looked_into_gets_no_model(sheet, tmp_path, monkeypatch):
    folder, mine = tmp_path / "shared", tmp_path / "mine"
    for each in (folder, mine):
        each.mkdir()
    (mine / "model.safetensors").write_text("another one")

    def exchanged(*_):
        folder.rename(tmp_path / "was")
        folder.symlink_to(mine, target_is_directory=True)
        return False

    monkeypatch.setattr(packing, "is_another", exchanged)
    with pytest.raises(Problem) as caught:
        packing.unpack(sheet, folder / "model.safetensors")
    assert caught.value.code == "place_is_link"
    assert [(each.name, each.read_text()) for each in mine.iterdir()] == [
        ("model.safetensors", "another one")
    ]


def test_a_file_written_after_the_packed_model_is_offered_until_it_is_packed(sheet, tmp_path):
    path = tmp_path / "model.safetensors"
    settings_of(sheet).model_path = str(path)
    assert packing.newer_file(sheet) is None  # there is none
    packing.unpack(sheet, path)
    assert packing.newer_file(sheet) is None  # the same one
    path.write_bytes(play_models.model_file(synthetic.sheet_mesh(), seed=9))
    os.utime(path, (1.0, 1.0))
    assert packing.newer_file(sheet) is None  # an older one
    later = time.time() + 10
    os.utime(path, (later, later))
    assert packing.newer_file(sheet) == path
    object_tasks.use_model(sheet, path)
    assert packing.newer_file(sheet) is None


@pytest.mark.parametrize("value", [["a", "b"], "later", {"a": 1}, [1.0, 2.0], float("nan"), b"x"], ids=str)
def test_a_time_of_packing_that_is_none_is_as_if_it_was_not_there(sheet, tmp_path, value):
    path = tmp_path / "model.safetensors"
    settings_of(sheet).model_path = str(path)
    path.write_bytes(play_models.model_file(synthetic.sheet_mesh(), seed=9))
    settings_of(sheet).model[packing.PACKED_AT] = value
    assert packing.identity_of(sheet) == packing.identity_of(sheet)
    assert packing.packed_size(sheet) == len(model_bytes())
    assert packing.newer_file(sheet) == path
    bpy.context.scene.frame_set(FRAME + 1)
    assert playback.status_of(sheet).problem is None


@pytest.mark.parametrize("value", [3, 0.5, "abc", [1, 2, 3], {"a": 1}, None], ids=str)
def test_a_packed_model_that_is_something_else_ends_in_a_sentence(sheet, tmp_path, value):
    path = tmp_path / "model.safetensors"
    settings_of(sheet).model_path = str(path)
    path.write_bytes(b"abc")
    settings_of(sheet).model[packing.PROPERTY] = sheet if value is None else value
    packing.forget_files()
    assert packing.packed_size(sheet) == 0
    assert packing.is_another(sheet, path)
    for use in (packing.packed_bytes, playback.attach, lambda obj: packing.unpack(obj, path)):
        with pytest.raises(Problem, match="the property that held the model is missing"):
            use(sheet)


def test_other_programs_are_given_the_model_that_plays(sheet, tmp_path):
    path = tmp_path / "model.safetensors"
    settings_of(sheet).model_path = str(path)
    assert packing.file_of(sheet) == path
    assert path.read_bytes() == model_bytes()
    newer = play_models.model_file(synthetic.sheet_mesh(), seed=9)
    path.write_bytes(newer)
    given = packing.file_of(sheet)
    assert given != path
    assert given.read_bytes() == model_bytes()
    packing.remove_packed(sheet)
    assert packing.file_of(sheet) == path
    assert path.read_bytes() == newer


def test_a_model_from_elsewhere_lists_what_it_reacts_to(tmp_path):
    scene = play_scenes.open_scene()
    sheet = play_scenes.add_object("Sheet", synthetic.sheet_mesh())
    path = tmp_path / "model.safetensors"
    path.write_bytes(model_bytes())
    for _ in range(2):
        object_tasks.use_model(sheet, path)
        assert [(i.name, i.object) for i in settings_of(sheet).interactions] == [("Hand", None)]
    settings_of(sheet).interactions[0].object = play_scenes.add_hand("Paw")
    playback.attach(sheet)
    scene.frame_set(5)
    assert playback.status_of(sheet).problem is None
    play_scenes.open_scene()
    sheet, hand = play_scenes.add_object("Sheet", synthetic.sheet_mesh()), play_scenes.add_hand()
    object_tasks.use_model(sheet, path)
    assert settings_of(sheet).interactions[0].object == hand


def test_another_object_of_the_mesh_stays_as_it_is(sheet):
    twin = bpy.data.objects.new("Twin", sheet.data)
    bpy.context.scene.collection.objects.link(twin)
    at_rest = play_scenes.shown(twin)
    playback.attach(sheet)
    bpy.context.scene.frame_set(FRAME)
    assert np.array_equal(play_scenes.shown(twin), at_rest)
    assert not np.array_equal(play_scenes.shown(sheet), at_rest)


def test_the_text_says_what_it_is(sheet):
    text = settings_of(sheet).model.as_string()
    assert "Neural Physics" in text
    assert "subspace_physics" in text


def test_an_opened_file_plays_with_no_further_step(saved):
    path, pose = saved
    play_scenes.open_scene()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    sheet = bpy.data.objects["Sheet"]
    assert playback.status_of(sheet).problem is None
    assert np.array_equal(play_scenes.shown(sheet), pose)
    poses = play_scenes.played(sheet, range(1, FRAME + 1))
    assert np.array_equal(poses[FRAME], pose)
    assert packing.packed_bytes(sheet) == model_bytes()


def test_without_the_extension_the_last_pose_is_frozen(saved, tmp_path):
    path, pose = saved
    kept = tmp_path / "kept.blend"
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, str(path), str(tmp_path / "seen"), str(kept)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    for frame in (FRAME, 90):
        assert np.array_equal(np.load(tmp_path / f"seen_{frame}.npy"), pose)
    # Saved there at frame 90, and opened here again: the right pose, at once.
    bpy.ops.wm.open_mainfile(filepath=str(kept))
    sheet = bpy.data.objects["Sheet"]
    assert packing.packed_bytes(sheet) == model_bytes()
    found = play_scenes.shown(sheet)
    assert not np.array_equal(found, pose)
    playback.attach(sheet)
    bpy.context.scene.frame_set(90)
    assert np.array_equal(play_scenes.shown(sheet), found)


def bring_in(path, link):
    play_scenes.open_scene()
    with bpy.data.libraries.load(str(path), link=link) as (_, into):
        into.objects = ["Sheet"]
    return into.objects[0]


def test_an_appended_object_brings_model_and_collider_and_plays(saved):
    path, pose = saved
    sheet = bring_in(path, link=False)
    bpy.context.scene.collection.objects.link(sheet)
    hand = settings_of(sheet).interactions[0].object
    bpy.context.scene.collection.objects.link(hand)
    assert packing.packed_bytes(sheet) == model_bytes()
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(FRAME)
    assert playback.status_of(sheet).problem is None
    assert np.array_equal(play_scenes.shown(sheet), pose)


def test_a_linked_object_is_refused_with_the_way_out_and_keeps_its_pose(saved):
    path, pose = saved
    sheet = bring_in(path, link=True)
    bpy.context.scene.collection.objects.link(sheet)
    handlers.PLAYED.rebuild()
    bpy.context.scene.frame_set(60)
    problem = playback.status_of(sheet).problem
    assert problem.code == "object_linked"
    assert "Make Local" in problem.message
    assert np.array_equal(play_scenes.shown(sheet), pose)
    assert packing.packed_bytes(sheet) == model_bytes()
    with pytest.raises(Problem):
        playback.attach(sheet)


def test_an_overridden_object_plays_and_so_does_a_local_one(saved):
    path, pose = saved
    sheet = bring_in(path, link=True)
    bpy.context.scene.collection.objects.link(sheet)
    override = sheet.override_create(remap_local_usages=True)
    assert packing.packed_bytes(override) == model_bytes()
    bpy.context.scene.collection.objects.link(settings_of(override).interactions[0].object)
    playback.attach(override)
    bpy.context.scene.frame_set(60)
    assert not np.array_equal(play_scenes.shown(override), pose)
    bpy.context.scene.frame_set(FRAME)
    assert playback.status_of(override).problem is None
    assert np.array_equal(play_scenes.shown(override), pose)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.make_local(type="ALL")
    local = bpy.data.objects[override.name]
    hand = settings_of(local).interactions[0].object
    if hand.name not in bpy.context.scene.objects:
        bpy.context.scene.collection.objects.link(hand)
    playback.attach(local)
    bpy.context.scene.frame_set(FRAME)
    assert np.array_equal(play_scenes.shown(local), pose)


def test_undo_keeps_the_packed_model(sheet):
    bpy.ops.ed.undo_push(message="packed")
    packing.pack(sheet, play_models.model_file(synthetic.sheet_mesh(), seed=9))
    bpy.ops.ed.undo_push(message="packed again")
    bpy.ops.ed.undo()
    assert packing.packed_bytes(bpy.data.objects["Sheet"]) == model_bytes()


def test_a_packed_model_is_not_left_behind_by_its_object(sheet, tmp_path):
    packing.remove_packed(sheet)
    assert not bpy.data.texts
    packing.pack(sheet, model_bytes())
    playback.detach(sheet)
    bpy.data.objects.remove(sheet)
    path = tmp_path / "empty.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert not bpy.data.texts


def test_undoing_another_model_shows_the_first_again(sheet, tmp_path):
    playback.attach(sheet)
    bpy.context.scene.frame_set(30)
    first = play_scenes.shown(sheet)
    bpy.ops.ed.undo_push(message="first model")
    path = tmp_path / "other.safetensors"
    path.write_bytes(play_models.model_file(synthetic.sheet_mesh(), seed=5))
    object_tasks.use_model(sheet, path)
    bpy.context.scene.frame_set(30)
    assert not np.array_equal(play_scenes.shown(sheet), first)
    bpy.ops.ed.undo_push(message="other model")
    bpy.ops.ed.undo()
    sheet = bpy.data.objects[sheet.name]
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(30)
    assert np.array_equal(play_scenes.shown(sheet), first)
