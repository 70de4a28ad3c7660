"""`blender -b SCENE.blend --command neural_physics ...` in Blender itself."""

from __future__ import annotations

import shutil

import pytest
from blender_window import OUT, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]


def command(window: Window, scene: object, *words: object) -> tuple[int, str]:
    return window.run("bg", scene, "--command", "neural_physics", *words)


def test_commands_in_blender_itself(window: Window) -> None:
    folder = OUT / "commands"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scene = folder / "scene.blend"
    window.ask(
        f"""
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
    bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
    bpy.ops.wm.save_as_mainfile(filepath={str(scene)!r})
"""
    )
    status, said = command(window, scene, "bake", "--takes", "1", "--frames", "20")
    assert status == 0, said
    assert (
        folder / "neural_physics" / "scene" / "Sheet" / "dataset" / "takes" / "take_000" / "take.json"
    ).is_file()

    status, said = command(window, folder / "missing.blend", "bake")
    assert status == 1 and "No scene is open" in said, said
    status, said = command(window, scene, "bake", "--speed", "9")
    assert status == 2 and "--speed" in said and "Traceback" not in said, said
    status, said = command(window, scene, "play")
    assert status == 1 and "has no model" in said, said
