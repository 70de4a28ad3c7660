"""The first hour of somebody who has Blender alone: no other Python, no network, only clicks and keys.

NEURAL_PHYSICS_WHOLE=1: Make It Play with the takes and frames that the example has. Times are printed.
"""

from __future__ import annotations

import os
import time

import pytest
from blender_window import REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

BELOW = 28  # pixels from the last answer to *More Examples*
MIDDLE = (
    REGION
    + "main = next(r for r in area.regions if r.type == 'WINDOW')\n"
    + "result = main.x + main.width // 2, window.height - main.y - main.height // 2\n"
)
MEAN = """
sheet = bpy.context.scene.objects["Sheet"]
mesh = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
result = [sum(v.co[k] for v in mesh.vertices) / len(mesh.vertices) for k in range(3)]
"""
SHEET = "sheet = next(o for o in bpy.context.scene.objects if o.neural_physics.enabled)\n"
FEWER_STEPS = """
from bl_ext.user_default.neural_physics.neural_physics.blender.tasks import object_tasks
whole = object_tasks._train_arguments
object_tasks._train_arguments = lambda obj: [*whole(obj), "--set", "steps=300"]
"""
ALONE = """
import socket, sys
try:
    socket.create_connection(("1.1.1.1", 53), timeout=2).close()
    network = True
except OSError:
    network = False
from bl_ext.user_default.neural_physics.neural_physics import edition
result = network, bpy.app.online_access, edition.FULL
"""


@pytest.fixture
def fresh(newcomer: Window) -> Window:
    """Blender as it starts, with its cube; the sidebar is closed."""
    newcomer.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    assert newcomer.ask(ALONE) == [False, False, False], "no network, the platform's edition"
    return newcomer


def test_two_clicks_to_a_ball_in_the_hand(fresh: Window) -> None:
    tab, example = _positions(fresh)
    left, top = fresh.ask(MIDDLE)

    began = time.monotonic()
    fresh.launcher("x", "mousemove", left, top, "sleep", "0.2", "key", "n")
    fresh.wait(
        lambda: fresh.ask(REGION + "result = region.width > 1 and area.spaces.active.show_region_ui"), 10
    )
    fresh.launcher("click", *tab)
    fresh.wait(lambda: fresh.ask(REGION + "result = region.active_panel_category") == "Neural Physics", 10)
    fresh.click_until(*example, lambda: fresh.ask("result = bpy.context.scene.name") != "Scene")
    fresh.wait(lambda: fresh.ask("result = bpy.context.scene.frame_current > 5"), 60)
    played = time.monotonic() - began
    fresh.shot("newcomer_1_plays")
    before = fresh.ask(MEAN)
    fresh.launcher("x", "mousemove", left, top, "sleep", "0.2", "key", "g", "sleep", "0.2")
    for step in range(1, 6):
        fresh.launcher("x", "mousemove", left - 20 * step, top - 4 * step, "sleep", "0.05")
    fresh.wait(lambda: fresh.ask(MEAN) != pytest.approx(before, abs=1e-3), 10)
    held = time.monotonic() - began
    fresh.shot("newcomer_2_in_the_hand")
    fresh.launcher("click", left - 100, top - 20)
    assert fresh.ask("result = bpy.data.objects['Ball'].neural_physics.resting_action is not None")
    print(f"plays after {played:.1f} s, the ball is in the hand after {held:.1f} s")
    fresh.pause()


def test_three_clicks_to_a_model_of_one_s_own(fresh: Window) -> None:
    fresh.open_tab()
    began = time.monotonic()
    _press_in_gallery(fresh, "BALL_AND_SHEET", below=_open_gallery(fresh))
    fresh.wait(lambda: fresh.ask("result = bpy.context.scene.name == 'Ball & Sheet'"), 20)
    if not os.environ.get("NEURAL_PHYSICS_WHOLE"):
        quick = "settings = sheet.neural_physics\n"
        quick += "settings.take_count, settings.take_frames, settings.basis_count = 3, 60, 8\n"
        fresh.ask(SHEET + quick + FEWER_STEPS)
    fresh.press("neural_physics.make_it_play")
    fresh.shot("newcomer_4_makes_it_play")
    playing = SHEET + "result = sheet.neural_physics.playing and bpy.context.screen.is_animation_playing"
    fresh.wait(lambda: fresh.ask(playing), 900)
    took = time.monotonic() - began
    fresh.shot("newcomer_5_plays_its_own")
    print(f"a model of one's own plays after {took:.0f} s")
    fresh.pause()


def _positions(window: Window) -> tuple[tuple[int, int], tuple[int, int]]:
    """Of the sidebar's tab and the first example, found beforehand; the sidebar is closed again."""
    window.open_tab()
    example = window.find("neural_physics.try_it", across=0.25)
    left, top, width, height, _ = window.tab()
    window.ask(REGION + "region.active_panel_category = 'Item'")
    for y in range(top + 10, top + height, 30):
        window.launcher("click", left + width - 8, y)
        if window.ask(REGION + "result = region.active_panel_category") == "Neural Physics":
            break
    else:
        pytest.fail(f"the tab is not in sight: {window.shot('missing')}")
    window.ask(REGION + "region.active_panel_category = 'Item'\narea.spaces.active.show_region_ui = False")
    return (left + width - 8, y), example


def _open_gallery(window: Window) -> int:
    """Click *More Examples*, which Blender copies no command of: it is below the last answer. Where, in y."""
    x, y = window.find("neural_physics.add_physics")
    while window.command_at(x, y + 4).startswith("bpy.ops.neural_physics.add_physics("):
        y += 4
    window.launcher("click", x, y + BELOW)
    window.shot("newcomer_3_gallery")
    return y + BELOW


def _press_in_gallery(window: Window, name: str, below: int) -> None:
    """Click an example in the gallery that is open, found from its left to its right and downwards."""
    left, top, _, height, _ = window.tab()
    for y in range(below + 40, top + height, 12):
        for x in range(left - 450, left + 400, 150):
            if name in window.command_at(x, y):
                window.launcher("click", x, y)
                return
    pytest.fail(f"{name} is not in the gallery: {window.shot('missing')}")
