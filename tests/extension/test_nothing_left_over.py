"""A short `make endurance`: frames, files, undo and switching the add-on off and on leave nothing behind."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

PLAYING = """
from pathlib import Path
from leftovers import all_play, frames, grown, left, memory, playing_scene, save_load_undo, switch
playing_scene(3)
frames(210)
"""


def test_frames_leave_nothing_and_take_no_more_memory(in_blender):
    in_blender(
        PLAYING
        + """
before, bytes_before = left(), memory()
frames(2000)
assert all_play(3) and not grown(before), grown(before)
assert memory() - bytes_before < 32 << 20, memory() - bytes_before
"""
    )


def test_saving_opening_and_undoing_while_it_plays_leaves_nothing(in_blender):
    in_blender(
        PLAYING
        + """
save_load_undo(Path.cwd(), 1)
before = left()
save_load_undo(Path.cwd(), 8)
assert all_play(3) and not grown(before), grown(before)
"""
    )


def test_switching_the_extension_off_and_on_while_it_plays_leaves_nothing(in_blender):
    in_blender(
        PLAYING
        + """
switch(1)
before = left()
switch(8)
assert all_play(3) and not grown(before), grown(before)
"""
    )
