"""Layers by real clicks: what a cape is worn over, chosen in the panel."""

from __future__ import annotations

import pytest
from blender_window import BESIDE_A_LIST, REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

CAPE = "cape = bpy.data.objects['Cape']; layers = cape.neural_physics.layers_below\n"
NAMES = CAPE + "result = [layer.object and layer.object.name for layer in layers]"
BUILD = (
    REGION
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.examples import three_garments as example
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.wm.read_homefile(use_empty=True)
"""
    + REGION
    + """
with bpy.context.temp_override(window=window, area=area):
    cape = example.build(bpy.context.scene)
    bpy.context.view_layer.objects.active = cape
    cape.neural_physics.layers_below.clear()
    for obj in (bpy.data.objects["Skirt"], cape):
        obj.select_set(True)
    bpy.ops.ed.undo_push(message="Cape")
area.spaces.active.region_3d.view_perspective = "CAMERA"
"""
)


def test_layers_are_added_and_removed_by_clicks(window: Window) -> None:
    window.ask(BUILD)
    window.open_tab()
    window.open_step("bake")
    window.shot("layers_1_bake_together")
    window.open_step("play")
    window.open_panel("use_layers")
    window.press("neural_physics.add_layer", across=BESIDE_A_LIST)
    assert window.ask(NAMES) == ["Skirt"]
    window.shot("layers_2_added")
    window.ask("bpy.data.objects['Skirt'].select_set(False)")
    window.press("neural_physics.add_layer", across=BESIDE_A_LIST)
    assert window.ask(NAMES) == ["Skirt", None], "an entry to choose a mesh in"
    window.shot("layers_3_to_choose")
    window.press("neural_physics.remove_layer", across=BESIDE_A_LIST)
    assert window.ask(NAMES) == ["Skirt"]
