"""Balls that are scaled while contact corrections play: closed forms, hands and keys, and what Play says."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from contact_models import RADIUS, ball_at, contact_model_file, pushed, shares

from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.scene import collider_sizes
from neural_physics.blender.scene.sampling import ChannelSampler
from neural_physics.blender.settings.properties import settings_of
from neural_physics.interaction.channels import Channel, ChannelLayout

pytestmark = pytest.mark.blender

MESH = synthetic.sheet_mesh()
FRAMES = range(1, 41)


def scene_with_a_ball(ball="sized", other="Ball"):
    """The scene, a sheet that plays beside a hand that stands still, and the ball."""
    scene = play_scenes.open_scene(24)
    hand = play_scenes.add_hand(seed=None)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=RADIUS, location=ball_at(MESH))
    found = bpy.context.active_object
    found.name = "Ball"
    sheet = play_scenes.add_sheet(hand)
    item = settings_of(sheet).interactions.add()
    item.name, item.object = "Ball", bpy.data.objects.get(other)
    packing.pack(sheet, contact_model_file(MESH, ball=ball))
    playback.attach(sheet)
    return scene, sheet, found


def key_scales(ball, scales):
    for frame, scale in scales.items():
        ball.scale = [scale] * 3
        ball.keyframe_insert("scale", frame=frame)
    for curve in play_curves(ball):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def play_curves(obj):
    (layer,) = obj.animation_data.action.layers
    return layer.strips[0].channelbag(obj.animation_data.action_slot).fcurves


def recorded_size(sheet, frame):
    """The last number of y that the run has at a frame."""
    return float(PLAYED.session_of(sheet).timeline.recorded(frame)[-1])


def test_a_keyed_ball_pushes_as_its_size_says_and_scrubbed_the_same():
    """Against the recursion of a point between two springs, of which one grows."""
    scene, sheet, ball = scene_with_a_ball()
    key_scales(ball, {1: 1.0, 10: 1.0, 30: 1.3})
    forward = play_scenes.played(sheet, FRAMES)
    scales = np.interp(list(FRAMES), [10, 30], [1.0, 1.3])
    u = np.outer(pushed(scales), [1.0, 0.0, 0.0])
    wanted = MESH.rest_positions + shares(MESH)[:, None] * u[:, None]
    assert u.min() < -0.1
    np.testing.assert_allclose(np.stack(list(forward.values())), wanted, atol=1e-4)
    for frame in (35, 12, 9, 40, 10, 30):
        scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), forward[frame])


def test_as_large_as_in_the_takes_nothing_is_otherwise():
    _, sheet, _ = scene_with_a_ball("fixed")
    fixed = play_scenes.played(sheet, FRAMES)
    _, sheet, ball = scene_with_a_ball()
    ball.rotation_euler = (0.3, 0.2, 0.1)
    sized = play_scenes.played(sheet, FRAMES)
    assert {recorded_size(sheet, frame) for frame in FRAMES} == {1.0}
    assert all(np.array_equal(sized[frame], fixed[frame]) for frame in FRAMES)


def test_a_ball_that_is_scaled_by_hand_counts_from_there_and_stays_in_the_run():
    """Its place is keyed, its size is not: what was played with the size before is not played anew."""
    scene, sheet, ball = scene_with_a_ball()
    ball.keyframe_insert("location", frame=1)
    bpy.context.view_layer.update()
    free = play_scenes.played(sheet, FRAMES)
    scene.frame_set(20)
    ball.scale = (1.2, 1.3, 1.4)
    bpy.context.view_layer.update()
    assert recorded_size(sheet, 20) == pytest.approx(1.3) and recorded_size(sheet, 19) == 1.0
    larger = play_scenes.played(sheet, range(21, 41))
    assert np.abs(larger[40] - free[40]).max() > 0.1
    for frame in (15, 40, 25, 3, 19, 33):
        scene.frame_set(frame)
        played = larger if frame > 20 else free
        assert np.array_equal(play_scenes.shown(sheet), played[frame])


@pytest.mark.parametrize(("scale", "said"), [(1.1, "larger"), (0.8, "smaller")])
def test_a_size_that_was_not_learned_gives_a_warning(scale, said):
    scene, sheet, ball = scene_with_a_ball()
    scene.frame_set(2)
    status = playback.status_of(sheet)
    assert status.warning is None and status.outside == 0.0
    ball.scale = [scale] * 3
    scene.frame_set(3)
    status = playback.status_of(sheet)
    assert status.warning.code == f"contact_collider_{said}" and status.outside == 1.0
    assert f"Ball is {said}" in str(status.warning) and f"({RADIUS * scale:.3g} m" in str(status.warning)


def test_what_has_no_mesh_is_as_large_as_the_ball_was():
    scene, sheet, _ = scene_with_a_ball(other="Hand")
    bpy.data.objects["Hand"].scale = (3.0, 3.0, 3.0)
    scene.frame_set(2)
    assert recorded_size(sheet, 2) == 1.0 and playback.status_of(sheet).problem is None


def test_a_mesh_that_is_edited_is_as_large_as_it_was_and_then_as_it_is():
    scene, sheet, ball = scene_with_a_ball()
    for vertex in ball.data.vertices:
        vertex.co *= 1.5
    scene.frame_set(2)
    assert recorded_size(sheet, 2) == pytest.approx(1.5)
    bpy.context.view_layer.objects.active = ball
    bpy.ops.object.mode_set(mode="EDIT")
    scene.frame_set(3)
    assert recorded_size(sheet, 3) == pytest.approx(1.5)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_width_is_measured_once_however_many_sizes_are_of_one_object(monkeypatch):
    scene, sheet, ball = scene_with_a_ball()
    sizes = [Channel(f"Size {number}", "size", 1, "Ball") for number in range(20)]
    widths = {channel.name: 2.0 * RADIUS for channel in sizes}
    sampler = ChannelSampler(sheet, ChannelLayout(tuple(sizes)), "", {}, fps=24.0, widths=widths)
    asked, measure = [], collider_sizes.width_of
    monkeypatch.setattr(collider_sizes, "width_of", lambda *args: asked.append(args) or measure(*args))
    for frame, scale in ((1, 1.0), (2, 1.5)):
        ball.scale = [scale] * 3
        scene.frame_set(frame)
        asked.clear()
        y = sampler.sample(bpy.context.evaluated_depsgraph_get(), frame)
        assert len(asked) == 1 and y == pytest.approx([scale] * 20, rel=0.01)
