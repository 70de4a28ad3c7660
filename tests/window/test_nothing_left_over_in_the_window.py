"""Files, undo and switching the extension off and on while it plays, in Blender's own window."""

from __future__ import annotations

from pathlib import Path

import pytest
from blender_window import ROOT, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

HERE = f"""
import bpy, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT / "tests" / "extension")!r}]
import leftovers
"""
# As opening a file does. How many jobs panels have asked for by now depends on how often they were drawn.
FORGET = "leftovers.part('neural_physics.blender.jobs.host').forget_resting()\n"


def ask(window: Window, code: str) -> object:
    return window.ask(HERE + code)


def test_what_plays_in_the_window_leaves_nothing(window: Window) -> None:
    folder = Path(window.folder)
    ask(window, "leftovers.playing_scene(3)\nleftovers.frames(210)")
    once = f"leftovers.save_load_undo(Path({str(folder)!r}), %d)\nleftovers.switch(%d)\n"
    ask(window, once % (1, 1))
    ask(window, FORGET + "leftovers.before = leftovers.left()")
    for _ in range(5):
        ask(window, once % (2, 2))
    ask(window, "leftovers.frames(500)")
    assert ask(window, "result = leftovers.all_play(3)")
    assert not ask(window, FORGET + "result = leftovers.grown(leftovers.before)")
