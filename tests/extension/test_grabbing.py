"""Grab: a keyed collider follows the hand while all plays, and its keys again when it is released."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender]

PLAYING = """
from pathlib import Path
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
ours = bpy.ops.neural_physics
ours.add_example(name="BALL_AND_SHEET")
sheet, ball, scene = bpy.data.objects["Sheet"], bpy.data.objects["Ball"], bpy.context.scene
"""


def test_what_is_grabbed_stays_where_it_is_put_and_follows_its_keys_when_released(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        PLAYING
        + """
def place():
    return tuple(round(x, 4) for x in ball.matrix_world.translation)
scene.frame_set(40)
keyed, action = place(), ball.animation_data.action
assert ours.grab(mover="Ball") == {"FINISHED"}
assert [obj.name for obj in bpy.context.selected_objects] == ["Ball"] == [bpy.context.active_object.name]
scene.frame_set(60)
assert place() == keyed, "it stays where it was"
ball.location = (0.2, -0.4, 0.1)
scene.frame_set(61)
assert place() == (0.2, -0.4, 0.1)
ours.grab(mover="Ball")
assert ball.neural_physics.resting_action == action, "grabbed twice, its keys are still there"

bpy.ops.wm.save_as_mainfile(filepath=str(Path.cwd() / "grabbed.blend"))
bpy.ops.wm.open_mainfile(filepath=str(Path.cwd() / "grabbed.blend"))
sheet, ball, scene = bpy.data.objects["Sheet"], bpy.data.objects["Ball"], bpy.context.scene
assert ours.release(mover="Ball") == {"FINISHED"}
scene.frame_set(40)
assert place() == keyed, "it follows its keys again"
assert ball.neural_physics.resting_action is None
"""
    )


def test_what_cannot_be_selected_keeps_its_keys_and_says_why(in_blender: Callable[..., str]) -> None:
    in_blender(
        PLAYING
        + """
from inside_blender import refused
hidden = bpy.data.collections.new("Hidden")
scene.collection.children.link(hidden)
hidden.objects.link(ball)
for other in list(ball.users_collection):
    if other != hidden:
        other.objects.unlink(ball)
bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
refused("Ball is not in the view layer", ours.grab, mover="Ball")
bpy.context.view_layer.layer_collection.children["Hidden"].exclude = False
ball.hide_viewport = True
refused("Ball is hidden", ours.grab, mover="Ball")
assert ball.animation_data.action is not None, "its keys are where they were"
ball.hide_viewport = False
assert ours.grab(mover="Ball") == {"FINISHED"} and ball.select_get()
"""
    )


def test_strips_are_put_aside_too_and_stop_releases_all(in_blender: Callable[..., str]) -> None:
    in_blender(
        PLAYING
        + """
animation = ball.animation_data
track = animation.nla_tracks.new()
track.strips.new("Moves", 1, animation.action)
animation.action = None
scene.frame_set(75)
keyed = ball.matrix_world.translation.copy()
ours.grab(mover="Ball")
ball.location = (1.0, 1.0, 1.0)
scene.frame_set(75)
assert tuple(ball.matrix_world.translation) == (1.0, 1.0, 1.0)
sheet.neural_physics.playing = True  # as if a model played
bpy.context.view_layer.objects.active = sheet
assert ours.stop_playing() == {"FINISHED"}
scene.frame_set(75)
assert (ball.matrix_world.translation - keyed).length < 1e-5
"""
    )


def test_an_object_that_it_does_not_react_to_is_refused_by_name(in_blender: Callable[..., str]) -> None:
    in_blender(
        PLAYING
        + """
try:
    ours.grab(mover="Rod")
except RuntimeError as error:
    assert "Sheet does not react to Rod" in str(error)
else:
    raise AssertionError("it was grabbed")
"""
    )
