"""Make It Play, in Blender's own window: three clicks from the tab to a model that plays.

NEURAL_PHYSICS_WHOLE=1: with the takes and frames that the example has, and the time is printed.
"""

from __future__ import annotations

import os
import shutil
import time

import pytest
from blender_window import OUT, REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

SHEET = "sheet = bpy.data.objects['Sheet']; settings = sheet.neural_physics\n"
MAKING = (
    SHEET
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.tasks import making
result = making.is_making(sheet) and making.progress(sheet).share
"""
)


def test_three_clicks_from_the_tab_to_a_model_that_plays(window: Window) -> None:
    scene = OUT / "made"
    shutil.rmtree(scene, ignore_errors=True)
    scene.mkdir(parents=True)
    window.ask(
        "bpy.ops.wm.read_homefile(use_empty=True)\n"
        f"bpy.ops.wm.save_as_mainfile(filepath={str(scene / 'scene.blend')!r})"
    )
    window.open_tab()
    # The entry of the menu More Examples, without opening the menu.
    window.ask(
        REGION
        + "with bpy.context.temp_override(window=window, area=area):\n"
        + "    bpy.ops.neural_physics.add_example('INVOKE_DEFAULT', name='BALL_AND_SHEET')\n"
    )
    if not os.environ.get("NEURAL_PHYSICS_WHOLE"):
        window.ask(SHEET + "settings.take_count, settings.take_frames, settings.basis_count = 3, 80, 8")
        window.train_quickly("steps=200", "validate_every=20")
    began = time.monotonic()
    window.press("neural_physics.make_it_play")
    window.wait(lambda: window.ask(MAKING) not in (False, 0.0), 60)
    window.shot("making_1")
    window.wait(lambda: window.ask(MAKING) is False, 900)
    took = time.monotonic() - began
    assert window.ask(SHEET + "result = settings.playing and settings.model is not None")
    assert window.ask("result = bpy.context.screen.is_animation_playing")
    window.shot("making_2_plays")
    print(f"made in {took:.0f} s")
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
        "    bpy.ops.screen.animation_cancel(restore_frame=False)"
    )
