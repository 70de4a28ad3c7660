"""Rigify Human, as an artist has it from the gallery: skirt and belly are baked, trained and played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("bpy")
from lengths import at_length
from whole_ways import MARKS, python_that_trains

pytestmark = MARKS

SCENE = """
from inside_blender import apart, ours, saved_scene, shown
import json
import numpy as np
HERE = saved_scene()
scene = bpy.context.scene
assert ours.add_example(name="RIGIFY_HUMAN") == {"FINISHED"}
skirt, body, rig = (bpy.data.objects[name] for name in ("Skirt", "Body", "Rigify Human Rig"))
assert bpy.context.active_object == skirt
bpy.ops.wm.save_mainfile()
# Trainings of seconds are enough for a walk, and not for a dance.
rig.animation_data.nla_tracks.remove(rig.animation_data.nla_tracks[0])
rig.animation_data.action = bpy.data.actions["Walk"]

def bake_train_play(obj, **settings):
    for other in bpy.context.selected_objects:
        other.select_set(False)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    obj.neural_physics.preset = "preview"
    for name, value in settings.items():
        setattr(obj.neural_physics, name, value)
    assert ours.bake() == {"FINISHED"}
    takes = [json.loads(path.read_text()) for path in HERE.rglob("takes/take_*/take.json")]
    left_out = sum(last + 1 - first for take in takes for first, last, _ in take["excluded"])
    assert left_out < 0.1 * sum(take["frames"] for take in takes), "nothing is torn but here and there"
    assert ours.train() == {"FINISHED"}
    assert ours.play() == {"FINISHED"}
    played = [shown(obj, frame) for frame in range(1, LAST + 1)]
    assert np.array_equal(shown(obj, 40), played[39]), "scrubbed as played"
    return played

def without(obj):
    assert ours.stop_playing() == {"FINISHED"}
    return [shown(obj, frame) for frame in range(1, LAST + 1)]
"""
# Few takes are enough for two actions, none of which is kept for testing.
SKIRT = """
LAST = 70
for action in [action for action in bpy.data.actions if action.name not in ("Walk", "Sway")]:
    bpy.data.actions.remove(action)
skirt.neural_physics.interactions[0].test_action = ""
# Before other frames: the first step pushes cloth by how the body came to be where it is at that frame.
cloth = [shown(skirt, frame) for frame in range(1, LAST + 1)]
played = bake_train_play(skirt, take_count=4, take_frames=200)
still = [np.mean(cloth[20:], axis=0)] * len(cloth)
off, moved = apart(played[20:], cloth[20:]), apart(still[20:], cloth[20:])
assert off < 0.85 * moved, (off, moved)
"""
BELLY = """
LAST = 60
body.neural_physics.simulation.tetrahedra, body.neural_physics.simulation.steps = 2500, 1
played = bake_train_play(body, take_count=8, take_frames=60, pose_count=20)
skinned = without(body)
moves = np.abs(np.array(played) - np.array(skinned)).max(axis=(0, 2))
assert 0.001 < apart(played, skinned) < 0.05, "flesh that swings a little around its bones"
places = np.array([vertex.co for vertex in body.data.vertices])
belly = (np.abs(places[:, 2] - 1.2) < 0.1) & (places[:, 1] < -0.15)
hands = np.abs(places[:, 0]) > 0.6
assert belly.sum() > 20 and moves[belly].mean() > 2.0 * moves[hands].mean(), "the belly is what is soft"
furthest = [(round(float(moves[v]), 3), *places[v].round(2).tolist()) for v in np.argsort(-moves)[:60:6]]
assert moves.max() < 0.2, furthest
"""
WAYS = {
    "skirt": (SKIRT, ("steps=600",)),
    "belly": (BELLY, ("frames=60", "generations=1", "poses=60", "steps=200")),
}


# Minutes each.
@pytest.mark.once
@pytest.mark.parametrize("way", at_length(["belly"], ["belly", "skirt"]))
def test_bake_train_play(installed: Callable[..., str], tmp_path: Path, way: str) -> None:
    script, steps = WAYS[way]
    installed(SCENE + script, timeout=900, NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, *steps))
