"""Playing objects as vertex animation textures: what is in the files is where it was played."""

from __future__ import annotations

import json
import struct

import bpy
import numpy as np
import play_scenes
import pytest
from png_reader import read_png
from test_alembic_and_usd import in_the_world, sheet, written

from neural_physics.blender.exchange.exporters import import_scene
from neural_physics.blender.exchange.recording import Sampling
from neural_physics.blender.exchange.writing import write_steps
from neural_physics.blender.playing import playback
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender, pytest.mark.once]
__all__ = ["sheet"]

FIRST, LAST = 5, 40
ENDINGS = [".png", ".exr"]


def texels_of(path):
    """(H, W, 3): 0 to 1, the top row first, read by nothing of ours."""
    if path.suffix == ".png":
        return read_png(path) / 65535.0
    library = pytest.importorskip("OpenEXR")
    return library.File(str(path)).channels()["RGBA"].pixels[..., :3].astype(np.float64)


def glb_mesh(path):
    """Places and the second UVs of a glTF file's only mesh, in its own axes: Y is up, V goes down."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    scene, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
    (mesh,), nodes = scene["meshes"], scene["nodes"]
    assert not {"translation", "rotation", "scale", "matrix"} & set(nodes[0]) and len(nodes) == 1
    places, uvs = [], []
    for part in mesh["primitives"]:
        for name, width, found in (("POSITION", 3, places), ("TEXCOORD_1", 2, uvs)):
            accessor = scene["accessors"][part["attributes"][name]]
            view = scene["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            flat = np.frombuffer(binary, "<f4", width * accessor["count"], start)
            found.append(flat.reshape(-1, width).astype(np.float64))
    return np.concatenate(places), np.concatenate(uvs)


def decoded(path):
    """As engines do it from what was written alone: positions and normals (T, corners, 3), Z up."""
    texels, data = texels_of(path), json.loads(path.with_suffix(".json").read_text())
    rest, uvs = glb_mesh(path.with_suffix(".glb"))
    rest = rest[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
    low, high = np.array(data["os-remap"]["Min"]), np.array(data["os-remap"]["Max"])
    positions, normals = [], []
    for frame in range(data["os-remap"]["Frames"]):
        column = np.floor(uvs[:, 0] * texels.shape[1]).astype(int)
        row = np.floor(uvs[:, 1] * texels.shape[0] + frame).astype(int)
        positions.append(rest + low + texels[row, column] * (high - low))
        normals.append(2.0 * texels[row + texels.shape[0] // 2, column] - 1.0)
    return np.array(positions), np.array(normals), data["neural_physics"]


def looked_at(obj, time):
    """Places, and normals as Blender makes them of a mesh that is there with its own axes, (V, 3)."""
    places = in_the_world(obj, time)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(evaluated)
    mesh.transform(evaluated.matrix_world)
    normals = np.array([vertex.normal for vertex in mesh.vertices])
    bpy.data.meshes.remove(mesh)
    return places, normals


def nearest(found, places):
    """Of each of the corners found, the number of the vertex that it is of."""
    return np.linalg.norm(found[:, None] - places[None], axis=2).argmin(axis=1)


def said_of(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_the_files_say_is_nearer_to_what_was_played_than_they_promise(sheet, tmp_path, ending):
    path, sampling = tmp_path / f"Sheet_vat{ending}", Sampling(FIRST, LAST)
    played = [looked_at(sheet, time) for time in sampling.times]
    said = said_of(write_steps(bpy.context.scene, [sheet], path, sampling, show=False))
    assert settings_of(sheet).playing
    names = [f"Sheet_vat{each}" for each in (ending, ".fbx", ".glb", ".json")]
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(names)
    positions, normals, data = decoded(path)
    assert len(positions) == LAST - FIRST + 1 and data["origin"] == pytest.approx([1.0, 2.0, 3.0])
    vertices = nearest(positions[0] + data["origin"], played[0][0])
    assert len(np.unique(vertices)) == len(played[0][0])
    off, tilt = 0.0, 0.0
    for found, turned, (places, facing) in zip(positions, normals, played, strict=True):
        off = max(off, np.linalg.norm(found + data["origin"] - places[vertices], axis=1).max())
        tilt = max(tilt, np.abs(turned - facing[vertices]).max())
    print(f"{ending}: at most {off:.3g} m off, {data['error']:.3g} m is promised; normals {tilt:.3g}")
    assert off <= data["error"] and data["error"] < (4e-5 if ending == ".png" else 5e-6)
    assert tilt < 5e-3  # Blender weights faces by angles that it approximates
    assert said.startswith(f"{data['width']} x {data['height']} texels, at most ")
    assert 0.0 < float(said.split()[-3]) / 1000 <= 1.05 * data["error"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("samples, overlap", [(1, 0), (3, 0), (1, 12)])
def test_blender_shows_what_the_texture_says_beside_what_plays(sheet, tmp_path, ending, samples, overlap):
    path, sampling = tmp_path / f"Sheet_vat{ending}", Sampling(FIRST, LAST, samples, overlap=overlap)
    played = [in_the_world(sheet, time) for time in Sampling(FIRST, LAST, samples).times]
    written([sheet], path, sampling, show=True)
    assert settings_of(sheet).playing
    data = json.loads(path.with_suffix(".json").read_text())["neural_physics"]
    shown = bpy.data.objects["Sheet_vat"]
    aside = np.array(shown.location) - data["origin"]
    assert aside[0] > 1.0 and abs(aside[1:]).max() < 1e-6
    times, off = Sampling(FIRST, LAST, samples).times, []
    for time, places in zip(times, played, strict=True):
        off.append(np.linalg.norm(in_the_world(shown, time) - aside - places, axis=1).max())
    print(f"{ending}: at most {max(off[overlap:]):.3g} m off, {data['error']:.3g} m is promised")
    # Of a place in the world the numbers are larger, and of less precision; at a third of a frame the texture
    # is between two rows.
    slack = 1e-6 if samples == 1 else 1e-4
    assert max(off[overlap:]) <= data["error"] + slack
    if not overlap:
        assert (in_the_world(shown, FIRST - 3) == in_the_world(shown, FIRST)).all()
        assert (in_the_world(shown, LAST + 9) == in_the_world(shown, LAST)).all()
    else:
        count = LAST - FIRST + 1
        assert np.allclose(in_the_world(shown, LAST + 1), in_the_world(shown, FIRST), atol=0.0)
        assert np.allclose(in_the_world(shown, FIRST - 7), in_the_world(shown, FIRST - 7 + count), atol=0.0)


def test_a_loop_repeats_without_a_jump(sheet, tmp_path):
    """Of the file: from its last frame to its first one, nothing moves or turns more than elsewhere."""
    path = tmp_path / "Sheet_vat.png"
    played = np.array([in_the_world(sheet, time) for time in Sampling(FIRST, LAST + 15).times])
    written([sheet], path, Sampling(FIRST, LAST, overlap=15))
    positions, _, data = decoded(path)
    count = len(positions)
    assert count == LAST - FIRST + 1 and data["overlap"] == 15
    twice = np.concatenate([positions, positions])
    steps = np.linalg.norm(np.diff(twice, axis=0), axis=2).max(axis=1)
    turns = np.linalg.norm(np.diff(twice, n=2, axis=0), axis=2).max(axis=1)
    # Ordinary frames are as they were played.
    seam, worst = steps[count - 1], np.linalg.norm(np.diff(played, axis=0), axis=2).max()
    print(f"position: {seam:.3g} m at the seam, {worst:.3g} m in the worst ordinary frame")
    assert seam <= worst
    seam = turns[count - 2 : count].max()
    worst = np.linalg.norm(np.diff(played, n=2, axis=0), axis=2).max()
    print(f"velocity: {seam:.3g} m a frame at the seam, {worst:.3g} in the worst ordinary frame")
    assert seam <= worst
    cut = np.linalg.norm(played[0] - played[count - 1], axis=1).max()
    print(
        f"cut where it ends, it would jump by {cut:.3g} m; largest steps {steps.max():.3g}, {turns.max():.3g}"
    )
    assert cut > 2.0 * seam


def test_meshes_of_other_programs_have_the_map_too(sheet, tmp_path):
    """As FBX, which Unreal and Unity read, with the texture's map as the second."""
    path = tmp_path / "Sheet_vat.png"
    places = in_the_world(sheet, FIRST)
    written([sheet], path, Sampling(FIRST, FIRST + 1))
    _, uvs = glb_mesh(path.with_suffix(".glb"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    bpy.ops.import_scene.fbx(filepath=str(path.with_suffix(".fbx")))
    (there,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    assert [layer.name for layer in there.data.uv_layers] == ["Unwrapped", "VAT_UV"]
    assert np.abs(in_the_world(there, 1) - (places - [1.0, 2.0, 3.0])).max() < 1e-5
    found = np.empty((len(there.data.loops), 2), np.float32)
    there.data.uv_layers["VAT_UV"].data.foreach_get("uv", found.reshape(-1))
    found[:, 1] = 1.0 - found[:, 1]
    assert set(map(tuple, found.round(5))) == set(map(tuple, uvs.astype(np.float32).round(5)))
    assert [slot.material.name for slot in there.material_slots] == ["Silk"]


def test_what_is_mirrored_looks_outwards(sheet, tmp_path):
    path = tmp_path / "Sheet_vat.exr"
    sheet.scale.x = -1.0
    places, facing = looked_at(sheet, FIRST)
    written([sheet], path, Sampling(FIRST, FIRST))
    positions, normals, data = decoded(path)
    vertices = nearest(positions[0] + data["origin"], places)
    assert np.linalg.norm(positions[0] + data["origin"] - places[vertices], axis=1).max() <= data["error"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path.with_suffix(".glb"))
    (there,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    outwards = looked_at(there, 1)[1][nearest(positions[0], in_the_world(there, 1))]
    assert (np.einsum("ij,ij->i", normals[0], outwards) > 0.0).all()
    assert np.abs(normals[0] + facing[vertices]).max() < 5e-5  # whose faces look inwards


def test_a_mesh_without_a_map_gets_an_empty_one_before_it(tmp_path):
    """And where a frame takes several rows, each vertex is found."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    played = in_the_world(sheet, FIRST + 19)
    path = tmp_path / "Sheet_vat.png"
    written([sheet], path, Sampling(FIRST, FIRST + 19))
    positions, _, data = decoded(path)
    assert data["bands"] == 3
    places = positions[19] + data["origin"]
    assert np.linalg.norm(places - played[nearest(places, played)], axis=1).max() <= data["error"]


def test_what_was_there_stays_until_all_is_written_and_then_is_gone(sheet, tmp_path):
    path = tmp_path / "Sheet_vat.png"
    written([sheet], path, Sampling(FIRST, FIRST + 2))
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    (tmp_path / "Sheet_vat.png.meta").write_text("Unity's own")
    steps = write_steps(bpy.context.scene, [sheet], path, Sampling(FIRST, LAST), show=False)
    for done, total in steps:
        if done >= 0.5 * total:  # all is recorded
            break
    steps.close()
    now = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert now.pop("Sheet_vat.png.meta") and now == before
    written([sheet], path, Sampling(FIRST, FIRST + 3))
    assert json.loads(path.with_suffix(".json").read_text())["os-remap"]["Frames"] == 4
    assert len(list(tmp_path.iterdir())) == 5


def test_where_one_of_the_files_cannot_take_its_place_none_does(sheet, tmp_path):
    path = tmp_path / "Sheet_vat.png"
    written([sheet], path, Sampling(FIRST, FIRST + 2))
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    steps = write_steps(bpy.context.scene, [sheet], path, Sampling(FIRST, FIRST + 4), show=False)
    next(steps)
    path.unlink()
    path.mkdir()
    (path / "full").touch()
    kept = {name: before[name] for name in before if name != path.name}
    with pytest.raises(Problem) as caught:
        for _ in steps:
            pass
    assert caught.value.code == "folder_not_writable"
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir() if each.is_file()} == kept


def test_what_cannot_be_is_a_sentence(sheet, tmp_path):
    def refused(objects, name, sampling):
        with pytest.raises(Problem) as caught:
            written(objects, tmp_path / name, sampling)
        return caught.value.code

    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other", seed=1)
    playback.attach(other)
    both, range_ = [sheet, other], Sampling(FIRST, LAST)
    assert refused(both, "Sheet_vat.png", range_) == "export_texture_alone"
    assert refused([sheet], "Sheet.png", range_) == "export_format_unknown"
    assert refused([sheet], "Sheet_vat.exr", Sampling(1, 10, overlap=11)) == "loop_too_short"
    assert refused([sheet], "Sheet_vat.exr", Sampling(1, 5000)) == "texture_too_large"
    assert refused([sheet], "Sheet.abc", Sampling(1, 10, overlap=2)) == "export_loop_of_texture"
    assert not list(tmp_path.iterdir())
    (tmp_path / "Sheet_vat.glb").mkdir()
    assert refused([sheet], "Sheet_vat.png", range_) == "file_is_folder"
    (tmp_path / "Sheet_vat.glb").rmdir()


def test_what_lies_beside_stays_as_it_is(sheet, tmp_path):
    (tmp_path / "Sheet_vat.new").mkdir()
    (tmp_path / "Sheet_vat.new" / "Sheet_vat.png").write_text("mine")
    written([sheet], tmp_path / "Sheet_vat.png", Sampling(FIRST, FIRST + 1))
    assert (tmp_path / "Sheet_vat.new" / "Sheet_vat.png").read_text() == "mine"
    assert read_png(tmp_path / "Sheet_vat.png").any()
    assert not [each for each in tmp_path.iterdir() if each.name.startswith("export_")]
