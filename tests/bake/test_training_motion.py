"""The motion keyed into a copy of the scene, as Blender then plays it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from math import pi

from scenes import (
    add_ball,
    add_cloth,
    add_empty,
    add_rig,
    add_wind,
    bpy,
    empty_scene,
    fcurves_of,
    react_to,
    rig_with_actions,
    set_frame,
    settings_of,
)

from neural_physics.blender.baking.motion.training_motion import (
    Span,
    check_training_motion,
    clip_of,
    key_training_motion,
)
from neural_physics.blender.scene.rigs import rig_actions
from neural_physics.blender.scene.rigs.rig_actions import actions_of, curves_of
from neural_physics.errors import Problem

FPS, FIRST, COUNT = 24.0, 5, 240
SPAN = Span(FIRST, COUNT, FPS)
BOX = {"box_low": (-1.0, -2.0, 0.5), "box_high": (1.0, 0.0, 1.5)}


@pytest.fixture
def cloth():
    empty_scene()
    return add_cloth()


def matrices(obj):
    """World matrices of an object at every keyed frame, as evaluated."""
    return np.array(
        [np.array(obj.evaluated_get(set_frame(FIRST + i)).matrix_world) for i in range(COUNT)], float
    )


def places(obj):
    return matrices(obj)[:, :3, 3]


def test_it_wanders_from_where_it_stands_into_the_box_and_never_faster_than_allowed(cloth):
    ball = add_ball(place=(3.0, 0.0, 0.0))
    react_to(cloth, ball, **BOX, fastest=2.0)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=1, role="training")
    path = places(ball)
    assert path[0] == pytest.approx([3.0, 0.0, 0.0], abs=1e-6)
    inside = ((path >= np.array(BOX["box_low"]) - 1e-5) & (path <= np.array(BOX["box_high"]) + 1e-5)).all(
        axis=1
    )
    arrived = int(np.argmax(inside))
    assert 0 < arrived < COUNT // 2 and inside[arrived:].all()
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() * FPS <= 2.0 + 1e-4
    assert (np.ptp(path[arrived:], axis=0) > 0.25 * np.array([2.0, 2.0, 1.0])).all()


def test_it_follows_its_own_keys_for_the_share_of_the_time_that_is_set(cloth):
    ball = add_ball(place=(0.0, -1.0, 1.0))
    for frame, x in ((1, 3.0), (21, 5.0), (41, 3.0)):
        ball.location.x = x
        ball.keyframe_insert("location", index=0, frame=frame)
    react_to(cloth, ball, **BOX, fastest=8.0, own_motion=0.5)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=1, role="training")
    path = places(ball)
    path = path[np.argmax(path[:, 0] < 1.0) :]  # on from where it has left its place for the box
    far = path[:, 0] > 3.1
    assert 0.25 < far.mean() < 0.75 and path[:, 0].max() == pytest.approx(5.0, abs=0.05)
    assert path[far, 1:] == pytest.approx(np.tile([-1.0, 1.0], (far.sum(), 1)), abs=1e-3)
    wanders = path[path[:, 0] < 1.0]
    assert np.ptp(wanders[:, 1:], axis=0).max() > 0.3  # where its keys never put it


def test_the_same_seed_gives_the_same_motion_and_another_one_another(cloth):
    ball = add_ball()
    react_to(cloth, ball, **BOX)
    paths = []
    for seed in (1, 2, 1):
        ball.animation_data_clear()
        ball.location = (0.0, -0.8, 0.0)
        set_frame(FIRST)
        key_training_motion(cloth, SPAN, seed, "training")
        paths.append(places(ball))
    assert np.array_equal(paths[0], paths[2])
    assert abs(paths[0] - paths[1]).max() > 0.1


def test_the_box_is_in_the_world_even_for_a_child_of_a_moving_turned_parent(cloth):
    parent, child = add_empty("Parent", (4.0, 0.0, 0.0)), add_empty("Child")
    parent.rotation_euler.z, parent.scale = pi / 3, (2.0, 2.0, 2.0)
    parent.keyframe_insert("location", frame=1)
    parent.location.x = 20.0
    parent.keyframe_insert("location", frame=100)
    child.parent, child.location = parent, (0.1, 0.2, 0.3)
    child.constraints.new("LIMIT_LOCATION").use_max_x = True
    react_to(cloth, child, **BOX)
    start = np.array(child.evaluated_get(set_frame(FIRST)).matrix_world)[:3, 3]
    key_training_motion(cloth, SPAN, seed=3, role="training")
    path = places(child)
    assert path[0] == pytest.approx(start, abs=1e-5)
    assert (path[-60:] >= np.array(BOX["box_low"]) - 1e-5).all()
    assert (path[-60:] <= np.array(BOX["box_high"]) + 1e-5).all()


def test_what_keeps_its_animation_is_left_alone_and_so_is_a_turn_that_was_keyed(cloth):
    kept, ball = add_empty("Kept"), add_ball()
    for obj in (kept, ball):
        for frame, angle in ((FIRST, 0.0), (FIRST + 100, 2.0)):
            obj.rotation_euler.z = angle
            obj.keyframe_insert("rotation_euler", frame=frame)
    kept.keyframe_insert("location", frame=FIRST)
    react_to(cloth, kept, "KEEP")
    react_to(cloth, ball, **BOX)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=3, role="training")
    assert np.ptp(places(kept), axis=0) == pytest.approx([0, 0, 0])
    assert matrices(ball)[-1][:3, :3] == pytest.approx(matrices(kept)[-1][:3, :3], abs=1e-5)


def test_an_action_shared_with_another_object_moves_only_the_one(cloth):
    ball, other = add_ball(), add_empty("Other")
    ball.keyframe_insert("location", frame=1)
    other.animation_data_create().action = ball.animation_data.action
    other.animation_data.action_slot = ball.animation_data.action_slot
    react_to(cloth, ball, **BOX)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=3, role="training")
    assert np.ptp(places(other)) < np.ptp(places(ball))
    assert np.ptp(places(other), axis=0) == pytest.approx([0, 0, 0])


def test_wind_changes_within_its_limits_and_its_cone(cloth):
    wind = add_wind(strength=100.0)
    wind.rotation_euler = (0.3, 0.5, 0.0)
    react_to(cloth, wind, strength_low=50.0, strength_high=400.0, turn=0.6)
    axis = np.array(wind.evaluated_get(set_frame(FIRST)).matrix_world)[:3, 2]
    key_training_motion(cloth, SPAN, seed=3, role="training")
    strengths = [wind.evaluated_get(set_frame(FIRST + i)).field.strength for i in range(COUNT)]
    assert min(strengths) >= 50.0 - 1e-3 and max(strengths) <= 400.0 + 1e-3
    assert np.ptp(strengths) > 150.0
    angles = np.arccos(np.clip(matrices(wind)[:, :3, 2] @ axis, -1.0, 1.0))
    assert angles[0] == pytest.approx(0.0, abs=1e-3)
    assert 0.2 < angles.max() <= 0.6 + 1e-3
    assert np.abs(np.diff(angles)).max() < 0.2


def test_a_moving_reference_frame_also_turns(cloth):
    pole = add_empty("Pole")
    settings_of(cloth).frame_object, settings_of(cloth).moving_frame = pole, True
    react_to(cloth, pole, **BOX, turn=0.5)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=3, role="training")
    turned = matrices(pole)[:, :3, :3]
    angles = np.arccos(np.clip((np.trace(turned, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert 0.2 < angles.max() <= 0.5 + 1e-3


@pytest.mark.parametrize("turning", [False, True])
def test_what_has_turning_switched_on_turns_as_it_wanders(cloth, turning):
    ball = add_ball()
    ball.rotation_euler.z = 0.3
    react_to(cloth, ball, **BOX, turning=turning, turn=0.5)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=3, role="training")
    turned = matrices(ball)[:, :3, :3]
    from_start = turned @ turned[0].T
    angles = np.arccos(np.clip((np.trace(from_start, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert 0.2 < angles.max() <= 0.5 + 1e-3 if turning else angles.max() < 1e-3


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_frame_may_turn_about_one_of_its_own_axes_alone(cloth, axis):
    pole = add_empty("Pole")
    pole.rotation_euler = (0.4, -0.7, 1.1)
    settings_of(cloth).frame_object, settings_of(cloth).moving_frame = pole, True
    react_to(cloth, pole, **BOX, turn=2.0, turn_axis=axis)
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=3, role="training")
    kept = matrices(pole)[:, :3, "XYZ".index(axis)]
    assert np.abs(kept - kept[0]).max() < 1e-5
    others = np.delete(matrices(pole)[:, :3, :3], "XYZ".index(axis), axis=2)
    assert np.abs(others - others[0]).max() > 0.5


def pose_curves(rig):
    return {
        (c.data_path, c.array_index): np.array([c.evaluate(FIRST + i) for i in range(COUNT)])
        for c in fcurves_of(rig)
    }


def test_actions_are_played_all_in_another_order_each_time_without_jumps(cloth):
    rig = rig_with_actions()
    react_to(cloth, rig, "ACTIONS")
    orders = set()
    for seed in range(4):
        rig.animation_data.action = None
        set_frame(FIRST)
        key_training_motion(cloth, SPAN, seed, "training")
        curves = pose_curves(rig)
        bend = curves['pose.bones["lower"].rotation_quaternion', 1]
        lift = curves['pose.bones["upper"].location', 1]
        assert bend[0] == 0.0 and lift[0] == 0.0, "it does not start as it stands"
        # The lift's last frames are blended into what follows.
        assert bend.max() == pytest.approx(1.0, abs=1e-6) and lift.max() > 0.8
        held = np.isclose(bend, 0.5) & np.isclose(np.roll(bend, 1), 0.5)
        assert held.sum() > 10, "the half bend was left out"
        # 0.3 s from one action to the next: no value moves faster than by 1 in 7 frames.
        assert np.abs(np.diff(bend)).max() < 0.2 and np.abs(np.diff(lift)).max() < 0.2
        orders.add(tuple(np.round(bend, 3)))
        key_action = rig.animation_data.action
        rig.animation_data.action = None
        bpy.data.actions.remove(key_action)
    assert len(orders) > 1


def test_what_is_kept_for_testing_is_all_that_test_takes_play_and_nothing_that_others_do(cloth):
    rig = rig_with_actions()
    react_to(cloth, rig, "ACTIONS").test_action = "lift"
    lifted, bent = {}, {}
    for role in ("training", "validation", "test"):
        rig.animation_data.action = None
        set_frame(FIRST)
        key_training_motion(cloth, SPAN, 1, role)
        curves = pose_curves(rig)
        lifted[role] = np.abs(curves.get(('pose.bones["upper"].location', 1), np.zeros(1))).max()
        bent[role] = np.abs(curves.get(('pose.bones["lower"].rotation_quaternion', 1), np.zeros(1))).max()
        key_action = rig.animation_data.action
        rig.animation_data.action = None
        bpy.data.actions.remove(key_action)
    assert lifted["test"] > 0.8 and lifted["training"] == lifted["validation"] == 0.0
    assert bent["training"] == bent["validation"] == pytest.approx(1.0) and bent["test"] == 0.0


def test_without_an_action_kept_all_roles_play_the_same(cloth):
    rig = rig_with_actions()
    react_to(cloth, rig, "ACTIONS")
    played = []
    for role in ("training", "test"):
        rig.animation_data.action = None
        set_frame(FIRST)
        key_training_motion(cloth, SPAN, 1, role)
        played.append(pose_curves(rig))
        key_action = rig.animation_data.action
        rig.animation_data.action = None
        bpy.data.actions.remove(key_action)
    assert played[0].keys() == played[1].keys()
    assert all(np.array_equal(played[0][channel], played[1][channel]) for channel in played[0])


def test_a_test_action_that_cannot_be_reserved_is_refused(cloth):
    rig = rig_with_actions()
    item = react_to(cloth, rig, "ACTIONS")
    item.test_action = "lift"
    check_training_motion(cloth)
    settings_of(cloth).take_count = 7
    said = (
        "Takes at 7 leaves no test take to play it: set Takes to 8 or more, or clear Test Action under Set Up"
    )
    with pytest.raises(Problem, match=f"{said} > Training Motion"):
        check_training_motion(cloth)
    settings_of(cloth).take_count = 8
    item.test_action = "jump"
    with pytest.raises(Problem, match="The action jump, reserved for testing, is not one"):
        check_training_motion(cloth)
    item.test_action = "lift"
    for name in ("half", "whole"):
        bpy.data.actions.remove(bpy.data.actions[name])
    with pytest.raises(Problem, match="lift is the only action of"):
        check_training_motion(cloth)


def test_what_an_action_keys_and_this_rig_lacks_is_passed_over(cloth):
    rig = rig_with_actions()
    rig["mood"] = 0.5
    rig.animation_data.action = bpy.data.actions["half"]
    rig.keyframe_insert('["mood"]', frame=1)
    rig.animation_data.action = None
    del rig["mood"]
    react_to(cloth, rig, "ACTIONS")
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=0, role="training")
    curves = pose_curves(rig)
    assert not any("mood" in path for path, _ in curves)
    assert curves['pose.bones["lower"].rotation_quaternion', 1].max() > 0.9


def test_opposite_quaternions_of_one_turn_are_blended_the_short_way(cloth):
    rig = add_rig()
    bone = rig.pose.bones["lower"]
    for name, turn in (("plus", (0.8, 0.6, 0.0, 0.0)), ("minus", (-0.8, -0.6, 0.0, 0.0))):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        for frame in (1, 31):
            bone.rotation_quaternion = turn
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        rig.animation_data.action = None
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    react_to(cloth, rig, "ACTIONS")
    set_frame(FIRST)
    key_training_motion(cloth, SPAN, seed=0, role="training")
    curves = pose_curves(rig)
    for index, value in enumerate((0.8, 0.6)):
        assert np.abs(curves['pose.bones["lower"].rotation_quaternion', index]) == pytest.approx(value)


def test_settings_that_no_motion_can_be_made_from_are_refused(cloth):
    item = react_to(cloth, add_ball(), **BOX)
    item.box_low[0] = 5.0
    with pytest.raises(Problem, match="motion box of Ball"):
        check_training_motion(cloth)
    item.motion = "ACTIONS"
    with pytest.raises(Problem, match="Ball has no actions"):
        check_training_motion(cloth)
    item.object, item.motion, item.box_low[0] = add_wind(), "WANDER", -1.0
    item.strength_low, item.strength_high = 2.0, 1.0
    with pytest.raises(Problem, match="minimum wind of Wind"):
        check_training_motion(cloth)


def test_of_an_action_for_two_characters_each_plays_its_own_slot():
    """And a third one, which never played it, that of its name."""
    empty_scene()
    scene_of_two = bpy.data.actions.new("Dance")
    rigs = [add_rig(name) for name in ("First", "Second", "Third")]
    for rig, angle in zip(rigs, (0.1, 0.2, 0.3), strict=True):
        rig.animation_data_create().action = scene_of_two
        rig.animation_data.action_slot = scene_of_two.slots.new("OBJECT", rig.name)
        bone = rig.pose.bones["upper"]
        bone.rotation_mode, bone.rotation_euler = "XYZ", (angle, 0.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=1)
    rigs[1].animation_data.action = None  # it has played it
    rigs[2].animation_data_clear()
    channel = 'pose.bones["upper"].rotation_euler', 0
    for rig, angle in zip(rigs, (0.1, 0.2, 0.3), strict=True):
        (action,) = actions_of(rig)
        assert curves_of(action, rig)[channel].evaluate(1) == pytest.approx(angle)
        assert clip_of(rig, action, [channel], np.zeros(1)) == pytest.approx(angle)


def test_varied_actions_differ_in_pace_and_extent_but_not_in_test_takes(cloth):
    rig = rig_with_actions()
    item = react_to(cloth, rig, "ACTIONS")
    found = {}
    for variation, role in ((0.0, "training"), (0.4, "training"), (0.4, "test"), (0.0, "test")):
        item.variation = variation
        rig.animation_data.action = None
        set_frame(FIRST)
        key_training_motion(cloth, Span(FIRST, 2000, FPS), 1, role)
        curves = fcurves_of(rig)
        found[variation, role] = {
            (c.data_path, c.array_index): np.array([c.evaluate(FIRST + i) for i in range(2000)])
            for c in curves
        }
        key_action = rig.animation_data.action
        rig.animation_data.action = None
        bpy.data.actions.remove(key_action)
    lift = 'pose.bones["upper"].location', 1
    assert all(np.array_equal(found[0.4, "test"][c], found[0.0, "test"][c]) for c in found[0.0, "test"])
    varied = found[0.4, "training"]
    assert 1.1 < varied[lift].max() <= 1.4 + 1e-6 and found[0.0, "training"][lift].max() <= 1.0 + 1e-6
    fastest, plain = (np.diff(found[v, "training"][lift]).max() for v in (0.4, 0.0))
    assert fastest > 1.3 * plain
    turns = np.array([varied['pose.bones["lower"].rotation_quaternion', k] for k in range(4)])
    in_clips = np.abs(np.linalg.norm(turns, axis=0) - 1.0)
    assert (
        np.quantile(in_clips, 0.3) < 1e-6
    )  # where two are blended they are no turns, until Blender makes them so


def test_however_many_lines_play_a_rigs_actions_each_of_them_is_looked_at_once(cloth, monkeypatch):
    """300 lines and 300 actions took 1.5 s, at each redraw of the Bake panel."""
    rig, looked_at = rig_with_actions(), []
    for _ in range(20):
        react_to(cloth, rig, "ACTIONS")
    for number in range(20):  # and however many rigs
        other = bpy.data.objects.new(f"Rig {number}", rig.data)
        bpy.context.scene.collection.objects.link(other)
        react_to(cloth, other, "ACTIONS")
    bpy.context.view_layer.update()
    of = rig_actions._curves_in
    monkeypatch.setattr(rig_actions, "_curves_in", lambda *what: looked_at.append(1) or of(*what))
    check_training_motion(cloth)
    assert len(looked_at) == len(bpy.data.actions)
