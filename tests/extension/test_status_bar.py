"""The status bar is drawn many times a second: what it does not know yet it looks for a little at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
from types import SimpleNamespace
from drawn_panels import Layout
from inside_blender import part, saved_scene
here = saved_scene()
bar, host = part("panels.status_bar"), part("neural_physics.blender.jobs.host")
homes = part("neural_physics.blender.settings.homes")

def add(count):
    for k in range(count):
        obj = bpy.data.objects.new(f"G{k}", None)
        bpy.context.scene.collection.objects.link(obj)
        obj.neural_physics.enabled = True
        # As a bake has left it: whose folder it is, the settings of all objects say.
        (here / "neural_physics" / "scene" / f"G{k}" / "dataset" / "jobs").mkdir(parents=True)
    bpy.ops.wm.save_mainfile()

def draw():
    layout = Layout([])
    bar._draw(SimpleNamespace(layout=layout), bpy.context)
    return [call.named["text"] for call in layout.calls if call.name in ("label", "progress")]
"""


def test_all_objects_are_asked_once_whose_the_folders_of_all_are(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
add(40)
looked, own = [], homes._look_into
homes._look_into = lambda *given: looked.append(given) or own(*given)
draw()
draw()
assert len(looked) == 1, len(looked)
"""
    )


def test_what_takes_long_to_find_is_found_in_later_redraws(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
add(4)
passed, found, own = 0.0, [], host.JobProcess._find
bar.time = SimpleNamespace(monotonic=lambda: passed)  # a computer that is slow at finding alone
def slowly(job):
    global passed
    found.append(job)
    passed += bar.LOOK
    own(job)
host.JobProcess._find = slowly
counts = []
for _ in range(60):
    draw()
    counts.append(len(found))
assert all(after - before <= 1 for before, after in zip([0, *counts], counts)), counts
assert counts[-1] == 4 * len(bar.object_tasks.NAMES) and counts[-1] == counts[-2], "and each once"
"""
    )


def test_a_job_that_another_blender_began_is_shown(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import json, subprocess, time
add(2)
tasks = part("neural_physics.blender.tasks.object_tasks")
folder = tasks.job_folder(bpy.data.objects["G1"], "bake")
said = json.dumps(dict(event="progress", stage="Baking", done=1, total=4))
host.start(folder, "bake", [sys.executable, "-c", f"import time; print({said!r}, flush=True); time.sleep(8)"])
host._jobs.clear()  # as in a Blender that was started since
until = time.monotonic() + 20
while not (texts := draw()) and time.monotonic() < until:
    time.sleep(0.1)
assert any(text.startswith("G1: ") for text in texts), texts
"""
    )
