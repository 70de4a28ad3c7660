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


def test_objects_that_nobody_set_up_get_no_settings(in_blender):
    """Else a panel took seconds in a scene of tens of thousands, and the file kept them."""
    in_blender(
        """
from drawn_panels import all_drawn
from inside_blender import few_vertices, ours, part, saved_scene, shown
here = saved_scene()
few_vertices(5)
ours.add_example(name="BALL_AND_SHEET")
sheet, others = bpy.data.objects["Sheet"], [bpy.data.objects.new(f"Prop {n}", None) for n in range(5)]
for other in others:
    bpy.context.scene.collection.objects.link(other)
# As a folder that another file has left: whose it is, the settings of all objects say.
(here / "neural_physics" / "scene" / "Sheet").mkdir(parents=True)
bpy.ops.wm.save_mainfile()
part("neural_physics.blender.settings.glances").GLANCE = 60.0  # seconds: a redraw, however busy the computer
paths, looked = part("neural_physics.blender.settings.paths"), []
homes = part("neural_physics.blender.settings.homes")
own = homes._look_into
homes._look_into = lambda *given: looked.append(given) or own(*given)
all_drawn()
assert len(looked) == 1, "in a redraw all objects are asked once whose the folder is"
paths.dataset_folder(sheet)
paths.dataset_folder(sheet)
assert len(looked) == 3, "and anew for what is done"
shown(sheet, 3)
for other in others:
    other.location.x += 1.0
bpy.context.view_layer.update()
assert not [other.name for other in others if other.is_property_set("neural_physics")]
"""
    )
