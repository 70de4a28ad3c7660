"""A block that a ball presses and a hand pulls: contact corrections, all by buttons (Romero 2021)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import MARKS, python_that_trains

pytestmark = [*MARKS, pytest.mark.once]

SCENE = """
import math
from pathlib import Path
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
scene = bpy.context.scene
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def add_empty(name, place):
    empty = bpy.data.objects.new(name, None)
    scene.collection.objects.link(empty)
    empty.location = place
    return empty

hand = add_empty("Hand", (0, 0, 0))
bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=0.15, location=(0, 0, 0.6))
ball = bpy.context.active_object
ball.name = "Ball"
ball.modifiers.new("Collision", "COLLISION")
bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, 0, 0))
block = bpy.context.active_object
block.name = "Block"
for vertex in block.data.vertices:
    vertex.co.z += 0.2
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.subdivide(number_cuts=2)
bpy.ops.object.mode_set(mode="OBJECT")
foot = [vertex.index for vertex in block.data.vertices if vertex.co.z < 1e-4]
block.vertex_groups.new(name="foot").add(foot, 1.0, "REPLACE")
hook = block.modifiers.new("Hook", "HOOK")
hook.object, hook.vertex_group = hand, "foot"
settings = block.neural_physics
settings.simulation.kind = "SOLID"
settings.simulation.young, settings.simulation.damping = 3e4, 0.02
settings.simulation.tetrahedra, settings.simulation.steps = 150, 1
settings.simulation.filling = "cage"  # is the same each time, and so is how deep the ball can press it
settings.simulation.pins = "foot"
settings.method = "contact_corrections"
assert ours.set_up() == {"FINISHED"}
assert [item.name for item in settings.interactions] == ["Hand", "Ball"]
for item, low, high in zip(
    settings.interactions, ((-0.05, -0.05, 0.0), (-0.2, -0.2, 0.45)), ((0.05, 0.05, 0.05), (0.2, 0.2, 0.6))
):
    item.motion, item.box_low, item.box_high, item.fastest = "WANDER", low, high, 0.8
settings.take_count, settings.take_frames = 2, 80
settings.preset, settings.basis_count = "preview", 16

places = [(x, y, 0.34) for x in (-0.14, 0.14) for y in (-0.14, 0.14)] + [(0.0, 0.0, 0.34)]
grips = [add_empty(f"Grip {number}", place) for number, place in enumerate(places)]
bpy.ops.object.select_all(action="DESELECT")
for empty in grips:
    empty.select_set(True)
bpy.context.view_layer.objects.active = block
assert ours.add_handle() == {"FINISHED"}
assert sorted(item.name for item in settings.handles) == [empty.name for empty in grips]

def shape(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(vertex.co) for vertex in mesh.vertices]

def apart(a, b):
    return max(math.dist(p, q) for p, q in zip(a, b))

def played(obj, frames):
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = shape(obj)
    return found
"""
WAY = (
    SCENE
    + """
assert ours.bake() == {"FINISHED"}
grips[3].location.x = 0.5
bpy.context.view_layer.update()
try:
    ours.train()
except RuntimeError as error:
    assert "The handle Grip 3 is outside Block" in str(error), error
else:
    raise AssertionError("a handle outside was not refused")
grips[3].location.x = 0.14
bpy.context.view_layer.update()
assert ours.train() == {"FINISHED"}
assert ours.evaluate() == {"FINISHED"}
for frame in range(1, 60, 10):
    hand.location = (0.05 * math.sin(frame), 0.0, 0.0)
    ball.location = (0.0, 0.0, 0.6 if frame < 30 else 0.45)
    hand.keyframe_insert("location", frame=frame)
    ball.keyframe_insert("location", frame=frame)
assert ours.play() == {"FINISHED"}
forward = played(block, range(1, 60))
assert apart(forward[55], forward[1]) > 0.02, "it sways, and the ball has pressed it down"
top = [v.index for v in block.data.vertices if v.co.z > 0.39 and max(abs(v.co.x), abs(v.co.y)) < 0.1]
heights = [sum(forward[frame][v][2] for v in top) / len(top) for frame in (5, 55)]
assert heights[1] < heights[0] - 0.01, heights
scene.frame_set(1)
backward = played(block, (40, 7, 41, 59, 2, 40))
assert all(forward[frame] == backward[frame] for frame in backward), "scrubbed as played"
scene.frame_set(20)
settings.handles["Grip 3"].hold = True
grips[3].location.z += 0.1
bpy.context.view_layer.update()
corner = max(block.data.vertices, key=lambda vertex: sum(vertex.co)).index
assert shape(block)[corner][2] > forward[20][corner][2] + 0.05, "it goes where it is pulled, at once"
settings.handles["Grip 3"].hold = False
scene.frame_set(1)
forward = played(block, range(1, 51))
bpy.ops.wm.save_mainfile()
for file in HERE.rglob("*.safetensors"):
    file.unlink()  # what is packed is enough
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
bpy.context.scene.frame_set(50)
assert shape(bpy.data.objects["Block"]) == forward[50]
"""
)


def test_bake_train_evaluate_play(installed: Callable[..., str], tmp_path: Path) -> None:
    installed(
        WAY,
        timeout=900,
        NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, "poses=20", "traverses=2", "epochs=60"),
    )
