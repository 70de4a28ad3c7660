"""Playing objects as Alembic and USD: in an empty scene they are where they were played."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain
from math import floor
from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.exchange import formats
from neural_physics.blender.exchange.exporters import import_scene
from neural_physics.blender.exchange.reading import Chosen, read_steps
from neural_physics.blender.exchange.recording import Sampling
from neural_physics.blender.exchange.writing import motion_steps, write_steps
from neural_physics.blender.jobs.scratch_job import ScratchJob
from neural_physics.blender.playing import playback
from neural_physics.blender.scene.modifiers.cache_modifier import remove_cache, shown_file
from neural_physics.blender.settings.own_folders import scratch_folder
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

FIRST, LAST = 5, 24


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    sheet.data.uv_layers.new(name="Unwrapped").data.foreach_set(
        "uv", np.random.default_rng(0).random(2 * len(sheet.data.loops))
    )
    sheet.data.materials.append(bpy.data.materials.new("Silk"))
    sheet.modifiers.new("Subdivision", "SUBSURF")
    sheet.location, sheet.scale = (1.0, 2.0, 3.0), (1.0, 2.0, 0.5)
    for frame, turn in ((1, 0.0), (100, 9.0)):
        sheet.rotation_euler.z = turn
        sheet.keyframe_insert("rotation_euler", frame=frame)
    playback.attach(sheet)
    return sheet


def in_the_world(obj, time):
    """(V, 3): what an object shows at a moment of the scene."""
    bpy.context.scene.frame_set(floor(time), subframe=time - floor(time))
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.empty((len(evaluated.data.vertices), 3), np.float32)
    evaluated.data.vertices.foreach_get("co", places.reshape(-1))
    world = np.array(evaluated.matrix_world)
    return places @ world[:3, :3].T + world[:3, 3]


def uvs_of(obj):
    """(loops, 2): of an object's only map, with its modifiers."""
    (layer,) = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.uv_layers
    uvs = np.empty((len(layer.data), 2), np.float32)
    layer.data.foreach_get("uv", uvs.reshape(-1))
    return uvs


def written(objects, path, sampling, show=False):
    return list(write_steps(bpy.context.scene, objects, path, sampling, show=show))


@pytest.mark.parametrize(
    "suffix, samples", [(".abc", 1), (".abc", 4), (".usdc", 1), (".usd", 2), (".usda", 1)]
)
def test_a_file_that_was_written_shows_what_was_played(sheet, tmp_path, suffix, samples):
    path, sampling = tmp_path / f"sheet{suffix}", Sampling(FIRST, LAST, samples)
    played = [in_the_world(sheet, time) for time in sampling.times]
    bpy.context.scene.frame_set(17, subframe=0.25)
    uvs = uvs_of(sheet)
    steps = written([sheet], path, sampling)
    done, total = zip(*steps, strict=True)
    assert list(done) == sorted(done) and set(total) == {total[0]} and done[-1] <= total[0]
    scene = bpy.context.scene
    assert (scene.frame_current, scene.frame_subframe) == (17, 0.25) and settings_of(sheet).playing
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert not [mesh for mesh in bpy.data.meshes if mesh != sheet.data] and len(bpy.data.actions) == 2
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path)
    (there,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    size = np.ptp(played[0], axis=0).max()
    spacing = samples if suffix != ".abc" else 1  # USD has a frame for each sample
    for time, places in zip(sampling.times, played, strict=True):
        assert np.abs(in_the_world(there, time * spacing) - places).max() < 1e-6 * size
    assert [slot.material.name for slot in there.material_slots] == ["Silk"]
    assert np.allclose(uvs_of(there), uvs, atol=1e-6)


@pytest.mark.parametrize("suffix, samples", [(".abc", 2), (".usdc", 1), (".usdc", 3)])
def test_the_file_can_be_shown_in_place_of_what_played(sheet, tmp_path, suffix, samples):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    sampling = Sampling(FIRST, LAST, samples)
    played = [in_the_world(sheet, time) for time in sampling.times]
    written([sheet], tmp_path / "cache" / f"sheet{suffix}", sampling, show=True)
    assert not settings_of(sheet).playing and shown_file(sheet) == f"//cache/sheet{suffix}"
    for _ in range(2):
        (sheet,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
        for time, places in zip(sampling.times, played, strict=True):
            assert np.abs(in_the_world(sheet, time) - places).max() < 1e-5
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    (sheet,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    remove_cache(sheet)
    assert [each.type for each in sheet.modifiers] == ["CLOTH", "SUBSURF"] and not bpy.data.cache_files
    assert len(bpy.data.actions) == 2
    assert sheet.modifiers["Cloth"].show_viewport


def test_all_that_plays_goes_into_one_file_and_keeps_its_names(sheet, tmp_path):
    hand = bpy.data.objects["Hand"]
    other = play_scenes.add_sheet(hand, "Other.Sheet", seed=1)
    other.location = (5.0, 0.0, 0.0)
    playback.attach(other)
    sampling, pair = Sampling(FIRST, FIRST + 3), [sheet, other]
    played = {obj.name: [in_the_world(obj, time) for time in sampling.times] for obj in pair}
    written(pair, tmp_path / "both.abc", sampling)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(tmp_path / "both.abc")
    for name, places in played.items():
        there = bpy.data.objects[name.replace(".", "_")]
        for time, place in zip(sampling.times, places, strict=True):
            assert np.abs(in_the_world(there, time) - place).max() < 1e-5


def test_what_is_sheared_by_its_parents_is_where_it_was(sheet, tmp_path):
    """No location, rotation and scale say where that is."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale, sheet.parent = (3.0, 1.0, 1.0), parent
    sampling = Sampling(FIRST, FIRST + 3)
    played = [in_the_world(sheet, time) for time in sampling.times]
    written([sheet], tmp_path / "sheared.usdc", sampling)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(tmp_path / "sheared.usdc")
    (there,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    for time, places in zip(sampling.times, played, strict=True):
        assert np.abs(in_the_world(there, time) - places).max() < 1e-5


def test_stopped_at_any_step_nothing_is_left(sheet, tmp_path):
    path, before = tmp_path / "sheet.abc", dict.fromkeys(bpy.data.meshes)
    path.write_bytes(b"what was there")
    for wanted in (3, 25, 110):
        steps = write_steps(bpy.context.scene, [sheet], path, Sampling(FIRST, LAST), show=True)
        for done, _ in steps:
            if done >= wanted:
                break
        steps.close()
        assert path.read_bytes() == b"what was there" and [each.name for each in tmp_path.iterdir()] == [
            path.name
        ]
        assert dict.fromkeys(bpy.data.meshes) == before and settings_of(sheet).playing
        assert not list(scratch_folder().glob("write_motion*"))


@pytest.mark.parametrize(
    "path, sampling, code",
    [
        ("sheet.obj", Sampling(1, 5), "export_format_unknown"),
        ("sheet", Sampling(1, 5), "export_format_unknown"),
        ("sheet.abc", Sampling(5, 1), "frames_reversed"),
        ("folder.abc", Sampling(1, 5), "file_is_folder"),
        ("file/sheet.abc", Sampling(1, 5), "folder_not_writable"),
    ],
)
def test_bad_input_is_one_sentence(sheet, tmp_path, path, sampling, code):
    (tmp_path / "folder.abc").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Problem) as caught:
        written([sheet], tmp_path / path, sampling)
    assert caught.value.code == code


def test_what_does_not_play_or_has_no_faces_or_changes_is_refused(sheet, tmp_path):
    path, sampling = tmp_path / "sheet.usdc", Sampling(1, 30)
    with pytest.raises(Problem) as caught:
        written([], path, sampling)
    assert caught.value.code == "nothing_plays"
    decimate = sheet.modifiers.new("Decimate", "DECIMATE")
    decimate.ratio = 0.5
    decimate.keyframe_insert("ratio", frame=1)
    decimate.ratio = 1.0
    decimate.keyframe_insert("ratio", frame=20)
    with pytest.raises(Problem) as caught:
        written([sheet], path, sampling)
    assert caught.value.code == "export_topology_changes"
    sheet.modifiers.remove(decimate)
    mask = sheet.modifiers.new("Mask", "MASK")
    mask.vertex_group = sheet.vertex_groups.new(name="None").name
    with pytest.raises(Problem) as caught:
        written([sheet], path, sampling)
    assert caught.value.code == "export_without_faces"
    playback.detach(sheet)
    with pytest.raises(Problem) as caught:
        written([sheet], path, sampling)
    assert caught.value.code == "not_playing"
    assert not list(tmp_path.iterdir())


@pytest.mark.once
@pytest.mark.parametrize("suffix, samples", [(".usdc", 1), (".usd", 2), (".usda", 1), (".usdz", 1)])
def test_a_program_that_is_not_blender_reads_usd_and_finds_it_valid(sheet, tmp_path, suffix, samples):
    path, sampling = tmp_path / f"sheet{suffix}", Sampling(FIRST, FIRST + 5, samples)
    played = [in_the_world(sheet, time) for time in sampling.times]
    evaluated = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    faces = [list(face.vertices) for face in evaluated.polygons]
    written([sheet], path, sampling)
    command = [sys.executable, Path(__file__).with_name("read_usd.py"), path]
    read = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert read["errors"] == [] and read["metres"] == 1.0 and read["up"] == "Z"
    assert read["fps"] == 24.0 * samples and read["range"] == [FIRST * samples, (FIRST + 5) * samples]
    (mesh,) = read["meshes"]
    assert mesh["times"] == (sampling.times * samples).tolist()
    assert mesh["counts"] == [len(face) for face in faces] and mesh["corners"] == list(chain(*faces))
    assert "st" in mesh["primvars"] and mesh["materials"][0].endswith("/Silk")
    for shape, places in zip(mesh["shapes"], played, strict=True):
        assert np.abs(shape["points"] - places).max() < 1e-6 * np.abs(places).max()
        assert shape["extent_off"] < 1e-6


@pytest.mark.parametrize("name", ["sheet.abc", "sheet.usdc"])
def test_what_this_blender_was_built_without_is_said_before_anything_is_done(
    sheet, tmp_path, monkeypatch, name
):
    monkeypatch.setattr(formats, "built_in", lambda: [".pc2", ".glb"])
    path, sampling = tmp_path / name, Sampling(FIRST, LAST)
    with pytest.raises(Problem, match=r"built without (Alembic|USD).*blender\.org.*glb"):
        next(motion_steps(bpy.context.scene, [sheet], path, sampling, show=False))
    with pytest.raises(Problem, match=r"built without (Alembic|USD)"):
        next(read_steps(bpy.context.scene, sheet, path, Chosen(), job=ScratchJob("read_motion")))
    assert not list(tmp_path.iterdir())
