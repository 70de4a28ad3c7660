"""An artist's way through the extension: Bake, Train, Play by real clicks in Blender's own window."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from blender_window import OUT, REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

SHEET = "sheet = bpy.data.objects['Sheet']; settings = sheet.neural_physics\n"
STATE = (
    SHEET
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.jobs import host
from bl_ext.user_default.neural_physics.neural_physics.blender.settings import paths
state = host.state_of(paths.jobs_folder(sheet), {kind!r})
result = state.phase, state.share, state.message, len(state.history)
"""
)


def state(window: Window, kind: str) -> Any:
    return window.ask(STATE.format(kind=kind))


def test_bake_train_and_play_by_clicks(window: Window) -> None:
    scene = OUT / "scene"
    shutil.rmtree(scene, ignore_errors=True)
    scene.mkdir(parents=True)
    window.ask(
        REGION
        + f"""
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
bpy.ops.wm.save_as_mainfile(filepath={str(scene / "ball_and_sheet.blend")!r})
"""
    )
    window.open_tab()
    window.shot("1_empty")
    window.ask(
        REGION
        + """
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
area.spaces.active.region_3d.view_perspective = "CAMERA"
"""
        + SHEET
        + "settings.take_count, settings.take_frames = 4, 150\n"
        + "settings.preset, settings.basis_count = 'preview', 32"
    )
    window.open_step("set_up")
    window.shot("2_set_up")
    window.open_step("bake")

    window.press("neural_physics.bake")
    window.wait(lambda: state(window, "bake")[1] > 0.4, 300)
    window.shot("3_bake")
    window.wait(lambda: state(window, "bake")[0] != "running", 600)
    assert state(window, "bake")[0] == "finished", state(window, "bake")
    window.shot("4_baked")

    window.train_quickly("steps=300", "validate_every=10")
    window.press("neural_physics.train")
    window.wait(lambda: state(window, "train")[3] > 10 or state(window, "train")[0] != "running", 300)
    window.shot("5_train")
    window.wait(lambda: state(window, "train")[0] != "running", 900)
    assert state(window, "train")[0] == "finished", state(window, "train")
    window.wait(lambda: window.ask(SHEET + "result = settings.model is not None"), 20)
    window.shot("6_trained")

    window.press("neural_physics.play")
    assert window.ask(SHEET + "result = settings.playing")
    window.ask("bpy.context.scene.frame_set(30)")
    shown = window.ask(
        SHEET
        + """
depsgraph = bpy.context.evaluated_depsgraph_get()
mesh = sheet.evaluated_get(depsgraph).data
physics = [m.show_viewport for m in sheet.modifiers if m.type == "CLOTH"]
moved = max((a.co - b.co).length for a, b in zip(mesh.vertices, sheet.data.vertices))
result = physics, moved
"""
    )
    assert shown[0] == [False], "the simulation must be off while the model plays"
    assert 0.01 < shown[1] < 3.0, "the sheet must hang and move, and stay near the rod"
    window.shot("7_play")
    window.open_step("share")
    window.shot("8_play_and_share")
