"""F12 in the window of a shot that links one character twice, each with an action of its own."""

from __future__ import annotations

import numpy as np
import pytest
from blender_window import Window
from test_playing_in_the_window import (
    FOLDER,
    do,
    inputs,  # noqa: F401 (a fixture)
    render,
)

pytestmark = [pytest.mark.window, pytest.mark.slow, pytest.mark.usefixtures("inputs")]

FRAMES = 21, 30
NAMES = """
folder = Path({folder!r})
def link(*objects):
    for obj in objects:
        scene.collection.objects.link(obj)
def add_character(name, home):
    '''A sheet that plays, and the hand it reacts to.'''
    shape = np.load(folder / "mesh.npz")
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shape["vertices"].tolist(), [], shape["faces"].tolist())
    sheet, hand = bpy.data.objects.new(name, mesh), bpy.data.objects.new("Hand of " + name, None)
    for obj in (sheet, hand):
        home.objects.link(obj)
    sheet.modifiers.new("Cloth", "CLOTH")
    item = sheet.neural_physics.interactions.add()
    item.name, item.object = "Hand", hand
    sheet.neural_physics.enabled = True
    packing.pack(sheet, folder / "model.safetensors")
    return sheet
def act(sheet, seed):
    '''Put a character to its place, with an action of its own, and play it.'''
    sheet.location.x = 0.7 * (2 * seed - 1)
    hand = sheet.neural_physics.interactions[0].object
    hand.animation_data_create().action = bpy.data.actions.new("Wave " + str(seed))
    numbers = np.random.default_rng(seed)
    for frame in (1, 15, 30, 45):
        hand.location = numbers.uniform(-0.5, 0.5, 3)
        hand.keyframe_insert("location", frame=frame)
    playback.attach(sheet)
def stage():
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -6.0, 0.0), (1.57, 0.0, 0.0)
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.rotation_euler = (0.8, 0.3, 0.0)
    link(camera, light)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.seed = 4, 1
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.render.image_settings.file_format = "OPEN_EXR"
"""
LOCAL = """
stage()
for seed, name in enumerate(("One", "Two")):
    act(add_character(name, scene.collection), seed)
bpy.ops.wm.save_as_mainfile(filepath=str(folder / "local.blend"))
"""
ASSET = """
character = bpy.data.collections.new("Character")
scene.collection.children.link(character)
playback.attach(add_character("Sheet", character))
bpy.ops.wm.save_as_mainfile(filepath=str(folder / "asset.blend"))
"""
SHOT = """
stage()
for seed in (0, 1):
    with bpy.data.libraries.load(str(folder / "asset.blend"), link=True) as (_, wanted):
        wanted.collections = ["Character"]
    before = set(bpy.data.objects)
    wanted.collections[0].override_hierarchy_create(scene, window.view_layer)
    added = set(bpy.data.objects) - before
    act(next(obj for obj in added if obj.override_library and obj.type == "MESH"), seed)
bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
"""
PICTURE = """
bpy.data.images["Render Result"].save_render(str(folder / "picture.exr"))
image = bpy.data.images.load(str(folder / "picture.exr"))
values = np.empty(len(image.pixels), np.float32)
image.pixels.foreach_get(values)
bpy.data.images.remove(image)
np.save(folder / "picture.npy", values)
playing = [obj for obj in bpy.data.objects if obj.neural_physics.playing and obj.library is None]
result = len(playing), [str(playback.status_of(obj).problem) for obj in playing]
"""


def pictures(window: Window, file: str) -> list[np.ndarray]:
    """What F12 makes of some frames of a file that was just opened."""
    window.ask(f"bpy.ops.wm.open_mainfile(filepath={str(FOLDER / file)!r})")
    found = []
    for frame in FRAMES:
        do(window, "scene.frame_set({frame})", frame=frame)
        render(window, animation=False)
        assert do(window, NAMES + PICTURE) == [2, ["None", "None"]]
        found.append(np.load(FOLDER / "picture.npy"))
    return found


def test_two_overrides_are_rendered_by_f12_to_the_bit_as_two_characters_of_the_shots_own(
    window: Window,
) -> None:
    for build in (LOCAL, ASSET, SHOT):
        window.ask("bpy.ops.wm.read_homefile(use_empty=True)")
        do(window, NAMES + build)
    expected = pictures(window, "local.blend")
    assert expected[0].std() > 0.01 and np.abs(expected[0] - expected[1]).max() > 0.01
    found = pictures(window, "shot.blend")
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    window.ask("bpy.ops.wm.read_homefile(use_empty=True)")
