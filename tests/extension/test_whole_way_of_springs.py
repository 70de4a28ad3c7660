"""Flesh on bones, baked by the bundled solver: a network of poses and springs, all by buttons (Jin 2022)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import MARKS, python_that_trains

pytestmark = [*MARKS, pytest.mark.once]

SCENE = """
import importlib, math, random
from pathlib import Path
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
scene = bpy.context.scene
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def add_rig():
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    lower = data.edit_bones.new("lower")
    lower.head, lower.tail = (0, 0, 0), (0, 0, 0.5)
    upper = data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 0.5), (0, 0, 1), lower
    bpy.ops.object.mode_set(mode="OBJECT")
    numbers = random.Random(1)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    for frame in range(1, 260, 9):
        lower, upper = rig.pose.bones
        upper.rotation_euler = [numbers.uniform(-0.4, 0.4) for _ in range(3)]
        lower.location = [numbers.uniform(-0.08, 0.08) for _ in range(3)]
        upper.keyframe_insert("rotation_euler", frame=frame)
        lower.keyframe_insert("location", frame=frame)
    return rig

def add_flesh(rig):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.3, location=(0, 0, 0))
    flesh = bpy.context.active_object
    flesh.name = "Flesh"
    for vertex in flesh.data.vertices:
        vertex.co.z = 0.5 + 2.0 * vertex.co.z
    for name in ("lower", "upper"):
        group = flesh.vertex_groups.new(name=name)
        for vertex in flesh.data.vertices:
            share = min(1.0, max(0.0, vertex.co.z * 2.0 - 0.5))
            group.add([vertex.index], share if name == "upper" else 1.0 - share, "REPLACE")
    flesh.modifiers.new("Armature", "ARMATURE").object = rig
    return flesh

def shape(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(vertex.co) for vertex in mesh.vertices]

rig = add_rig()
flesh = add_flesh(rig)
settings = flesh.neural_physics
settings.simulation.kind = "SOLID"
settings.simulation.young, settings.simulation.bone_radius = 1e4, 0.12
settings.simulation.tetrahedra, settings.simulation.steps = 400, 1
assert ours.set_up() == {"FINISHED"}
settings.interactions["Rig"].motion = "KEEP"
settings.take_count, settings.take_frames, settings.pose_count = 1, 120, 30
settings.preset = "preview"
"""
WAY = (
    SCENE
    + """
assert ours.bake() == {"FINISHED"}
settings.method = "quasistatic_springs"
try:
    ours.train()
except RuntimeError as error:
    assert "does not record how bones move Flesh" in str(error), error
else:
    raise AssertionError("a dataset without bones was not refused")
settings.dataset_folder = "//springs"
assert ours.bake() == {"FINISHED"}
baked = HERE / "springs" / "takes" / "take_000"
settings.dataset_folder = "//imported"
assert ours.import_take(filepath=str(baked / "positions.pc2")) == {"FINISHED"}
imported = HERE / "imported" / "takes" / "take_000" / "interaction.npy"
assert imported.read_bytes() == (baked / "interaction.npy").read_bytes(), "the scene has what was baked"
settings.dataset_folder = "//springs"
assert ours.export_poses(filepath="//poses.fbx") == {"FINISHED"}
assert (HERE / "poses.fbx").stat().st_size > 10_000 and (HERE / "poses_shapes.abc").stat().st_size > 10_000
assert ours.train() == {"FINISHED"}
assert any(b"network.seen" in file.read_bytes() for file in HERE.rglob("*.safetensors")), "poses are learned"
assert ours.play() == {"FINISHED"}

def played(frames):
    found = {}
    for frame in frames:
        scene.frame_set(frame)
        found[frame] = shape(flesh)
    return found

forward = played(range(1, 60))
scene.frame_set(1)
backward = played((40, 7, 41, 59, 2, 40))
assert all(forward[frame] == backward[frame] for frame in backward), "scrubbed as played"
assert ours.stop_playing() == {"FINISHED"}
bones = played(range(1, 60))
def apart(a, b):
    return max(math.dist(p, q) for p, q in zip(a, b))
jiggle = max(apart(forward[frame], bones[frame]) for frame in bones)
assert 0.01 < jiggle < 0.6, jiggle
assert ours.play() == {"FINISHED"}
scene.frame_set(50)
bpy.ops.wm.save_mainfile()
for file in HERE.rglob("*.safetensors"):
    file.unlink()  # what is packed is enough
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
bpy.context.scene.frame_set(50)
assert shape(bpy.data.objects["Flesh"]) == forward[50]
"""
)


def test_bake_train_play(installed: Callable[..., str], tmp_path: Path) -> None:
    installed(
        WAY,
        timeout=900,
        NEURAL_PHYSICS_PYTHON=python_that_trains(
            tmp_path, "frames=60", "generations=1", "poses=60", "steps=200"
        ),
    )
