"""Baked poses as FBX and Alembic: what other programs read there is what the takes hold."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import rigs
from test_import_from_scene import to_the_end
from test_point_caches import pc2_bytes
from test_spring_play import tube_on_bones

from neural_physics.blender.exchange import formats
from neural_physics.blender.exchange.exporters import import_scene
from neural_physics.blender.exchange.poses.pose_exporting import pose_steps, shapes_beside
from neural_physics.blender.settings.own_folders import scratch_folder
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender
FRAMES = 20


@pytest.fixture
def posed(tmp_path):
    """The tube on its rig, a take in which it swells, and both as they were: (T, V, 3), m, in the world."""
    scene, rig, tube = tube_on_bones()
    rig.scale = (1.5, 1.5, 1.5)
    rig.rotation_euler.y = 0.4
    tube.data.uv_layers.new(name="Unwrapped")
    tube.data.materials.append(bpy.data.materials.new("Skin"))
    tube.data.name = "Tube Mesh"
    settings_of(tube).dataset_folder = str(tmp_path / "dataset")
    settings_of(tube).start_frame = 1
    carried, true = [], []
    rng = np.random.default_rng(4)
    for frame in range(1, 1 + FRAMES):
        scene.frame_set(frame)
        carried.append(rigs.shown(tube).astype(float))
        true.append(carried[-1] + 0.02 * rng.normal(size=carried[-1].shape))
    world = np.array(tube.matrix_world)
    local = (np.array(true) - world[:3, 3]) @ np.linalg.inv(world[:3, :3]).T
    (tmp_path / "flesh.pc2").write_bytes(pc2_bytes(local.astype(np.float32)))
    take = to_the_end(object_tasks.import_steps(scene, tube, tmp_path / "flesh.pc2", None, role="training"))
    assert take[0]
    (tmp_path / "out").mkdir()
    return tube, np.array(carried), np.array(true)


def read(path):
    """In an empty scene of centimetres and 30 frames a second, as Unreal has it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    bpy.context.scene.unit_settings.scale_length = 0.01
    if path.suffix == ".fbx":
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
        bpy.ops.import_scene.fbx(filepath=str(path))
        loosen(next(obj for obj in bpy.data.objects if obj.type == "ARMATURE"))
    else:
        import_scene(path)
    return next(obj for obj in bpy.data.objects if obj.type == "MESH")


def loosen(rig):
    """Blender's importer connects bones that touch, and those have no location."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")


def shapes_in(obj, first):
    found = []
    for frame in range(first, first + FRAMES):
        bpy.context.scene.frame_set(frame)
        found.append(rigs.shown(obj).astype(float))
    return np.array(found)


def test_both_files_have_the_takes_frame_by_frame_and_vertex_by_vertex(posed, tmp_path):
    tube, carried, true = posed
    path = tmp_path / "out" / "tube.fbx"
    frame = bpy.context.scene.frame_current
    said, seen = to_the_end(pose_steps(tube, path))
    assert said.startswith(f"{FRAMES} poses of 3 bones, at most ")
    assert float(said.split("at most ")[1].split()[0]) < 0.01
    assert bpy.context.scene.frame_current == frame and seen[-1][0] <= seen[-1][1]
    assert sorted(each.name for each in path.parent.iterdir()) == ["tube.fbx", "tube_shapes.abc"]
    assert not list(scratch_folder().iterdir())
    assert [obj.name for obj in bpy.data.objects if obj.type in ("MESH", "ARMATURE")].count("Tube") == 1
    assert not {"Body", "Skeleton"} & set(bpy.data.objects.keys())
    there = read(shapes_beside(path))
    assert there.name == "Tube" and [slot.name for slot in there.material_slots] == ["Skin"]
    off = np.abs(shapes_in(there, 0) - 100.0 * true).max()
    print(f"Alembic: at most {off:.2g} cm off")
    assert off < 1e-3
    there = read(path)
    assert there.name == "Tube" and there.parent.name == "Rig" and len(there.parent.data.bones) == 3
    assert [bone.name for bone in there.parent.data.bones] == ["bone0", "bone1", "bone2"]
    assert there.parent.data.bones["bone2"].parent.name == "bone1"
    assert there.data.uv_layers[0].name == "Unwrapped"
    assert np.array(there.parent.matrix_world.to_scale()) == pytest.approx(np.ones(3), abs=1e-6)
    off = np.abs(shapes_in(there, first_key(there.parent)) - 100.0 * carried).max()
    print(f"FBX: at most {off:.2g} cm off")
    assert off < 2e-2


def first_key(rig):
    return round(rig.animation_data.action.frame_range[0])


def test_what_cannot_be_is_a_sentence_and_nothing_is_written(posed, tmp_path, monkeypatch):
    tube, _, _ = posed
    out = tmp_path / "out"

    def refused(name="tube.fbx", **more):
        with pytest.raises(Problem) as caught:
            to_the_end(pose_steps(tube, out / name, **more))
        return caught.value.code

    assert refused("tube.abc") == "poses_not_fbx"
    assert refused(takes=["nothing"]) == "take_unknown"
    rig = bpy.data.objects["Rig"]
    rig.data.bones["bone1"].name = "other"
    assert refused() == "poses_other_rig"
    rig.data.bones["other"].name = "bone1"
    (out / "tube_shapes.abc").mkdir()
    assert refused() == "file_is_folder"
    (out / "tube_shapes.abc").rmdir()
    with monkeypatch.context() as patched:
        patched.setattr(formats, "built_in", lambda: [".pc2"])
        assert refused() == "format_not_built_in"
    settings_of(tube).dataset_folder = str(tmp_path / "nowhere")
    assert refused() == "dataset_missing"
    assert not list(out.iterdir())


def test_stopped_it_leaves_what_was_there(posed, tmp_path):
    tube, _, _ = posed
    path = tmp_path / "out" / "tube.fbx"
    path.write_text("mine")
    steps = pose_steps(tube, path)
    for done, total in steps:
        if done >= 0.5 * total:  # the other Blender has begun
            break
    steps.close()
    assert path.read_text() == "mine" and [each.name for each in path.parent.iterdir()] == ["tube.fbx"]
    assert not list(scratch_folder().iterdir())
