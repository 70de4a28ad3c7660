"""A character of Rigify, as Blender ships it: a skirt and its own flesh are baked, trained and played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("bpy")
import bpy
from lengths import AT_FULL_LENGTH
from whole_ways import MARKS, python_that_trains

ROOT = Path(__file__).resolve().parents[2]
pytestmark = MARKS

SCENE = f"""
sys.path.insert(0, {str(ROOT / "tests")!r})
from inside_blender import apart, ours, saved_scene, shown
from rigify_character import HUMAN, WOLF, add_blanket, add_character, add_dances, add_skirt
import numpy as np
HERE = saved_scene()
scene = bpy.context.scene
rig, body = add_character(KIND)
dances = add_dances(rig, 4, 80, KIND)

def choose(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj

def bake_train_play(obj):
    settings = obj.neural_physics
    settings.preset = "preview"
    assert settings.interactions["rig"].motion == "ACTIONS", "what its dances are for"
    assert ours.bake() == {{"FINISHED"}}
    assert ours.train() == {{"FINISHED"}}
    assert ours.play() == {{"FINISHED"}}
    rig.animation_data.action = dances[0]
    played = [shown(obj, frame) for frame in range(1, 61)]
    assert all(np.array_equal(shown(obj, frame), played[frame - 1]) for frame in (40, 7, 52, 1)), "scrubbed"
    assert ours.stop_playing() == {{"FINISHED"}}
    return played
"""
GARMENT = (
    SCENE
    + """
garment = GARMENT(rig)
body.modifiers.new("Collision", "COLLISION")
body.collision.thickness_outer = 0.01
choose(garment)
assert ours.set_up() == {"FINISHED"}
near = {bone.name for bone in garment.neural_physics.interactions["rig"].bones}
assert NEAR <= near, near
assert not any(name in near for name in ("DEF-lip.T.L", "DEF-f_index.01.L", "DEF-toe.L")), near
garment.neural_physics.take_count, garment.neural_physics.take_frames = 4, 150
played = bake_train_play(garment)
cloth = [shown(garment, frame) for frame in range(1, 61)]
still = [np.mean(cloth, axis=0)] * len(cloth)
off, moved = apart(played[10:], cloth[10:]), apart(still[10:], cloth[10:])
assert off < 0.5 * moved, (off, moved)
"""
)
FLESH = (
    SCENE
    + """
body.shape_key_add(name="Basis")
bulge = body.shape_key_add(name="Bulge", from_mix=False)
bulge.slider_min, bulge.value = -1.0, 0.0
middle = np.mean([v.co for v in body.data.vertices if abs(v.co.x) < 0.05], axis=0)
far = [float(np.linalg.norm(np.array(v.co) - middle)) for v in body.data.vertices]
trunk = [v for v in range(len(far)) if far[v] < 0.2]
for v in trunk:
    bulge.data[v].co = body.data.vertices[v].co + (0.2 - far[v]) * body.data.vertices[v].normal
driver = bulge.driver_add("value").driver
driver.type = "SUM"
turned = driver.variables.new()
turned.targets[0].id, turned.targets[0].data_path = rig, 'pose.bones["hips"].rotation_euler[0]'
choose(body)
assert ours.set_up_solver(kind="SOLID", method="quasistatic_springs") == {"FINISHED"}
settings = body.neural_physics
assert settings.simulation.bone_radius > 0.01, "its bones hold it"
settings.simulation.tetrahedra, settings.simulation.steps = 2000, 1
settings.take_count, settings.take_frames, settings.pose_count = 2, 80, 20
played = bake_train_play(body)
skinned = [shown(body, frame) for frame in range(1, 61)]
assert 0.0005 < apart(played, skinned) < 0.05, "flesh that swings a little around its bones"
away = np.abs(np.array(played) - np.array(skinned)).max(axis=(0, 2))
furthest = [(round(float(away[v]), 3), *body.data.vertices[v].co) for v in np.argsort(-away)[:200:10]]
assert away.max() < 0.2, furthest
bulge.mute = True
without = [shown(body, frame)[trunk] for frame in range(1, 61)]
corrected, off = (apart(np.array(skinned)[:, trunk], each) for each in (without, np.array(played)[:, trunk]))
assert corrected > 0.006 and off < 0.8 * corrected, (corrected, off)
"""
)


WAYS = {
    "garment": (GARMENT, ("steps=600",)),
    "flesh": (FLESH, ("frames=60", "generations=1", "poses=60", "steps=200")),
}
CHARACTERS = {
    "human": ("HUMAN", "add_skirt", {"DEF-spine", "DEF-thigh.L", "DEF-thigh.R"}),
    "wolf": ("WOLF", "add_blanket", {"DEF-spine.005", "DEF-spine.006", "DEF-spine.007"}),
}


# Each of both in each Blender, and each pair in one of them: minutes each.
PAIRS = [("garment", "human"), ("flesh", "wolf")], [("garment", "wolf"), ("flesh", "human")]


@AT_FULL_LENGTH  # else: test_whole_way_of_rigify_human
@pytest.mark.parametrize(("way", "character"), PAIRS[bpy.app.version >= (5, 0)])
def test_bake_train_play(installed: Callable[..., str], tmp_path: Path, way: str, character: str) -> None:
    script, steps = WAYS[way]
    kind, garment, near = CHARACTERS[character]
    script = script.replace("KIND", kind).replace("GARMENT", garment).replace("NEAR", repr(near))
    installed(script, timeout=900, NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, *steps))
