"""Whoever made a material says what it names: none of that goes into a file, or beside it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from test_alembic_and_usd import sheet, written

from neural_physics.blender.exchange.recording import Sampling
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender, pytest.mark.once]
__all__ = ["sheet"]

SHORT = Sampling(5, 8)
COLOUR = (0.8, 0.1, 0.3)


@pytest.fixture
def strange(sheet, tmp_path):
    """The sheet, of a material that names an image of the artist's, one that is packed, and other objects."""
    private = tmp_path / "private" / "diary.png"
    private.parent.mkdir()
    image = bpy.data.images.new("Diary", 8, 8)
    image.pixels.foreach_set(np.random.default_rng(0).random(256).astype(np.float32))
    image.filepath_raw, image.file_format = str(private), "PNG"
    image.save()
    bpy.data.images.remove(image)
    packed = bpy.data.images.new("../../out_of_it", 4, 4)
    packed.pack()
    material = bpy.data.materials["Silk"]
    material.use_nodes, material.diffuse_color = True, (*COLOUR, 1.0)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    principled = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    for socket, found in (("Base Color", bpy.data.images.load(str(private))), ("Roughness", packed)):
        texture = nodes.new("ShaderNodeTexImage")
        texture.image = found
        links.new(texture.outputs["Color"], principled.inputs[socket])
    other = bpy.data.objects.new("Stranger", bpy.data.meshes.new("Stranger"))
    nodes.new("ShaderNodeTexCoord").object = other
    material["theirs"] = other
    return sheet, private.read_bytes()


@pytest.mark.parametrize("name", ["a.usdc", "a.usdz", "a.abc", "a.glb", "a_vat.png"])
def test_the_file_has_the_material_s_name_and_nothing_that_it_names(strange, tmp_path, name):
    sheet, private = strange
    out = tmp_path / "project" / "out"
    before = set(tmp_path.rglob("*"))
    written([sheet], out / name, SHORT)
    beside = [".fbx", ".glb", ".json"] if name.endswith("_vat.png") else []
    expected = {out.parent, out, out / name, *((out / name).with_suffix(ending) for ending in beside)}
    assert set(tmp_path.rglob("*")) - before == expected
    for each in expected:
        data = each.read_bytes() if each.is_file() else b""
        assert private[100:164] not in data and b"diary" not in data and b"Stranger" not in data
    assert b"Silk" in (out / name if not beside else out / "a_vat.glb").read_bytes() or name == "a.usdz"
    assert [slot.material for slot in sheet.material_slots] == [bpy.data.materials["Silk"]]
    assert len(bpy.data.materials) == 1 and bpy.data.materials["Silk"].node_tree is not None


@pytest.mark.parametrize("name", ["a.usdc", "a.glb"])
def test_the_colour_is_kept(strange, tmp_path, name):
    sheet, _ = strange
    written([sheet], tmp_path / name, SHORT)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if name.endswith("glb"):
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        bpy.ops.import_scene.gltf(filepath=str(tmp_path / name))
    else:
        bpy.ops.wm.usd_import(filepath=str(tmp_path / name))
    nodes = bpy.data.materials["Silk"].node_tree.nodes
    colour = next(node for node in nodes if node.type == "BSDF_PRINCIPLED").inputs["Base Color"]
    assert colour.default_value[:3] == pytest.approx(COLOUR, abs=1e-3)


def test_a_sculpt_that_lies_in_a_file_of_its_own_is_not_written(sheet, tmp_path):
    multires = sheet.modifiers.new("Multires", "MULTIRES")
    bpy.context.view_layer.objects.active = sheet
    bpy.ops.object.multires_subdivide(modifier="Multires")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.object.multires_external_save(modifier="Multires", filepath=str(tmp_path / "sculpt.btx"))
    bpy.ops.wm.save_mainfile()
    multires.show_viewport = False
    before = (tmp_path / "sculpt.btx").read_bytes()
    try:
        written([sheet], tmp_path / "a.abc", SHORT)
    except Problem as problem:
        assert problem.code == "sculpt_elsewhere"
    assert (tmp_path / "sculpt.btx").read_bytes() == before


def test_what_would_be_replaced_beside_the_file_that_was_named_is_not(sheet, tmp_path):
    mine = tmp_path / "a_vat.json"
    mine.write_text("mine")
    with pytest.raises(Problem) as caught:
        written([sheet], tmp_path / "a_vat.png", SHORT)
    assert caught.value.code == "file_not_ours" and mine.read_text() == "mine"
    mine.unlink()
    written([sheet], tmp_path / "a_vat.png", SHORT)
    written([sheet], tmp_path / "a_vat.exr", SHORT)  # what is beside it was written with the other
    for each in tmp_path.glob("a_vat*"):
        each.unlink()
    (tmp_path / "b.new.abc").write_text("mine")
    written([sheet], tmp_path / "b.abc", SHORT)
    assert (tmp_path / "b.new.abc").read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.abc", "b.new.abc"]


def test_what_cannot_take_its_place_leaves_what_was_there(sheet, tmp_path):
    long = tmp_path / f"{'a' * 247}.abc"
    written([sheet], long, SHORT)
    before = long.read_bytes()
    written([sheet], long, Sampling(5, 9))
    assert long.read_bytes() != before and [each.name for each in tmp_path.iterdir()] == [long.name]


def test_names_on_lines_of_their_own_say_nothing_to_whoever_reads_the_log(sheet, tmp_path):
    """Blender's exporters print them, among what our process says of itself."""
    said = '\n{"event": "error", "code": "a", "message": "run this"}'
    sheet.data.name = sheet.data.materials[0].name = sheet.data.uv_layers[0].name = said
    for name in ("a.glb", "a.usdc", "a_vat.exr"):
        written([sheet], tmp_path / name, SHORT)
