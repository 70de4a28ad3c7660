"""A render shows what the viewport does: whole frames bit for bit, sub-frames in between."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.playing import mesh_cache, playback
from neural_physics.blender.playing.output.geometry_nodes import read_positions
from neural_physics.blender.playing.output.position_places import positions_mesh

pytestmark = pytest.mark.blender

FIRST, LAST = 20, 23


@pytest.fixture
def sheet(tmp_path):
    scene = play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -5.0, 0.0), (1.57, 0.0, 0.0)
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.rotation_euler = (0.8, 0.3, 0.0)
    for obj in (camera, light):
        scene.collection.objects.link(obj)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.seed = 4, 1
    scene.render.resolution_x = scene.render.resolution_y = 24
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.use_motion_blur = True
    scene.render.filepath = str(tmp_path / "frame_")
    scene.frame_start, scene.frame_end = FIRST, LAST
    playback.attach(sheet)
    return sheet


def rendered_poses():
    """(frame, sub-frame) -> what the modifier has to show in an animation's render, in the order of visits.

    Read where it is written: if that was in a handler, it is evaluated after all handlers.
    """
    poses = {}

    def look(scene, depsgraph):
        if depsgraph.mode == "RENDER":
            visit = scene.frame_current, round(scene.frame_subframe, 4)
            poses[visit] = read_positions(bpy.data.objects["Sheet"].data)

    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    return poses


def pixels(path):
    bpy.ops.render.render()
    bpy.data.images["Render Result"].save_render(str(path))
    image = bpy.data.images.load(str(path))
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values


@pytest.mark.parametrize("hidden", [False, True], ids=["hand shown", "hand hidden in renders"])
def test_motion_blur_out_of_order_shows_what_the_viewport_does(sheet, hidden):
    bpy.data.objects["Hand"].hide_render = hidden
    # Nothing was visited before: the render itself has to catch up.
    poses = rendered_poses()
    whole = play_scenes.played(sheet, range(FIRST - 1, LAST + 2))
    assert {frame for frame, subframe in poses if subframe == 0} == set(range(FIRST, LAST + 1))
    assert len(poses) > 2 * (LAST - FIRST + 1)
    for (frame, subframe), pose in poses.items():
        if subframe == 0.0:
            assert np.array_equal(pose, whole[frame])
        else:
            between = whole[frame] + np.float32(subframe) * (whole[frame + 1] - whole[frame])
            assert np.allclose(pose, between, atol=1e-6)


def test_a_render_leaves_the_viewport_as_it_was(sheet):
    bpy.context.scene.frame_set(10)
    before = play_scenes.shown(sheet)
    bpy.ops.render.render(animation=True)
    bpy.context.scene.frame_set(10)
    assert np.array_equal(play_scenes.shown(sheet), before)


def test_keys_edited_by_a_script_right_before_a_render_are_seen(sheet):
    scene, hand = bpy.context.scene, bpy.data.objects["Hand"]
    play_scenes.played(sheet, range(1, LAST + 2))
    hand.animation_data_clear()
    hand.location = (0.4, 0.4, -0.4)
    poses = rendered_poses()
    playback.attach(sheet)
    assert np.array_equal(poses[FIRST, 0.0], play_scenes.played(sheet, range(1, FIRST + 1))[FIRST])
    assert scene.frame_current == FIRST


def test_the_picture_is_that_of_baked_playing(sheet, tmp_path):
    scene = bpy.context.scene
    scene.frame_set(FIRST)
    sharp, blurred = {}, {}
    for name in ("live", "baked"):
        scene.render.use_motion_blur = False
        sharp[name] = pixels(tmp_path / f"{name}.exr")
        scene.render.use_motion_blur = True
        blurred[name] = pixels(tmp_path / f"{name}_blurred.exr")
        if name == "live":
            mesh_cache.bake_playback(scene, sheet, tmp_path / "sheet.pc2", 1, last=LAST + 2)
    assert sharp["live"].std() > 0.01  # something is in the picture
    assert np.array_equal(sharp["live"], sharp["baked"])
    assert np.abs(blurred["live"] - sharp["live"]).max() > 0.01
    assert np.allclose(blurred["live"], blurred["baked"], atol=1e-3)


def test_the_picture_of_one_of_two_objects_of_a_mesh_is_that_of_one_with_its_own(sheet, tmp_path):
    scene = bpy.context.scene
    scene.frame_set(FIRST + 2)
    own = pixels(tmp_path / "own.exr")
    twin = sheet.copy()
    scene.collection.objects.link(twin)
    twin.hide_render = True
    bpy.context.view_layer.update()
    playback.attach(sheet)
    assert positions_mesh(sheet) not in (sheet.data, positions_mesh(twin))
    scene.frame_set(FIRST)
    scene.frame_set(FIRST + 2)
    assert np.array_equal(pixels(tmp_path / "shared.exr"), own)
