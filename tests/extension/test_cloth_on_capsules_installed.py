"""Hierarchical cloth that collides with capsules, by its buttons, in a Blender with the zip installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(ROOT / "tests/methods/hierarchical_cloth")!r}]
import numpy as np
from cloth_models import MESH, cloth_model_file
from drawn_panels import drawn
from inside_blender import ours, saved_scene

HERE = saved_scene()

def add(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj

data = bpy.data.meshes.new("Sheet")
faces = np.split(MESH.corners, np.cumsum(MESH.face_sizes)[:-1])
data.from_pydata(MESH.rest_positions.tolist(), [], [face.tolist() for face in faces])
sheet, hand, ball = add("Sheet", data), add("Hand"), add("Ball")
sheet.modifiers.new("Cloth", "CLOTH")
for frame, y in ((1, -0.6), (25, 0.15)):
    ball.location = (0.0, y, -0.5)
    ball.keyframe_insert("location", frame=frame)
bpy.context.view_layer.objects.active = sheet
(HERE / "sheet.safetensors").write_bytes(cloth_model_file(weights=0.0))
ours.import_model(filepath="//sheet.safetensors")
"""


def test_cloth_meets_the_capsule_that_a_button_added_and_the_panel_says_so(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
ours.play()
for obj in (sheet, ball):
    obj.select_set(True)
hand.select_set(False)
ours.add_capsule()
capsule = sheet.neural_physics.capsules[0]
assert capsule.source == ball
capsule.start = capsule.end = (0.0, 0.0, 0.0)
capsule.start_radius = capsule.end_radius = 0.2
sheet.neural_physics.projection.depth_limit = 0.0  # what pushes afterwards leaves all as it is

def shown():
    evaluated = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([vertex.co[:] for vertex in evaluated.data.vertices])

free = MESH.pins == 0
for frame in range(1, 31):
    bpy.context.scene.frame_set(frame)
    away = np.linalg.norm(shown()[free] - np.array(ball.matrix_world.translation), axis=1)
    assert away.min() > 0.2 + 0.004 - 1e-5, (frame, away.min())
assert away.min() < 0.25, away.min()
assert shown()[free, 1].max() > 0.3

assert "collides with the capsules" in drawn("capsules", sheet).words
capsule.enabled = False
bpy.context.view_layer.update()
bpy.context.scene.frame_set(30)
assert "collides with the capsules" not in drawn("capsules", sheet).words
assert np.linalg.norm(shown()[free] - np.array(ball.matrix_world.translation), axis=1).min() < 0.19
"""
    )
