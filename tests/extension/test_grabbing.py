"""Grab: a keyed collider follows the hand while all plays, and its keys again when it is released."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_undo_after_training import SCENE

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


CHARACTER = (
    SCENE
    + """
import drawn_panels
from inside_blender import ours, part, refused
import rigs
packing = part("neural_physics.blender.playing.packing")
target_of = part("neural_physics.blender.scene.targets").target_of
rig = rigs.add_rig(3)
rig.animation_data_create().action = bpy.data.actions.new("Dance")
body = sheet.copy()
body.name, body.data = "Body", data.copy()  # before the sheet in the alphabet
bpy.context.scene.collection.objects.link(body)
for each in (sheet, body):
    each.neural_physics.interactions.add().object = rig
    packing.pack(each, model)
bpy.context.view_layer.objects.active = sheet
bpy.context.view_layer.update()
assert ours.play() == {"FINISHED"}
def buttons():
    return drawn_panels.drawn("play", target_of(bpy.context)).buttons
"""
)


def test_of_a_character_a_bone_is_held_and_the_tab_stays_with_what_plays(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        CHARACTER
        + """
rig.data.bones["bone0"].hide_select = True
assert ("neural_physics.grab", "Grab Rig") in buttons()
assert ours.grab(mover="Rig") == {"FINISHED"}
assert bpy.context.mode == "POSE" and bpy.context.active_object == rig
assert bpy.context.active_pose_bone.name == "bone1"
assert [bone.name for bone in bpy.context.selected_pose_bones] == ["bone1"]
assert target_of(bpy.context) == sheet
assert ("neural_physics.release", "Release Rig") in buttons()
assert "neural_physics.stop_playing" in dict(buttons())
rig.data.bones.active = rig.data.bones["bone2"]
assert ours.grab(mover="Rig") == {"FINISHED"} and bpy.context.active_pose_bone.name == "bone2"
bpy.ops.object.mode_set(mode="OBJECT")
for bone in rig.data.bones:
    bone.hide_select = True
assert ours.grab(mover="Rig") == {"FINISHED"} and bpy.context.mode == "OBJECT" and rig.select_get()

# Both play: the tab stays with the one that it was clicked for.
for each in (body, sheet):
    bpy.context.view_layer.objects.active = each
    if each == body:
        assert ours.play() == {"FINISHED"}
    assert ours.grab(mover="Rig") == {"FINISHED"} and target_of(bpy.context) == each
"""
    )


def test_what_cannot_be_grabbed_has_no_button_that_can_be_clicked(in_blender: Callable[..., str]) -> None:
    in_blender(
        CHARACTER
        + """
def shown():
    said = drawn_panels.drawn("play", sheet)
    (grab,) = [call for call in said.of("operator") if call.given[0] == "neural_physics.grab"]
    return grab.within.enabled, said.words
assert shown()[0] is True
rig.hide_set(True)
assert shown()[0] is False and "Rig is hidden" in shown()[1]
rig.hide_set(False)
bpy.context.scene.collection.objects.unlink(rig)
bpy.context.view_layer.update()
enabled, words = shown()
assert not enabled and words.count("Rig, which Sheet reacts to, is not in this scene") == 1, words
refused("Rig, which Sheet reacts to, is not in this scene", ours.grab, mover="Rig")
assert rig.animation_data.action is not None
"""
    )
