"""Bake with the bundled solver, train, play: the whole way in one Blender, by buttons and by commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from whole_ways import MARKS, python_that_trains

pytestmark = MARKS

SCENE = """
from pathlib import Path
import importlib
HERE = Path.cwd()
DATASET = HERE / "neural_physics" / "scene" / "Beam" / "dataset"
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
bpy.ops.neural_physics.add_example(name="CANTILEVER")
beam = bpy.context.active_object
settings = beam.neural_physics

def shape(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(vertex.co) for vertex in mesh.vertices]

def bends_where_it_is_played():
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(20)
    beam = bpy.data.objects["Beam"]
    moved = [abs(a[2] - v.co[2]) for a, v in zip(shape(beam), beam.data.vertices)]
    return max(moved) > 1e-3
"""
WAY_OF_THE_BUTTONS = (
    SCENE
    + """
settings.take_count, settings.take_frames = 3, 60
settings.preset, settings.basis_count = "preview", 8
settings.simulation.tetrahedra = 300
assert bpy.ops.neural_physics.bake() == {"FINISHED"}
bodies = list(DATASET.glob("body.npz"))
assert bodies, "the body is kept beside the takes"
made = bodies[0].stat().st_mtime_ns
assert len(list(DATASET.glob("takes/*/body.pc2"))) == 3 and not (DATASET / "bake").exists()
assert bpy.ops.neural_physics.bake() == {"FINISHED"}, "baking again keeps what is there"
assert bodies[0].stat().st_mtime_ns == made
assert bpy.ops.neural_physics.train() == {"FINISHED"}
assert bpy.ops.neural_physics.evaluate() == {"FINISHED"}
assert bpy.ops.neural_physics.play() == {"FINISHED"}
assert bends_where_it_is_played()
assert bpy.ops.neural_physics.stop_playing() == {"FINISHED"}

settings.simulation.young *= 2.0
settings.take_count = 4
try:
    bpy.ops.neural_physics.bake()
except RuntimeError as error:
    assert "Simulation settings (young) changed since Beam was baked" in str(error), error
else:
    raise AssertionError("takes of two materials in one dataset")
"""
)
WAY_OF_LATENT_DYNAMICS = (
    SCENE
    + """
settings.method = "latent_dynamics"
settings.take_count, settings.take_frames = 2, 90
settings.preset, settings.basis_count, settings.latent_count = "preview", 12, 4
settings.simulation.tetrahedra = 150
assert bpy.ops.neural_physics.bake() == {"FINISHED"}
assert bpy.ops.neural_physics.train() == {"FINISHED"}
assert bpy.ops.neural_physics.evaluate() == {"FINISHED"}
assert bpy.ops.neural_physics.play() == {"FINISHED"}
assert bends_where_it_is_played()
shown = shape(beam)
bpy.context.scene.frame_set(3)
bpy.context.scene.frame_set(20)
assert shape(beam) == shown, "scrubbed as played"
bpy.ops.wm.save_mainfile()
for file in HERE.rglob("*.safetensors"):
    file.unlink()  # what is packed is enough
bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
bpy.context.scene.frame_set(20)
assert shape(bpy.data.objects["Beam"]) == shown
"""
)
WAY_OF_THE_COMMANDS = (
    SCENE
    + """
settings.enabled = False
settings.interactions.clear()
settings.simulation.kind = "BLENDER"
settings.simulation.pins = "Pins"
bpy.ops.wm.save_mainfile()
main = importlib.import_module(MODULE + ".neural_physics.blender.commands").main

def run(*words):
    assert main(words) == 0, words
    bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))

run("setup", "--object", "Beam", "--as", "solid", "--material", "rubber")
settings = bpy.data.objects["Beam"].neural_physics
assert settings.simulation.kind == "SOLID" and settings.simulation.young > 5e5
assert [item.name for item in settings.interactions] == ["Clamp"]
settings.simulation.young, settings.simulation.tetrahedra = 5e6, 300
assert settings.interactions[0].motion == "KEEP", "the clamp is keyed"
settings.interactions[0].motion = "WANDER"  # else all takes would be the same
bpy.ops.wm.save_mainfile()
run("bake", "--takes", "3", "--frames", "60", "--at-once", "2")
assert len(list(DATASET.glob("takes/*/body.pc2"))) == 3
run("train", "--preset", "preview", "--bases", "8")
run("play")
assert bends_where_it_is_played()
"""
)


IN_SECONDS = {
    "buttons": (WAY_OF_THE_BUTTONS, ["steps=60"]),
    "latent_dynamics": (WAY_OF_LATENT_DYNAMICS, ["coder_steps=200", "imagined=80", "steps=200"]),
    "commands": (WAY_OF_THE_COMMANDS, ["steps=60"]),
}


@pytest.mark.parametrize(
    ("way", "training"),
    [
        pytest.param(*given, id=name, marks=[pytest.mark.once] if name != "buttons" else [])
        for name, given in IN_SECONDS.items()
    ],
)
def test_bake_train_play(
    installed: Callable[..., str], tmp_path: Path, way: str, training: list[str]
) -> None:
    installed(way, timeout=900, NEURAL_PHYSICS_PYTHON=python_that_trains(tmp_path, *training))
