"""The commands: one sentence and a status other than 0 for everything that cannot be done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

COMMANDS = """
import contextlib, importlib, io
main = importlib.import_module(MODULE + ".neural_physics.blender.commands").main

def run(*words):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = main(words)
    return status, said.getvalue().strip()

def refused(status, part, *words):
    found, said = run(*words)
    assert found == status, (found, said)
    assert part in said and "Traceback" not in said and len(said.splitlines()) == 1, said
"""
EXAMPLE = """
from pathlib import Path
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
bpy.ops.wm.save_as_mainfile(filepath=str(Path("scene.blend").absolute()))
"""


def test_a_wrong_command_line_ends_with_2_and_a_sentence(installed: Callable[..., str]) -> None:
    installed(
        COMMANDS
        + """
refused(2, "required", )
refused(2, "invalid choice: 'cook'", "cook")
refused(2, "--speed", "bake", "--speed", "9")
refused(2, "'many'", "bake", "--takes", "many")
refused(2, "0 is not between 1 and 1000", "bake", "--takes", "0")
refused(2, "5000 is not between 1 and 1000", "bake", "--takes", "5000")
refused(2, "invalid choice", "train", "--preset", "perfect")
"""
    )


def test_a_scene_that_could_not_be_opened_ends_with_1(installed: Callable[..., str]) -> None:
    installed(COMMANDS + 'refused(1, "No scene is open", "bake")')


def test_what_cannot_be_done_ends_with_1_and_its_reason(installed: Callable[..., str]) -> None:
    installed(
        COMMANDS
        + EXAMPLE
        + """
refused(1, "There is no object “Curtain”", "bake", "--object", "Curtain")
refused(1, "Sheet has no takes", "train")
refused(1, "has no model", "play")
refused(1, "is not there", "play", "--model", "nowhere.safetensors")
refused(1, "Ball", "setup", "--object", "Ball")
""",
        NEURAL_PHYSICS_PYTHON="/nowhere/python",
    )


def test_set_up_finds_what_the_cloth_reacts_to_and_saves(installed: Callable[..., str]) -> None:
    installed(
        COMMANDS
        + EXAMPLE
        + """
sheet = bpy.data.objects["Sheet"]
sheet.neural_physics.interactions.clear()
sheet.neural_physics.enabled = False
assert run("setup", "--object", "Sheet", "--save", "other.blend") == (0, "")
bpy.ops.wm.open_mainfile(filepath=str(Path("other.blend").absolute()))
found = bpy.data.objects["Sheet"].neural_physics.interactions
assert [item.object.name for item in found] == ["Ball"], list(found.keys())
low, high = found[0].box_low, found[0].box_high
assert all(a <= b <= c for a, b, c in zip(low, bpy.data.objects["Ball"].location, high))
"""
    )


def test_a_point_cache_of_another_program_becomes_a_take(installed: Callable[..., str]) -> None:
    installed(
        COMMANDS
        + EXAMPLE
        + """
import numpy as np
point_caches = importlib.import_module(MODULE + ".neural_physics.point_caches")
sheet = bpy.data.objects["Sheet"]
rest = np.array([v.co[:] for v in sheet.data.vertices], np.float32)
positions = rest + 0.01 * np.arange(80, dtype=np.float32)[:, None, None]
point_caches.write_pc2(Path("other.pc2"), positions)
Path("other.csv").write_text("Ball.x,Ball.y,Ball.z\\n" + "0.5,0,0\\n" * 80)
assert run("import", "other.pc2") == (0, "")
folder = Path("neural_physics/scene/Sheet/dataset/takes/take_000")
assert np.array_equal(point_caches.read_pc2(folder / "positions.pc2"), positions)
refused(1, "is not there", "import", "missing.pc2")
"""
    )
