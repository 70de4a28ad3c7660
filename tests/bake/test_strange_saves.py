"""Whenever a scene of somebody else's is saved, nothing but that .blend is written, and nothing is packed."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import cloth_and_ball, command_for, events_of
from scenes import settings_of

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.baking.scene_copy import save_copy
from neural_physics.blender.commands import main
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender]


def add_sculpt(file, *, relative=False, used=True):
    """A mesh in the open file whose Multires displacement lies in a file of its own."""
    bpy.ops.mesh.primitive_plane_add()
    prop = bpy.context.object
    prop.name = "Prop"
    prop.modifiers.new("M", "MULTIRES")
    bpy.ops.object.multires_subdivide(modifier="M")
    bpy.ops.object.multires_external_save(modifier="M", filepath=str(file), relative_path=relative)
    if not used:
        prop.data.use_fake_user = True
        prop.data.name = "Prop"
        bpy.data.objects.remove(prop)
    return prop


def strangers_file(tmp_path, **how):
    """Open somebody else's file, in which a mesh says that its sculpt lies in a file of the artist's."""
    cloth, own = cloth_and_ball(), tmp_path / "sculpt.btx"
    settings_of(cloth).take_count, settings_of(cloth).take_frames = 1, 5
    settings_of(cloth).dataset_folder = str(tmp_path / "d")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "s.blend"))
    add_sculpt(own, **how)
    bpy.ops.wm.save_mainfile()
    own.write_bytes(own.read_bytes() + b"more that the artist has sculpted")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "s.blend"))
    return own


@pytest.mark.parametrize("used", [True, False], ids=["of an object", "of none, which has no modifier"])
def test_no_sculpt_is_written_where_a_mesh_says_that_it_lies(used, tmp_path):
    own = strangers_file(tmp_path, used=used)
    before = own.read_bytes()
    objects = bpy.data.objects.keys()
    with pytest.raises(Problem) as caught:
        prepare_bake(bpy.context.scene, bpy.data.objects["Sheet"])
    assert caught.value.code == "sculpt_elsewhere" and "Prop" in caught.value.message
    assert own.read_bytes() == before
    assert not (tmp_path / "d" / "bake").exists()
    assert bpy.data.objects.keys() == objects


def test_no_sculpt_is_written_where_its_path_leads_from_the_copy(tmp_path):
    """Blender writes the new path, as seen from the old place."""
    own = tmp_path / "documents" / "thesis.odt"
    own.parent.mkdir()
    blend = tmp_path / "a" / "b" / "s.blend"
    sculpt = blend.with_name("documents") / own.name
    sculpt.parent.mkdir(parents=True)
    cloth_and_ball()
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    add_sculpt(sculpt, relative=True)
    bpy.ops.wm.save_mainfile()
    own.write_text("my thesis")
    (blend.parent / "c" / "d").mkdir(parents=True)
    with pytest.raises(Problem) as caught:
        save_copy(blend.parent / "c" / "d" / "scene.blend")
    assert caught.value.code == "sculpt_elsewhere"
    assert own.read_text() == "my thesis"


def test_a_worker_writes_no_sculpt_that_a_prepared_scene_names(tmp_path):
    cloth, own = cloth_and_ball(), tmp_path / "sculpt.btx"
    command = command_for(cloth, tmp_path / "d", 1, 4)
    scene = BakePlan.of_dataset(tmp_path / "d").scene_copy
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    add_sculpt(own)
    bpy.ops.wm.save_mainfile()
    own.write_bytes(own.read_bytes() + b"more")
    before = own.read_bytes()
    assert "Multires" in events_of(command)[-1]["message"]
    assert own.read_bytes() == before


def test_a_command_saves_no_scene_with_a_sculpt_elsewhere(tmp_path, capsys):
    own = strangers_file(tmp_path)
    before, other = own.read_bytes(), tmp_path / "other.blend"
    assert main(["setup", "--object", "Sheet", "--save", str(other)]) == 1
    assert "Multires" in capsys.readouterr().err
    assert own.read_bytes() == before and not other.exists()


def test_a_sculpt_that_is_in_the_blend_is_saved_with_it(tmp_path):
    cloth_and_ball()
    prop, file = add_sculpt(tmp_path / "sculpt.btx"), str(tmp_path / "sculpt.btx")
    bpy.ops.object.multires_external_pack()
    save_copy(tmp_path / "copy.blend")
    assert prop.modifiers["M"].filepath == file and not prop.modifiers["M"].is_external
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "copy.blend"))
    kept = bpy.data.objects["Prop"].modifiers["M"]
    assert kept.total_levels == 1
    assert kept.filepath.strip("./") == ""  # where a second sculpt, which is not in use, could lie


def test_nothing_that_a_file_names_is_packed_when_it_is_saved(tmp_path):
    cloth_and_ball()
    secret = tmp_path / "id_rsa"
    secret.write_text("a private key")
    image = bpy.data.images.new("I", 4, 4)
    image.source, image.filepath, image.use_fake_user = "FILE", str(secret), True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "s.blend"))
    bpy.data.use_autopack = True
    save_copy(tmp_path / "copy.blend")
    assert main(["setup", "--object", "Sheet", "--save", str(tmp_path / "other.blend")]) == 0
    assert bpy.data.use_autopack and image.packed_file is None
    for name in ("copy.blend", "other.blend"):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / name))
        assert bpy.data.images["I"].packed_file is None
        assert not bpy.data.use_autopack
    bpy.data.use_autopack = False


def test_what_is_saved_is_not_written_through_what_blender_writes_to_first(tmp_path):
    """To NAME@, which then gets the file's name: beside somebody's scene that may be a link."""
    cloth_and_ball()
    path, own = tmp_path / "s.blend", tmp_path / "own"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    own.write_bytes(b"the artist's")
    path.with_name("s.blend@").symlink_to(own)
    assert main(["setup", "--object", "Sheet"]) == 0
    assert own.read_bytes() == b"the artist's" and not path.is_symlink()
    assert path.read_bytes()[:4] != b"the "
