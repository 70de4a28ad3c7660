"""Keyed animation is looked ahead at, a hand is not, and whatever way a frame is reached it is the same."""

from __future__ import annotations

import bpy
import jiggling
import numpy as np
import play_scenes
import pytest
import rigs
import test_spring_play as tubes

from neural_physics.blender.playing import handlers, playback, played_objects
from neural_physics.blender.playing.mesh_cache import bake_playback
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender, pytest.mark.once]

LAST = 60


@pytest.fixture
def tube():
    _, _, tube = tubes.tube_on_bones()
    tubes.play(tube)
    return tube


@pytest.fixture
def window_plays(monkeypatch):
    """As if the animation played in a window."""
    state = {"playing": False}
    monkeypatch.setattr(played_objects, "is_playing", lambda depsgraph: state["playing"])
    return state


def timeline_of(tube):
    return handlers.PLAYED.session_of(tube).timeline


def played(tube, frames):
    """World-space positions by frame, visited in this order."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = rigs.shown(tube)
    return found


def equal(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[frame], b[frame]) for frame in a)


def posed_along(tube, frames, hand):
    """Play frames while a hand moves a bone that has no keys for where it is, from the frame `hand` on."""
    found = {}
    for frame in frames:
        if frame >= hand:
            bpy.data.objects["Rig"].pose.bones[1].location = (0.02 * (frame - hand), 0.0, 0.01)
        bpy.context.scene.frame_set(frame)
        found[frame] = rigs.shown(tube)
    return found


def without_bones(tube):
    """Nothing is moved by hand any more."""
    bpy.data.objects["Rig"].pose.bones[1].location = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()


def test_what_plays_is_nearer_to_an_exact_integration_than_without(tube):
    """Of the paper's cubic target, by a Runge-Kutta method of order 8."""
    solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp
    tube.modifiers[-1].show_viewport = False
    bones = tubes.bones_alone(tube, range(1, LAST + 2))
    tube.modifiers[-1].show_viewport = True
    shown = {}
    for ahead in (True, False):
        settings_of(tube).look_ahead = ahead
        bpy.context.view_layer.update()
        shown[ahead] = np.stack(list(played(tube, range(1, LAST + 1)).values()))
    k_s, k_d = tubes.springs(bones.shape[1])
    slopes = np.gradient(bones, axis=0)
    for vertex in (0, 20, 47, 71):
        for axis in (0, 2):
            x, m = bones[:, vertex, axis], slopes[:, vertex, axis]

            def motion(t, state, x=x, m=m, vertex=vertex):
                n = min(int(t), LAST - 1)
                s, line = t - n, x[n + 1] - x[n]
                bend, twist = 3 * line - 2 * m[n] - m[n + 1], m[n] + m[n + 1] - 2 * line
                wanted = x[n] + s * (m[n] + s * (bend + s * twist))
                rate = m[n] + s * (2 * bend + 3 * s * twist)
                pull = k_s[vertex] * (wanted - state[0]) * tubes.DT**2
                return [state[1], pull + k_d[vertex] * (rate - state[1]) * tubes.DT]

            at = np.arange(LAST)
            exact = solve_ivp(
                motion, (0, LAST - 1), [x[0], m[0]], "DOP853", at, rtol=1e-10, atol=1e-12, max_step=0.25
            ).y[0]
            off = {ahead: np.abs(shown[ahead][:, vertex, axis] - exact).max() for ahead in shown}
            assert off[True] < 1e-5  # metres
            assert off[False] > 1e-4


def test_scrubbing_playing_backwards_and_a_new_session_show_what_playing_showed(tube):
    forward = played(tube, range(1, LAST))
    assert timeline_of(tube).looks_ahead
    assert equal(dict(sorted(played(tube, range(LAST - 1, 0, -1)).items())), forward)
    for frame in (40, 7, 41):
        playback.attach(tube)
        assert np.array_equal(played(tube, [frame])[frame], forward[frame])


def test_a_rendered_and_a_baked_frame_are_what_playing_showed(tube, tmp_path):
    forward = played(tube, range(1, 31))
    local = play_scenes.played(tube, [30])[30]
    playback.attach(tube)
    bpy.context.scene.frame_set(1)
    path = tmp_path / "playback.pc2"
    bake_playback(bpy.context.scene, tube, path, 20, last=30)
    baked = np.frombuffer(path.read_bytes()[32:], "<f4").reshape(11, -1, 3)
    assert np.array_equal(baked[-1], local)
    assert np.abs(played(tube, [30])[30] - forward[30]).max() < 1e-6


def test_no_frame_is_visited_twice_once_it_was_read(tube):
    played(tube, range(1, 4))
    seen = []
    bpy.app.handlers.frame_change_pre.append(count := lambda scene, *_: seen.append(scene.frame_current))
    played(tube, range(4, LAST))
    bpy.app.handlers.frame_change_pre.remove(count)
    assert seen == list(range(4, LAST))


def test_frames_are_read_a_few_at_a_time_where_each_takes_long(tube, monkeypatch):
    forward = played(tube, range(1, LAST))
    monkeypatch.setattr(played_objects, "LONGEST_WAIT", 0.0)
    playback.attach(tube)
    assert equal(played(tube, range(1, LAST)), forward)
    assert timeline_of(tube)._lookahead.next_frame == LAST + 1


def test_a_bone_in_the_hand_is_followed_as_without_looking_ahead_and_without_a_jump(tube, window_plays):
    window_plays["playing"] = True
    ahead = played(tube, range(1, 31))
    live = posed_along(tube, range(31, LAST), hand=31)
    assert timeline_of(tube).broken_at() == 31
    assert playback.status_of(tube).not_ahead.code == "look_ahead_ends"
    window_plays["playing"] = False
    tube.modifiers[-1].show_viewport = False
    without_bones(tube)
    before = tubes.bones_alone(tube, range(1, 31))
    posed = [frame.astype(float) for frame in posed_along(tube, range(31, LAST), hand=31).values()]
    bones = np.concatenate([before, np.stack(posed)])
    keyed = np.concatenate([before, [bones[-1]]])
    without_bones(tube)
    keyed[30] = tubes.bones_alone(tube, [31])[0]
    # As keys say it up to frame 30, the velocity there with the pose that was to come; then backward.
    slopes = jiggling.causal_slopes(bones)
    slopes[:30] = jiggling.central_slopes(keyed)[:30]
    truth = jiggling.swung(bones, slopes, *tubes.springs(bones.shape[1]))
    shown = np.stack([*ahead.values(), *live.values()])
    assert np.abs(shown - truth).max() < 3e-5


def test_what_a_hand_posed_while_it_played_is_that_runs_motion(tube, window_plays):
    window_plays["playing"] = True
    shown = posed_along(tube, range(1, LAST), hand=20)
    backwards = {}
    for frame in range(LAST - 1, 20, -1):  # playing backwards samples nothing new: the hand stands still
        bpy.data.objects["Rig"].pose.bones[1].location = (0.02 * (frame - 20), 0.0, 0.01)
        bpy.context.scene.frame_set(frame)
        backwards[frame] = rigs.shown(tube)
    assert all(np.array_equal(backwards[frame], shown[frame]) for frame in backwards)


def test_a_rig_without_keys_is_played_as_ever_and_nothing_is_visited_for_it(window_plays):
    scene, rig, tube = tubes.tube_on_bones()
    rig.animation_data_clear()
    rigs.pose(rig, 0, turn=0.0)
    tubes.play(tube)
    assert playback.status_of(tube).not_ahead.code == "look_ahead_not_keyed"
    window_plays["playing"] = True
    seen = []
    bpy.app.handlers.frame_change_pre.append(count := lambda scene, *_: seen.append(scene.frame_current))
    shown = {True: posed_along(tube, range(1, 41), hand=5)}
    bpy.app.handlers.frame_change_pre.remove(count)
    assert seen == list(range(1, 41))
    settings_of(tube).look_ahead = False
    without_bones(tube)
    playback.attach(tube)
    scene.frame_set(1)
    shown[False] = posed_along(tube, range(1, 41), hand=5)
    assert equal(shown[True], shown[False])


def test_an_edited_key_counts_at_every_frame_that_sees_it(tube):
    scene, rig = bpy.context.scene, bpy.data.objects["Rig"]
    before = played(tube, range(1, LAST))
    scene.frame_set(10)
    bone = rig.pose.bones[1]
    kept = bone.rotation_quaternion.copy()
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    bone.keyframe_insert("rotation_quaternion", frame=13)
    bone.rotation_quaternion = kept
    bpy.context.view_layer.update()
    scene.frame_set(11)
    after = played(tube, range(1, LAST))
    assert not np.array_equal(before[30], after[30])
    playback.attach(tube)
    assert equal(played(tube, range(1, LAST)), after)
    assert timeline_of(tube).broken_at() is None


def test_what_a_hand_posed_is_looked_ahead_at_again_from_the_start_frame_on(tube):
    scene, bone = bpy.context.scene, bpy.data.objects["Rig"].pose.bones[1]
    played(tube, range(1, 21))
    bone.location = (0.1, 0.0, 0.05)  # has no keys, and so stays
    bpy.context.view_layer.update()
    played(tube, range(21, 31))
    assert timeline_of(tube).broken_at() == 20
    scene.frame_set(1)
    again = played(tube, range(1, LAST))
    assert timeline_of(tube).broken_at() is None
    playback.attach(tube)
    assert equal(played(tube, range(1, LAST)), again)


def test_a_pose_that_was_taken_back_leaves_nothing_behind(tube):
    scene, bone = bpy.context.scene, bpy.data.objects["Rig"].pose.bones[1]
    before = played(tube, range(1, LAST))
    scene.frame_set(20)
    bone.location = (0.1, 0.0, 0.05)
    bpy.context.view_layer.update()
    assert not np.array_equal(rigs.shown(tube), before[20])
    bone.location = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert equal(played(tube, range(1, LAST)), before)


def test_posing_while_paused_does_not_move_the_scene(tube):
    """Another frame would take back what is posed and not keyed yet."""
    scene, bone = bpy.context.scene, bpy.data.objects["Rig"].pose.bones[1]
    scene.frame_set(20)
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)  # has keys
    bpy.context.view_layer.update()
    assert tuple(bone.rotation_quaternion) == pytest.approx((0.8, 0.6, 0.0, 0.0))
    assert playback.status_of(tube).problem is None and playback.status_of(tube).behind == 0


def test_switching_it_off_and_on_shows_the_one_and_the_other(tube):
    ahead = played(tube, range(1, LAST))
    settings_of(tube).look_ahead = False
    bpy.context.view_layer.update()
    causal = played(tube, range(1, LAST))
    difference = [np.abs(ahead[frame] - causal[frame]).max() for frame in ahead]
    assert 1e-4 < max(difference) < 0.05
    settings_of(tube).look_ahead = True
    assert equal(played(tube, range(1, LAST)), ahead)


def test_a_bone_that_is_gone_while_frames_are_read_is_reported(tube):
    rig = bpy.data.objects["Rig"]
    bpy.context.scene.frame_set(3)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["bone2"])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_set(150)
    assert isinstance(playback.status_of(tube).problem, Problem)
