"""See It Move, in Blender's own window: from the default scene to a ball in the hand."""

from __future__ import annotations

import time

import pytest
from blender_window import REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

VIEWPORT = REGION + "main = next(r for r in area.regions if r.type == 'WINDOW')\n"
SHOWN = """
sheet = bpy.context.scene.objects["Sheet"]
mesh = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
result = [sum(v.co[k] for v in mesh.vertices) / len(mesh.vertices) for k in range(3)]
"""


def test_the_character_s_hips_are_in_the_hand(window: Window) -> None:
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    window.press("neural_physics.try_it", across=0.75)
    window.wait(lambda: window.ask("result = bpy.context.scene.frame_current > 12"), 30)
    assert window.ask("result = bpy.context.mode, bpy.context.active_pose_bone.name") == ["POSE", "hips"]
    window.shot("try_it_skirt")
    left, top = window.ask(
        VIEWPORT + "result = main.x + main.width // 2, window.height - main.y - main.height // 2"
    )
    rig = "rig = bpy.context.active_object\n"
    window.launcher("x", "mousemove", left + 150, top, "sleep", "0.2", "key", "r", "sleep", "0.2")
    for step in range(1, 9):
        window.launcher("x", "mousemove", left + 150 - 5 * step, top - 15 * step, "sleep", "0.1")
    window.wait(lambda: window.ask(rig + "result = rig.neural_physics.resting_strips"), 10)
    window.shot("try_it_skirt_in_the_hand")
    window.launcher("click", left + 110, top - 120)
    turned = window.ask(rig + "result = list(rig.pose.bones['hips'].matrix.to_quaternion())")
    frame = window.ask("result = bpy.context.scene.frame_current")
    window.wait(lambda: window.ask("result = bpy.context.scene.frame_current") != frame, 10)
    assert window.ask(rig + "result = list(rig.pose.bones['hips'].matrix.to_quaternion())") == pytest.approx(
        turned
    ), "it stays as it was turned"
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
        "    bpy.ops.screen.animation_cancel(restore_frame=False)\n"
        "    bpy.ops.object.mode_set(mode='OBJECT')"
    )


def test_the_ball_is_in_the_hand_within_seconds(window: Window) -> None:
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    began = time.monotonic()
    window.press("neural_physics.try_it", across=0.25)
    window.wait(lambda: window.ask("result = bpy.context.scene.frame_current > 5"), 15)
    assert window.ask("result = bpy.context.scene.name") == "Ball & Sheet"
    assert window.ask("result = len(bpy.data.scenes['Scene'].objects)") == 3, (
        "the artist's scene is as it was"
    )
    print(f"plays after {time.monotonic() - began:.1f} s")
    window.shot("try_it")
    left, top = window.ask(
        VIEWPORT + "result = main.x + main.width // 2, window.height - main.y - main.height // 2"
    )
    window.launcher("x", "mousemove", left, top, "sleep", "0.2", "key", "g", "sleep", "0.2")
    for step in range(1, 9):
        window.launcher("x", "mousemove", left - 15 * step, top - 4 * step, "sleep", "0.1")
    window.shot("try_it_in_the_hand")
    window.launcher("click", left - 120, top - 32)
    assert window.ask("result = bpy.data.objects['Ball'].neural_physics.resting_action is not None")
    before = window.ask(SHOWN)
    window.launcher("x", "key", "g", "sleep", "0.2", "mousemove", left + 60, top, "sleep", "0.5")
    window.launcher("click", left + 60, top)
    assert window.ask(SHOWN) != pytest.approx(before, abs=1e-3), "the sheet follows the ball"
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
        "    bpy.ops.screen.animation_cancel(restore_frame=False)"
    )
