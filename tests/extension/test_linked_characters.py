"""A character of another file, linked and overridden in a shot, plays by the buttons."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_undo_after_training import SCENE

pytestmark = pytest.mark.blender

SHOT = (
    SCENE
    + """
import numpy as np
import drawn_panels
from inside_blender import ours, part, refused
hand.location = (0.0, 0.0, 0.0)
for frame, x in ((1, -0.4), (30, 0.4)):
    hand.location.x = x
    hand.keyframe_insert("location", frame=frame)
import dataclasses
about = dataclasses.replace(
    synthetic.make_model_info(mesh), author="Ada \\u2028Lovelace" + chr(7), licence="CC BY\\n4.0"
)
model = synthetic.model_bytes(about, synthetic.make_model_tensors(mesh))
part("neural_physics.blender.playing.packing").pack(sheet, model)
collection = bpy.data.collections.new("Character")
bpy.context.scene.collection.children.link(collection)
for each in (sheet, hand):
    bpy.context.scene.collection.objects.unlink(each)
    collection.objects.link(each)
bpy.ops.wm.save_as_mainfile(filepath=str(Path.cwd() / "asset.blend"))
paths.keep_together(sheet)
assert sheet.neural_physics.dataset_folder.startswith("//")
bpy.ops.wm.save_mainfile()

def shown(obj):
    data = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    places = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", places)
    return places

def at(frame, obj):
    bpy.context.scene.frame_set(frame)
    return shown(obj)

assert ours.play() == {"FINISHED"}
home = [at(frame, sheet) for frame in range(1, 25)]
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
with bpy.data.libraries.load(str(Path.cwd() / "asset.blend"), link=True) as (_, wanted):
    wanted.collections = ["Character"]
def characters():
    return [obj for obj in bpy.data.objects if obj.override_library and obj.type == "MESH"]
"""
)


def test_an_override_plays_by_the_button_and_what_is_only_linked_says_what_to_do(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SHOT
        + """
(linked,) = [obj for obj in bpy.data.objects if obj.type == "MESH"]
instance = bpy.data.objects.new("Character", None)
instance.instance_type, instance.instance_collection = "COLLECTION", wanted.collections[0]
bpy.context.scene.collection.objects.link(instance)
with bpy.context.temp_override(object=linked, active_object=linked):
    refused("to play it use Object > Library Override > Make", ours.play)
bpy.data.objects.remove(instance)
wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
(sheet,) = characters()
bpy.context.view_layer.objects.active = sheet
for panel in ("play", "share"):
    words = " ".join(drawn_panels.drawn(panel, sheet).words.split())
    assert "The model is by Ada Lovelace, CC BY 4.0" in words, words
assert ours.play.poll() and ours.play() == {"FINISHED"}
assert all(np.array_equal(at(frame, sheet), pose) for frame, pose in zip(range(1, 25), home))
drawn_panels.all_drawn()
refused("is a library override, which can play here", ours.bake)
bpy.ops.wm.save_as_mainfile(filepath=str(Path.cwd() / "shot.blend"))
bpy.ops.wm.open_mainfile(filepath=str(Path.cwd() / "shot.blend"))
(sheet,) = characters()
assert sheet.neural_physics.playing
assert all(np.array_equal(at(frame, sheet), pose) for frame, pose in zip(range(1, 25), home))
bpy.context.view_layer.objects.active = sheet
assert ours.stop_playing() == {"FINISHED"} and not sheet.neural_physics.playing
assert not [obj for obj in bpy.data.objects if obj.name.startswith("Neural Physics Positions")]
"""
    )


def test_in_a_shot_that_is_not_saved_yet_the_tab_opens_and_says_what_to_do(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SHOT
        + """
wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
(sheet,) = characters()
bpy.context.view_layer.objects.active = sheet
switches = bpy.context.window_manager.neural_physics_steps
assert switches.play and not switches.bake, "the model is packed"
assert ours.play() == {"FINISHED"}
switches.bake = True
assert switches.bake and switches.play
said, sentence = drawn_panels.all_drawn(), "beside the .blend, and this file is not saved yet: save it first."
assert f"Sheet keeps its Dataset {sentence}" in said.words
assert "neural_physics.allow_places" not in said.operators and not ours.allow_places.poll()
bpy.ops.wm.save_as_mainfile(filepath=str(Path.cwd() / "shot.blend"))
assert "not saved yet" not in drawn_panels.all_drawn().words
"""
    )
