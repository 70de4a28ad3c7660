"""Where a method needs a Python that is not there, the Train section leads by a click to its choice."""

from __future__ import annotations

import pytest
from blender_window import REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

PREFERENCES = """
found = [w for w in bpy.context.window_manager.windows if w.screen.areas[0].type == "PREFERENCES"]
"""


def test_without_the_python_a_method_needs_a_click_leads_to_the_preferences(window: Window) -> None:
    window.ask(
        "import os; os.environ['KEPT'] = os.environ.pop('NEURAL_PHYSICS_PYTHON')\n"
        + REGION
        + """
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
bpy.data.objects["Sheet"].neural_physics.method = "latent_dynamics"
"""
    )
    window.open_tab()
    try:
        window.open_step("train")
        window.press("preferences.addon_show")
        window.wait(lambda: window.ask(PREFERENCES + "result = len(found)") == 1, 20)
        assert window.ask("result = bpy.context.window_manager.addon_search") == "Neural Physics"
        window.shot("preferences")
    finally:
        window.ask(
            PREFERENCES
            + """
for each in found:
    with bpy.context.temp_override(window=each):
        bpy.ops.wm.window_close()
import os; os.environ["NEURAL_PHYSICS_PYTHON"] = os.environ.pop("KEPT")
"""
        )
