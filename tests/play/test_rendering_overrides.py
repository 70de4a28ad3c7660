"""Pictures of a character that a shot links twice: those of two that the shot has itself."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest
from test_rendering import pixels
from test_shared_meshes import asset, overridden

from neural_physics.blender.playing import playback
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender

FRAME = 30


def stage(folder: Path) -> None:
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -8.0, 0.0), (1.57, 0.0, 0.0)
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.rotation_euler = (0.8, 0.3, 0.0)
    for obj in (camera, light):
        scene.collection.objects.link(obj)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.seed = 4, 1
    scene.render.resolution_x = scene.render.resolution_y = 32
    scene.render.image_settings.file_format = "OPEN_EXR"


def act(sheet: bpy.types.Object, seed: int) -> None:
    """Put a character to its place, give its hand an action of its own, and play it."""
    (line,) = settings_of(sheet).interactions
    sheet.location.x = 1.2 * (2 * seed - 1)
    action = bpy.data.actions.new(f"Wave {seed}")
    line.object.animation_data_create().action = action
    rng = np.random.default_rng(seed)
    for frame in (1, 15, FRAME, 45):
        line.object.location = rng.uniform(-0.5, 0.5, 3)
        line.object.keyframe_insert("location", frame=frame)
    playback.attach(sheet)


def pictures(sheets: list[bpy.types.Object], folder: Path) -> list[np.ndarray]:
    stage(folder)
    for seed, sheet in enumerate(sheets):
        act(sheet, seed)
    found = []
    for frame in (FRAME - 9, FRAME):
        bpy.context.scene.frame_set(frame)
        found.append(pixels(folder / "picture.exr"))
    return found


def local(name: str) -> bpy.types.Object:
    sheet = play_scenes.add_sheet(play_scenes.add_hand(f"Hand of {name}", 0), name)
    sheet.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return sheet


def test_two_overrides_with_actions_of_their_own_are_rendered_as_two_local_ones(tmp_path):
    play_scenes.open_scene()
    expected = pictures([local("One"), local("Two")], tmp_path)
    assert expected[0].std() > 0.01 and np.abs(expected[0] - expected[1]).max() > 0.01
    path = asset(tmp_path, plays=True)
    play_scenes.open_scene()
    sheets = [overridden(path), overridden(path)]
    found = pictures(sheets, tmp_path)
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    bpy.context.scene.frame_set(FRAME)
    assert np.array_equal(pixels(tmp_path / "picture.exr"), expected[1])
