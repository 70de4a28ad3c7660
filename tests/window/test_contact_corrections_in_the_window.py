"""Contact corrections in the window: a flat jelly is baked, trained and pressed by hand (Romero 2021)."""

from __future__ import annotations

import numpy as np
import pytest
from blender_window import REGION, Window
from three_buttons import IN_VIEW, Example

pytestmark = [pytest.mark.window, pytest.mark.slow]

RADIUS, SAGGED = 0.14, 0.53  # metres, of the circle; how high the jelly is that has sunk into its weight
JELLY = """scene, body = bpy.context.scene, bpy.data.objects["Jelly"]
"""
QUICK = """
settings.simulation.tetrahedra, settings.take_count, settings.take_frames = 200, 2, 80
settings.preset, settings.basis_count = "preview", 24
"""
IN_SECONDS = ["poses=30", "traverses=3", "epochs=150", "external_width=250"]
ABOVE = """
circle = bpy.data.objects["Circle"]
circle.animation_data_clear()
circle.location = 0.0, 0.0, 0.6 + 0.14 + 0.06
scene.frame_set(1)
bpy.ops.object.select_all(action="DESELECT")
circle.select_set(True)
bpy.context.view_layer.objects.active = circle
"""
# What is to be shown at each frame of the playback, and where the circle is then.
WATCH = """
import sys, types
seen = sys.modules.setdefault("pressing_watched", types.ModuleType("pressing_watched")).__dict__
seen["seen"] = []
def watch(scene, depsgraph):
    circle = bpy.data.objects["Circle"]
    shape = bpy.data.objects["Jelly"].data.attributes["neural_physics_position"].data
    heights = [shape[v].vector[2] for v in seen["top"]]
    seen["seen"].append((scene.frame_current, circle.location.z, min(heights)))
top = max(v.co.z for v in body.data.vertices)
seen["top"] = [v.index for v in body.data.vertices if v.co.z > top - 1e-4 and abs(v.co.x) < 0.1]
seen["watch"] = watch
bpy.app.handlers.frame_change_post.append(watch)
"""
WATCHED = """
import sys
seen = sys.modules["pressing_watched"].__dict__
bpy.app.handlers.frame_change_post.remove(seen["watch"])
result = seen["seen"]
"""
SHOWN_FRAMES = "import sys\nresult = len(sys.modules['pressing_watched'].__dict__['seen'])"
PLAYBACK = (
    "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
    "    bpy.ops.screen.animation_{}"
)
MIDDLE = (
    REGION
    + """
view = next(r for r in area.regions if r.type == "WINDOW")
result = view.x + view.width // 3, window.height - view.y - view.height // 2
"""
)


# Eight Empties in the jelly, the last one under its top.
GRIPS = """
places = [(x, z) for x in (-0.25, 0.25) for z in (0.15, 0.35, 0.55)] + [(0.0, 0.3), (0.0, 0.55)]
grips = []
for number, (x, z) in enumerate(places):
    grips.append(bpy.data.objects.new(f"Grip {number}", None))
    scene.collection.objects.link(grips[-1])
    grips[-1].location, grips[-1].empty_display_size = (x, 0.0, z), 0.05
bpy.ops.object.select_all(action="DESELECT")
for grip in grips:
    grip.select_set(True)
bpy.context.view_layer.objects.active = body
bpy.ops.neural_physics.add_handle()
"""
HELD = """
bpy.data.objects["Circle"].animation_data_clear()
bpy.data.objects["Circle"].location = 0.0, 0.0, 1.5
scene.frame_set(1)
settings.handles["Grip 7"].hold = True
bpy.ops.object.select_all(action="DESELECT")
grip = bpy.data.objects["Grip 7"]
grip.select_set(True)
bpy.context.view_layer.objects.active = grip
"""
WATCH_GRIP = """
import sys, types
seen = sys.modules.setdefault("pressing_watched", types.ModuleType("pressing_watched")).__dict__
seen["seen"] = []
nearest = min(body.data.vertices, key=lambda v: (v.co.x**2 + (v.co.z - 0.55) ** 2)).index
def watch(scene, depsgraph):
    shape = bpy.data.objects["Jelly"].data.attributes["neural_physics_position"].data
    seen["seen"].append((bpy.data.objects["Grip 7"].location.z, shape[nearest].vector[2]))
seen["watch"] = watch
bpy.app.handlers.frame_change_post.append(watch)
"""


def wait_for_frames(jelly: Example, count: int) -> None:
    """Until the playback has shown so many more."""
    begun = jelly.ask(SHOWN_FRAMES)
    jelly.window.wait(lambda: jelly.ask(SHOWN_FRAMES) >= begun + count, 60)


def drag_while_it_plays(jelly: Example, steps: int, pixels: int, shot: str) -> None:
    """Grab what is selected along Z as an artist does, so many pixels down a step, and let go of it.

    How many frames that lasts is the machine's affair.
    """
    window = jelly.window
    x, y = window.ask(MIDDLE)
    window.launcher("x", "mousemove", x, y)
    jelly.ask(PLAYBACK.format("play()"))
    window.launcher("x", "key", "g", "sleep", "0.2", "key", "z", "sleep", "0.2")
    for step in range(1, steps + 1):
        window.launcher("x", "mousemove", x, y + pixels * step)
        wait_for_frames(jelly, 2)
    window.shot(shot)
    window.launcher("click", x, y + pixels * steps)
    jelly.ask(PLAYBACK.format("cancel(restore_frame=False)"))


def top_of_the_middle(jelly: Example) -> float:
    """How high what is shown is under the circle; its edges are split as the shape has them."""
    shown = jelly.shown()
    return float(shown[np.abs(shown[:, 0]) < 0.1, 2].max())


def test_a_jelly_is_baked_trained_and_pressed_by_hand(window: Window) -> None:
    jelly = Example(window, "JELLY_WITH_CIRCLE", "Jelly", QUICK)
    jelly.bake_and_train(*IN_SECONDS)
    window.shot("contact_1_trained")
    jelly.play()
    jelly.ask(ABOVE)
    still = top_of_the_middle(jelly)
    jelly.ask(WATCH)
    drag_while_it_plays(jelly, 8, 12, "contact_2_grabbed")
    seen = jelly.ask(WATCHED)
    assert top_of_the_middle(jelly) < still - 0.02
    frames, heights, tops = (np.array(each) for each in zip(*seen, strict=True))
    lowest = heights - RADIUS
    pressed = lowest < SAGGED - 0.05
    assert np.ptp(heights) > 0.05 and pressed.sum() >= 3, (frames, heights)
    assert (tops[pressed] < lowest[pressed] + 0.04).all(), "it gives way in the frame in which it is pressed"
    assert tops[pressed].max() < tops[~pressed].min() + 0.01, "and not before"


def test_a_handle_is_pulled_by_hand(window: Window) -> None:
    jelly = Example(window, "JELLY_WITH_CIRCLE", "Jelly", QUICK)
    window.ask(IN_VIEW + f"exec({JELLY + GRIPS!r})")
    jelly.bake_and_train(*IN_SECONDS)
    jelly.play()
    jelly.ask(HELD)
    jelly.ask(WATCH_GRIP)
    drag_while_it_plays(jelly, 5, -12, "contact_3_pulled")
    grips, tops = np.array(jelly.ask(WATCHED)).T
    assert np.ptp(grips) > 0.08
    assert np.ptp(tops - grips) < 0.02, "where the hand is, in every frame"
