"""The same motion in seconds, in scenes of several frame rates, shows the same at the same times."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from changed_blend import open_without_frame_rate

from neural_physics.blender.playing import playback

pytestmark = pytest.mark.blender

SECONDS = 6
# Between two frames y is taken to lie on a line: at 30 and 60 frames per second the model's steps, every
# 1/24 s, fall between frames. The hand's keys ease over a second, 1 m apart at most, so its acceleration
# is below 6 m/s^2 and the line is off by 6 * (1/30)^2 / 8 = 0.8 mm at most. Where no frame is at the time
# of a step, the picture lies on a line too; the times compared here, every half second, are steps.
TOLERANCE = 2e-3  # metres; the model moves a vertex by less than twice what moves y


def poses_by_time(fps, fps_base=1.0):
    scene = play_scenes.open_scene(fps, fps_base)
    rate = fps / fps_base
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    times = np.arange(0.0, SECONDS, 0.5)
    poses = []
    for time in times:
        frame = 1 + time * rate
        scene.frame_set(int(frame + 1e-4), subframe=max(0.0, frame - int(frame + 1e-4)))
        poses.append(play_scenes.shown(sheet))
    assert bpy.context.scene.render.fps == fps
    return np.stack(poses)


@pytest.fixture(scope="module")
def at_24():
    return poses_by_time(24)


@pytest.mark.parametrize(("fps", "fps_base"), [(30, 1.0), (60, 1.0), (48, 2.0), (30, 1.25), (30, 1.001)])
def test_other_rates_show_the_same_at_the_same_times(at_24, fps, fps_base):
    found = poses_by_time(fps, fps_base)
    assert np.abs(at_24 - synthetic.sheet_mesh().rest_positions).max() > 50 * TOLERANCE  # it moves
    assert np.abs(found - at_24).max() < TOLERANCE


def test_a_scene_without_a_frame_rate_plays_once_it_has_one(tmp_path):
    scene = play_scenes.open_scene()
    play_scenes.add_sheet(play_scenes.add_hand())
    scene = open_without_frame_rate(tmp_path / "scene.blend")
    sheet = bpy.data.objects["Sheet"]
    playback.attach(sheet)
    scene.frame_set(2)
    assert playback.status_of(sheet).problem.code == "frame_rate_missing"
    scene.render.fps_base = 1.0
    scene.frame_set(3)
    assert playback.status_of(sheet).problem is None
