"""A bake goes on with scenes that lie in a dataset: Python runs in them only where they were made here."""

from __future__ import annotations

import os
import shutil

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import add_script, cloth_and_ball, command_for, events_of, frames_on_disk, run, start, wait_for

from neural_physics.baking.handing_over import scene_begun
from neural_physics.blender.baking.seals import is_sealed, key_file, seal
from neural_physics.blender.tasks.object_tasks import delete_dataset
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender]


@pytest.mark.once
@pytest.mark.parametrize("whose", ["the artist's", "a stranger's", "a stranger's with the artist's seal"])
def test_python_in_the_scene_of_a_begun_take_runs_only_if_that_was_made_here(whose, tmp_path):
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=True)
    folder, vertices = tmp_path / "d", len(cloth.data.vertices)
    stop_file = tmp_path / "stop"
    bake = start([*command_for(cloth, folder, 1, 400), "--stop-file", str(stop_file)])
    wait_for(lambda: frames_on_disk(folder, "take_000", vertices) >= 20)
    stop_file.touch()
    assert bake.wait(30) == 1
    assert ran.exists()
    ran.unlink()
    scene = scene_begun(folder, "take_000")
    seal_of_it = scene.with_suffix(".seal")
    if whose != "the artist's":
        shutil.copy(seal_of_it, tmp_path / "seal")
        seal_of_it.unlink()
        bpy.data.texts.new("another.py")
        bpy.ops.wm.save_as_mainfile(filepath=str(scene), copy=True)
    if whose == "a stranger's with the artist's seal":
        shutil.copy(tmp_path / "seal", seal_of_it)
    events = events_of(command_for(cloth, folder, 1, 400))
    assert ran.exists() == (whose == "the artist's")
    said = [note for note in events[-1].get("notes", ()) if "not made on this computer" in note]
    assert len(said) == (whose != "the artist's"), events[-1]


@pytest.mark.parametrize("name", ["takes", "bake"])
def test_nothing_is_baked_into_a_link_or_deleted_through_one(name, tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    run(command_for(cloth, folder, 1, 5))
    elsewhere = tmp_path / "elsewhere"
    if name == "takes":
        shutil.move(folder / name, elsewhere)
    else:  # which a bake that has ended removes
        (elsewhere / "take_000").mkdir(parents=True)
        for path in (elsewhere / "bake.json", elsewhere / "take_000" / "take.blend"):
            path.touch()
    (folder / name).symlink_to(elsewhere)
    before = files_in(elsewhere)
    for act in (lambda: command_for(cloth, folder, 2, 5), lambda: delete_dataset(cloth)):
        with pytest.raises(Problem) as raised:
            act()
        assert raised.value.code == "place_is_link"
    assert files_in(elsewhere) == before


def files_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.*")}


def test_a_seal_is_of_one_key_and_of_the_file_as_it_is(tmp_path):
    scene, key, other = tmp_path / "take.blend", tmp_path / "key", tmp_path / "other"
    scene.write_bytes(b"a scene")
    key.write_bytes(bytes(32))
    other.write_bytes(bytes(31) + b"\1")
    assert not is_sealed(scene, key)
    seal(scene, key)
    assert is_sealed(scene, key) and not is_sealed(scene, other) and not is_sealed(scene, tmp_path / "none")
    scene.write_bytes(b"another scene")
    assert not is_sealed(scene, key)
    scene.with_suffix(".seal").write_bytes(b"")
    assert not is_sealed(scene, key)
    # Without a key nothing is sealed, and an empty one is none.
    for useless in (tmp_path / "none", tmp_path / "empty"):
        (tmp_path / "empty").touch()
        seal(scene, useless)
        assert not is_sealed(scene, useless)


def test_the_key_is_the_users_own_and_stays_the_same():
    key = key_file()
    assert key_file() == key and len(key.read_bytes()) == 32
    if os.name == "posix":
        assert key.stat().st_mode & 0o077 == 0
