"""Channels as sampled from a scene against matrices worked out by hand (Holden 2019, section 5.1)."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from math import pi

import bpy
from scenes import (
    add_ball,
    add_cloth,
    add_empty,
    add_rig,
    add_wind,
    empty_scene,
    linear,
    react_to,
    set_frame,
)

from neural_physics.blender.scene.interaction_names import MOST_INTERACTIONS, interaction_names
from neural_physics.blender.scene.sampling import FRAME_BINDING, ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.setting_up import set_up
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

FPS = 24.0


@pytest.fixture
def cloth():
    empty_scene()
    return add_cloth()


def sampler_of(obj, **bindings):
    return ChannelSampler(obj, layout_of(obj), reference_frame_of(obj), bindings, fps=FPS)


def sample(sampler, frame=1):
    return sampler.sample(set_frame(frame), frame).copy()


def test_a_position_is_given_in_the_axes_of_the_turned_moved_and_scaled_object(cloth):
    cloth.location, cloth.rotation_euler.z, cloth.scale = (1.0, 2.0, 3.0), pi / 2, (2.0, 2.0, 2.0)
    react_to(cloth, add_ball(place=(1.0, 4.0, 3.0)))
    # 2 m along the world's Y is 2 m along the object's X, which is twice as long as the world's.
    assert sample(sampler_of(cloth)) == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)


def test_a_position_is_given_in_the_axes_of_a_bone_as_it_is_posed(cloth):
    rig = add_rig()
    rig.location = (5.0, 0.0, 0.0)
    rig.pose.bones["lower"].rotation_mode = "XYZ"
    rig.pose.bones["lower"].rotation_euler = (0.0, 0.0, 0.0)
    settings_of(cloth).frame_object, settings_of(cloth).frame_bone = rig, "upper"
    react_to(cloth, add_ball(place=(5.0, 0.0, 3.0)))
    assert reference_frame_of(cloth) == "Rig/upper"
    # A bone's Y axis runs along it: the ball is 2 m above the upper bone's head.
    assert sample(sampler_of(cloth)) == pytest.approx([0.0, 2.0, 0.0], abs=1e-6)


def test_an_orientation_is_recorded_as_the_object_s_first_two_axes_in_the_frame(cloth):
    cloth.rotation_euler, cloth.scale = (0.3, 0.8, -0.4), (2.0, 2.0, 2.0)
    ball = add_ball()
    ball.rotation_euler, ball.scale = (1.0, -0.2, 0.1), (0.5, 3.0, 1.0)
    react_to(cloth, ball, turning=True)
    names = [channel.name for channel in layout_of(cloth).channels]
    assert names == ["Ball", "Ball orientation"]
    axes = sample(sampler_of(cloth))[3:].reshape(2, 3)
    world = axes @ cloth.rotation_euler.to_matrix().transposed()
    assert world == pytest.approx(np.array(ball.rotation_euler.to_matrix())[:, :2].T, abs=1e-6)
    other = add_empty("Cannon")  # what the place is bound to, the orientation is
    other.rotation_euler = cloth.rotation_euler
    assert sample(sampler_of(cloth, Ball="Cannon"))[3:] == pytest.approx([1, 0, 0, 0, 1, 0], abs=1e-6)


def test_the_matrix_of_the_frame_takes_positions_back_to_the_object(cloth):
    cloth.location, cloth.rotation_euler = (0.5, -1.0, 2.0), (0.3, 0.8, -0.4)
    frame = add_empty("Frame", (3.0, 1.0, 0.0))
    frame.rotation_euler = (1.0, -0.2, 0.1)
    settings_of(cloth).frame_object = frame
    ball = add_ball(place=(0.7, 0.6, 0.5))
    react_to(cloth, ball)
    sampler, depsgraph = sampler_of(cloth), set_frame(1)
    in_frame = sampler.sample(depsgraph, 1)
    in_object = (sampler.object_from_frame(depsgraph) @ [*in_frame, 1.0])[:3]
    world = np.array(cloth.matrix_world) @ [*in_object, 1.0]
    assert world[:3] == pytest.approx([0.7, 0.6, 0.5], abs=1e-5)


def test_joints_are_the_heads_of_bones_and_the_tips_of_the_last_ones(cloth):
    rig = add_rig()
    rig.location = (0.0, 0.0, 10.0)
    upper = rig.pose.bones["upper"]
    upper.rotation_mode = "XYZ"
    upper.rotation_euler = (pi / 2, 0.0, 0.0)  # about its own X: the tip swings to the world's -Y
    react_to(cloth, rig)
    layout = layout_of(cloth)
    assert layout.channels[0].parts == ("lower", "upper", "upper/tip")
    joints = sample(sampler_of(cloth)).reshape(3, 3)
    assert joints[:2] == pytest.approx(np.array([[0, 0, 10], [0, 0, 11]]), abs=1e-5)
    assert np.linalg.norm(joints[2] - joints[1]) == pytest.approx(1.0, abs=1e-5)
    assert joints[2, 2] == pytest.approx(11.0, abs=1e-5)


def test_ground_is_the_up_direction_and_the_height_seen_from_the_frame(cloth):
    cloth.location, cloth.rotation_euler.x = (0.0, 0.0, 3.0), pi / 2
    settings_of(cloth).use_ground, settings_of(cloth).ground_height = True, 1.0
    # Turned a quarter about X, the object's Y points up.
    assert sample(sampler_of(cloth)) == pytest.approx([0.0, 1.0, 0.0, 2.0], abs=1e-6)


def test_wind_is_its_z_axis_times_its_strength_in_the_frames_axes(cloth):
    cloth.rotation_euler.z = pi / 2
    wind = add_wind(strength=50.0)
    wind.rotation_euler.y = pi / 2  # blows along the world's X, the object's -Y
    react_to(cloth, wind)
    assert sample(sampler_of(cloth)) == pytest.approx([0.0, -50.0, 0.0], abs=1e-4)


def test_a_frame_in_even_motion_has_its_speed_and_no_acceleration(cloth):
    settings_of(cloth).moving_frame = True
    for frame, x, angle in ((1, 0.0, 0.0), (25, 2.4, 1.2)):
        cloth.location.x, cloth.rotation_euler.z = x, angle
        cloth.keyframe_insert("location", frame=frame)
        cloth.keyframe_insert("rotation_euler", frame=frame)
    linear(cloth)
    sampler = sampler_of(cloth)
    still = sample(sampler, 1)
    assert still == pytest.approx(np.zeros(12), abs=0)
    for frame in (2, 3, 4):
        y = sample(sampler, frame)
    where = layout_of(cloth).slices()
    turned = 3 * 1.2 / 24
    assert y[where["Frame velocity"]] == pytest.approx(
        [2.4 * np.cos(turned), -2.4 * np.sin(turned), 0], abs=1e-4
    )
    assert y[where["Frame acceleration"]] == pytest.approx([0, 0, 0], abs=1e-2)
    assert y[where["Frame angular velocity"]] == pytest.approx([0, 0, 1.2], abs=1e-4)
    assert y[where["Frame angular acceleration"]] == pytest.approx([0, 0, 0], abs=1e-2)


def test_a_channel_can_be_bound_to_an_object_of_another_name(cloth):
    react_to(cloth, add_ball("Ball"))
    layout = layout_of(cloth)
    bpy.data.objects["Ball"].name = "Old"
    add_ball("Cannon", place=(1.0, 2.0, 3.0))
    add_empty("Stand", (1.0, 1.0, 1.0))
    bindings = {"Ball": "Cannon", FRAME_BINDING: "Stand"}
    y = ChannelSampler(cloth, layout, "", bindings, fps=FPS).sample(set_frame(1), 1)
    assert y == pytest.approx([0.0, 1.0, 2.0], abs=1e-6)
    with pytest.raises(Problem, match="Ball, which Sheet reacts to"):
        ChannelSampler(cloth, layout, "", {}, fps=FPS)


def test_what_is_sampled_is_found_again_after_other_objects_came_and_went(cloth):
    react_to(cloth, add_ball("Moon", place=(0.0, 1.0, 0.0)))
    sampler = sampler_of(cloth)
    first = sample(sampler)
    add_empty("Aardvark")
    assert np.array_equal(sample(sampler), first)
    bpy.data.objects.remove(bpy.data.objects["Aardvark"])
    assert np.array_equal(sample(sampler), first)
    bpy.data.objects.remove(bpy.data.objects["Moon"])
    with pytest.raises(Problem, match="Moon"):
        sample(sampler)


def test_two_channels_never_share_a_name(cloth):
    ball = add_ball()
    react_to(cloth, ball)
    react_to(cloth, add_ball("Other")).name = "Ball"
    assert [c.name for c in layout_of(cloth).channels] == ["Ball", "Ball 2"]


def test_thousands_of_lines_of_one_name_are_numbered(cloth):
    """In a file of 100 KB; it was sought among all names, again for each number, in each frame."""
    ball = add_ball()
    for name in ["Ball 3", *["Ball"] * 3000, "Ball 3"]:
        item = settings_of(cloth).interactions.add()
        item.name, item.object = name, ball
    expected = ["Ball 3", "Ball", "Ball 2", *(f"Ball {n}" for n in range(4, 3002)), "Ball 3 2"]
    assert interaction_names(cloth) == expected


def test_more_lines_than_anybody_makes_are_refused(cloth):
    ball = add_ball()
    for _ in range(MOST_INTERACTIONS):
        react_to(cloth, ball)
    assert len(layout_of(cloth).channels) == MOST_INTERACTIONS
    react_to(cloth, ball)
    with pytest.raises(Problem, match="Sheet has 201 lines, but at most 200") as caught:
        layout_of(cloth)
    assert caught.value.code == "interactions_too_many"


def test_set_up_lists_no_more_than_may_be_and_changes_nothing(cloth):
    for number in range(MOST_INTERACTIONS + 1):
        hook = cloth.modifiers.new("Hook", "HOOK")
        hook.object = add_empty(f"Pin {number}")
    bpy.context.view_layer.update()
    with pytest.raises(Problem, match="Sheet would have 201 lines, but at most 200") as caught:
        set_up(cloth, bpy.context.scene)
    assert caught.value.code == "movers_too_many" and not settings_of(cloth).interactions
    cloth.modifiers.remove(hook)
    assert len(set_up(cloth, bpy.context.scene)) == MOST_INTERACTIONS


def test_a_line_without_an_object_and_an_empty_list_are_refused(cloth):
    with pytest.raises(Problem, match="Sheet has nothing to react to"):
        layout_of(cloth)
    react_to(cloth, add_ball())
    react_to(cloth, add_ball("Gone"))
    settings_of(cloth).interactions[1].object = None
    with pytest.raises(Problem, match="Line 2"):
        layout_of(cloth)


def test_the_frame_itself_is_no_position_for_it_would_always_be_nought(cloth):
    pole = add_empty("Pole")
    settings_of(cloth).frame_object = pole
    react_to(cloth, pole)
    settings_of(cloth).moving_frame = True
    assert next(c.kind for c in layout_of(cloth).channels) == "velocity"
