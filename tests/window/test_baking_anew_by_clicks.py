"""Files of a scene baked before it was saved are moved, and takes of another fabric replaced, by clicks."""

from __future__ import annotations

import shutil

import pytest
from blender_window import OUT, REGION, Window
from test_by_clicks import SHEET, state

pytestmark = [pytest.mark.window, pytest.mark.slow]

SHAPES = (
    SHEET
    + """
import numpy as np
from pathlib import Path
from bl_ext.user_default.neural_physics.neural_physics.datasets.takes import Dataset
take = Dataset.open(Path(bpy.path.abspath(settings.dataset_folder))).take("take_000")
result = float(np.abs(take.positions).sum())
"""
)

HEAVIER = (
    SHEET
    + """
from pathlib import Path
about = Path(bpy.path.abspath(settings.dataset_folder)) / "dataset.json"
result = about.is_file() and '"mass": 2.0' in about.read_text().replace(chr(92), "")
"""
)


def baked(window: Window) -> float:
    """What tells one bake from another, once it has finished."""
    window.wait(lambda: state(window, "bake")[0] not in ("running", "idle"), 300)
    assert state(window, "bake")[0] == "finished", state(window, "bake")
    return float(window.ask(SHAPES))


def test_files_are_moved_and_takes_replaced_by_clicks(window: Window) -> None:
    scene = OUT / "scene_anew"
    shutil.rmtree(scene, ignore_errors=True)
    scene.mkdir(parents=True)
    window.ask("bpy.ops.wm.read_homefile(app_template='', use_factory_startup=True, use_empty=False)")
    window.ask("for obj in list(bpy.data.objects):\n    bpy.data.objects.remove(obj)")
    window.open_tab()
    window.ask(
        REGION
        + """
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.neural_physics.add_example(name="BALL_AND_SHEET")
"""
        + SHEET
        + "settings.take_count, settings.take_frames = 1, 30"
    )
    window.press("neural_physics.bake")
    before = baked(window)

    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={str(scene / 'scene.blend')!r})")
    window.shot("moving_1_offered")
    window.open_step("bake")
    window.press("neural_physics.move_files")
    assert (scene / "neural_physics" / "scene" / "Sheet" / "dataset" / "dataset.json").is_file()
    assert baked(window) == before

    window.ask(SHEET + "sheet.modifiers['Cloth'].settings.mass = 2.0")
    window.ask("import time; time.sleep(1.1)")
    window.shot("anew_1_changed")
    window.open_step("bake")
    window.press("neural_physics.bake_anew")
    window.shot("anew_2_asked")
    assert float(window.ask(SHAPES)) == before, "nothing is deleted before the artist agrees"
    window.launcher("x", "key", "Return")
    window.wait(lambda: window.ask(HEAVIER), 120)
    assert baked(window) != before
    window.shot("anew_3_baked")
