"""Capsules by real clicks: fitted to a character from the panel, and drawn around its limbs."""

from __future__ import annotations

import pytest
from blender_window import BESIDE_A_LIST, REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

CAPE = "cape = bpy.data.objects['Cape']; settings = cape.neural_physics\n"
BUILD = (
    REGION
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.examples import cape as example
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.wm.read_homefile(use_empty=True)
"""
    + REGION
    + """
with bpy.context.temp_override(window=window, area=area):
    cape = example.build(bpy.context.scene)
    bpy.context.view_layer.objects.active = cape
    cape.neural_physics.enabled = True
    cape.neural_physics.capsules.clear()
    bpy.ops.ed.undo_push(message="Cape")
area.spaces.active.region_3d.view_perspective = "CAMERA"
"""
)


def orange(window: Window, name: str) -> int:
    """How many pixels of a picture are of the capsules' colour."""
    path = window.shot(name)
    pixels = window.ask(
        f"""
import numpy as np
image = bpy.data.images.load({str(path)!r})
image.colorspace_settings.name = "Non-Color"
pixels = np.empty(len(image.pixels), np.float32)
image.pixels.foreach_get(pixels)
bpy.data.images.remove(image)
red, green, blue = pixels.reshape(-1, 4)[:, :3].T
result = int(np.count_nonzero((red > 0.55) & (green < 0.85 * red) & (green > 0.5 * red) & (blue < 0.5 * red)))
"""
    )
    return int(pixels)


def test_capsules_are_fitted_edited_and_removed_by_clicks(window: Window) -> None:
    window.ask(BUILD)
    window.open_tab()
    window.open_step("play")
    window.open_panel("projection.enabled")
    before = orange(window, "capsules_1_none")
    window.press("neural_physics.fit_capsules")
    window.wait(lambda: window.ask(CAPE + "result = len(settings.capsules)"), 60)  # one after the other
    count = window.ask(CAPE + "result = len(settings.capsules)")
    assert count >= 17
    assert orange(window, "capsules_2_fitted") > before + 2000, "they are drawn"
    window.press("neural_physics.remove_capsule", across=BESIDE_A_LIST)
    assert window.ask(CAPE + "result = len(settings.capsules)") == count - 1
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n    bpy.ops.ed.undo()"
    )
    assert window.ask(CAPE + "result = len(settings.capsules)") == count
    window.press("neural_physics.clear_capsules", across=BESIDE_A_LIST)
    assert window.ask(CAPE + "result = len(settings.capsules)") == 0
    assert orange(window, "capsules_3_cleared") < before + 200, "nothing is drawn any more"
