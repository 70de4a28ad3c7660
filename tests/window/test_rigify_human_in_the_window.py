"""Rigify Human from the gallery, in Blender's own window: it stays alive meanwhile, and Esc gives it up."""

from __future__ import annotations

import pytest
from blender_window import REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

ADDED = "result = [scene.name for scene in bpy.data.scenes if 'Skirt' in scene.objects]"
# What makes the rig is halted as soon as it is started: it cannot be done before Esc is seen.
HALT_NEXT = """
import os, signal
from bl_ext.user_default.neural_physics.neural_physics.jobs import process
start_apart = process.start_apart
def start_halted(*words):
    process.start_apart = start_apart
    child = start_apart(*words)
    os.killpg(child.pid, signal.SIGSTOP)
    bpy.app.driver_namespace["halted"] = child.pid
    return child
process.start_apart = start_halted
"""
WAITS = "result = [each.bl_idname for each in bpy.context.window_manager.windows[0].modal_operators]"


def begin(window: Window) -> None:
    window.call("neural_physics.add_example", name="RIGIFY_HUMAN")
    assert window.ask(WAITS) == ["NEURAL_PHYSICS_OT_add_example"] and window.ask(ADDED) == []


def test_blender_is_free_while_the_rig_is_made_and_esc_gives_it_up(window: Window) -> None:
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    window.ask(HALT_NEXT)
    begin(window)
    halted = window.ask("result = bpy.app.driver_namespace.pop('halted')")
    window.ask("bpy.data.objects['Cube'].location.x = 1.0")
    left, top, _, _, _ = window.tab()
    window.launcher("x", "mousemove", left // 2, top + 300, "sleep", "0.2", "key", "Escape")
    window.wait(lambda: window.ask(WAITS) == [], 20)
    assert window.ask(ADDED) == [] and window.ask("result = len(bpy.data.scenes)") == 1
    gone = f"import os; result = not os.path.exists('/proc/{halted}/exe')"  # or waits for being collected
    assert window.ask(gone), "nothing goes on"
    began = "result = sorted(bpy.context.preferences.addons.keys())"
    before = window.ask(began)
    begin(window)
    window.wait(lambda: window.ask(WAITS) == [], 60)
    assert window.ask(ADDED) == ["Rigify Human"]
    assert window.ask("result = bpy.context.scene.name, bpy.context.active_object.name") == [
        "Rigify Human",
        "Skirt",
    ]
    assert window.ask("result = [len(bpy.data.texts), len(bpy.data.libraries)]") == [0, 0]
    assert window.ask(began) == before
    window.ask(REGION + "area.spaces.active.region_3d.view_perspective = 'CAMERA'")
    window.shot("rigify_human")
    # One step back, and it is gone.
    window.ask(
        REGION + "with bpy.context.temp_override(window=window, area=area):\n" + "    bpy.ops.ed.undo()"
    )
    assert window.ask(ADDED) == []
