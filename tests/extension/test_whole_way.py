"""Set up, bake, train, play, share: the whole way in one Blender, and what a second person then sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import MARKS, python_that_trains

pytestmark = MARKS

SETTINGS = """
from pathlib import Path
import importlib
from inside_blender import few_vertices
HERE = Path.cwd()
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
few_vertices()
bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.take_count, settings.take_frames = 3, 60
settings.preset, settings.basis_count = "preview", 8

def shape(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(vertex.co) for vertex in mesh.vertices]
"""
WAY_OF_THE_BUTTONS = (
    SETTINGS
    + """
assert not bpy.ops.neural_physics.train.poll(), "nothing is baked yet"
assert bpy.ops.neural_physics.bake() == {"FINISHED"}
assert bpy.ops.neural_physics.bake() == {"FINISHED"}, "baking again keeps what is there"
assert bpy.ops.neural_physics.train() == {"FINISHED"}
assert settings.model is not None, "a trained model is packed"
assert bpy.ops.neural_physics.evaluate() == {"FINISHED"}
assert (HERE / "neural_physics" / "scene" / "Sheet" / "report.html").is_file()
assert bpy.ops.neural_physics.show_evaluation() == {"FINISHED"}
assert bpy.ops.neural_physics.hide_evaluation() == {"FINISHED"}
assert bpy.ops.neural_physics.play() == {"FINISHED"}
scene = bpy.context.scene
scene.frame_set(20)
played = shape(sheet)
assert played != [tuple(v.co) for v in sheet.data.vertices]
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "shared.blend"))

# Somebody else: only the .blend.
for path in (HERE / "neural_physics").rglob("*"):
    if path.is_file():
        path.unlink()
bpy.ops.wm.open_mainfile(filepath=str(HERE / "shared.blend"))
sheet = bpy.data.objects["Sheet"]
bpy.context.scene.frame_set(20)
assert shape(sheet) == played, "a packed scene plays the same with no further step"

assert bpy.ops.neural_physics.bake_playback(filepath=str(HERE / "out.pc2"), first=1, last=20) == {"FINISHED"}
bpy.context.scene.frame_set(20)
gap = max(abs(a - b) for p, q in zip(shape(sheet), played) for a, b in zip(p, q))
assert gap < 1e-6, gap
assert bpy.ops.neural_physics.stop_playing() == {"FINISHED"}
assert [m.type for m in sheet.modifiers if m.show_viewport] == ["CLOTH"]
assert bpy.ops.neural_physics.unpack() == {"FINISHED"}
assert bpy.ops.neural_physics.pack() == {"FINISHED"}
"""
)
WAY_OF_THE_COMMANDS = (
    SETTINGS
    + """
bpy.ops.wm.save_mainfile()
main = importlib.import_module(MODULE + ".neural_physics.blender.commands").main

def run(*words):
    assert main(words) == 0, words
    bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))

run("bake", "--takes", "3", "--frames", "70", "--at-once", "2")
run("train", "--preset", "preview", "--bases", "8")
run("evaluate")
assert bpy.data.objects["Sheet"].neural_physics.model is not None
run("play")
assert bpy.data.objects["Sheet"].neural_physics.playing
run("play", "--cache", "out.pc2", "--first", "1", "--last", "12")
assert Path("out.pc2").stat().st_size == 32 + 12 * len(bpy.data.objects["Sheet"].data.vertices) * 12
run("stop")
assert not bpy.data.objects["Sheet"].neural_physics.playing
"""
)


@pytest.mark.parametrize("way", [WAY_OF_THE_BUTTONS, WAY_OF_THE_COMMANDS], ids=["buttons", "commands"])
def test_bake_train_play_share(installed: Callable[..., str], tmp_path: Path, way: str) -> None:
    installed(way, timeout=900, NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, "steps=60"))


def test_training_without_a_python_says_where_to_choose_one(installed: Callable[..., str]) -> None:
    installed(
        SETTINGS
        + """
settings.take_count, settings.take_frames = 2, 30
bpy.ops.neural_physics.bake()
try:
    bpy.ops.neural_physics.train()
except RuntimeError as error:
    assert "/nowhere/python" in str(error) and "Preferences" in str(error), error
else:
    raise AssertionError("trained without a Python")
""",
        timeout=300,
        NEURAL_PHYSICS_PYTHON="/nowhere/python",
    )
