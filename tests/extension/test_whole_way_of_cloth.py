"""Hierarchical cloth by buttons and commands: spring cloth baked, levels learned, played when packed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lengths import at_length
from whole_ways import MARKS, python_that_trains

pytestmark = [*MARKS, pytest.mark.once]

SCENE = """
from pathlib import Path
import importlib
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
ours.add_example(name="CLOTH_OVER_OBJECTS")
cloth = bpy.context.active_object
settings = cloth.neural_physics
settings.take_count, settings.take_frames, settings.preset = 3, 70, "preview"

def shape(frame):
    bpy.context.scene.frame_set(frame)
    evaluated = bpy.data.objects["Blanket"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(vertex.co) for vertex in evaluated.data.vertices]

def apart(a, b):
    return max(abs(p - q) for u, v in zip(a, b) for p, q in zip(u, v))

def plays():
    rest = [tuple(vertex.co) for vertex in bpy.data.objects["Blanket"].data.vertices]
    shown = {frame: shape(frame) for frame in range(1, 41)}
    assert apart(shown[40], rest) > 0.1
    lowest = min(co[2] for co in shown[40])
    assert -1.3 < lowest < 0.2, "it has fallen onto the balls, and hangs down beside them"
    assert all(shape(frame) == shown[frame] for frame in (7, 33, 12)), "scrubbed as played"
    return shown
"""
WAY_OF_THE_BUTTONS = (
    SCENE
    + """
assert ours.bake() == {"FINISHED"}
assert ours.train() == {"FINISHED"}
assert ours.evaluate() == {"FINISHED"}
assert ours.play() == {"FINISHED"}
shown = plays()
bpy.ops.wm.save_mainfile()
for file in HERE.rglob("*.safetensors"):
    file.unlink()  # what is packed is enough
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
assert shape(40) == shown[40]
assert shape(20) == shown[20]
settings = bpy.data.objects["Blanket"].neural_physics
settings.stretch = 20.0
bpy.context.view_layer.update()
assert shape(19) == shown[19], "what was before stays"
assert apart(shape(40), shown[40]) > 0.005, "softer from here on"
"""
)
WAY_OF_THE_COMMANDS = (
    SCENE
    + """
settings.enabled = False
settings.interactions.clear()
settings.simulation.kind = "BLENDER"
settings.method = "subspace_physics"
bpy.ops.wm.save_mainfile()
main = importlib.import_module(MODULE + ".neural_physics.blender.commands").main

def run(*words):
    assert main(words) == 0, words
    bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))

run("setup", "--object", "Blanket", "--as", "springs", "--material", "cloth")
for item in bpy.data.objects["Blanket"].neural_physics.interactions:
    assert (item.motion == "KEEP") == (item.name == "Hand"), "what has keys keeps them"
    item.motion = "WANDER"  # its keys tear so stiff a cloth
bpy.ops.wm.save_mainfile()
run("bake", "--takes", "3", "--frames", "70", "--at-once", "2")
run("train", "--method", "hierarchical_cloth", "--preset", "preview")
run("play")
plays()
"""
)


WAYS = {"commands": WAY_OF_THE_COMMANDS, "buttons": WAY_OF_THE_BUTTONS}


@pytest.mark.parametrize("way", at_length(["commands"], list(WAYS)))
def test_bake_train_play(installed: Callable[..., str], tmp_path: Path, way: str) -> None:
    installed(
        WAYS[way], timeout=900, NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, "pairs=20000", "epochs=5")
    )
