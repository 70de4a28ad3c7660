"""G on a keyed collider while the animation plays, in Blender's own window."""

from __future__ import annotations

from pathlib import Path

import pytest
from blender_window import REGION, Window
from test_playing_in_the_window import animated, do, inputs, play  # noqa: F401 (fixtures)

pytestmark = [pytest.mark.window, pytest.mark.slow]

START = (
    "playback.attach(sheet)\nscene.frame_set(1)\n"
    "for obj in scene.objects: obj.select_set(obj == hand)\n"
    "window.view_layer.objects.active = hand\n"
)
PLACE = "result = list(hand.matrix_world.translation)"
VIEWPORT = REGION + "main = next(r for r in area.regions if r.type == 'WINDOW')\n"


def test_g_moves_a_keyed_collider_while_all_plays(animated: Window, inputs: Path) -> None:  # noqa: F811
    window = animated
    do(window, START)
    play(window, "play")
    window.wait(lambda: do(window, PLACE + "\nresult = scene.frame_current > 3"), 30)
    left, top = window.ask(
        VIEWPORT + "result = main.x + main.width // 3, window.height - main.y - main.height // 2"
    )
    window.launcher("x", "mousemove", left, top, "sleep", "0.3", "key", "g", "sleep", "0.3")
    for step in range(1, 9):
        window.launcher("x", "mousemove", left + 20 * step, top, "sleep", "0.1")
    window.wait(lambda: do(window, "result = hand.neural_physics.resting_action is not None"), 10)
    window.launcher("click", left + 160, top)
    put = do(window, PLACE)
    frame = do(window, "result = scene.frame_current")
    window.wait(lambda: do(window, "result = scene.frame_current") != frame, 10)
    assert do(window, PLACE) == pytest.approx(put), "it stays where it was put"
    keyed = do(window, "c = hand.neural_physics.resting_action\nresult = c.name")
    assert do(window, "result = playback.status_of(sheet).problem is None")
    play(window, "cancel", "restore_frame=False")

    do(
        window,
        "with bpy.context.temp_override(window=window, active_object=hand):\n"
        "    bpy.ops.neural_physics.release(mover='Hand')\nscene.frame_set(scene.frame_current)",
    )
    assert do(window, "result = hand.animation_data.action.name") == keyed
    assert do(window, PLACE) != pytest.approx(put, abs=1e-3)
