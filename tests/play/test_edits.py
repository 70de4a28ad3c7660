"""UnanimatedChannels, keys, undo and files: what changes y is followed, what does not changes nothing."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.playing import handlers, playback, played_objects
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender


@pytest.fixture
def sheet():
    """Plays with a hand that has no animation."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand(seed=None))
    playback.attach(sheet)
    return sheet


@pytest.fixture
def animated():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    return sheet


@pytest.fixture
def window_plays(monkeypatch):
    """As if the animation played in a window."""
    state = {"playing": False}
    monkeypatch.setattr(played_objects, "is_playing", lambda depsgraph: state["playing"])
    return state


def move_hand(place):
    bpy.data.objects["Hand"].location = place
    bpy.context.view_layer.update()


def drag_along(frames):
    """Play frames while the hand is dragged; the poses shown."""
    poses = {}
    for frame in frames:
        bpy.data.objects["Hand"].location = (0.01 * frame, -0.005 * frame, 0.3)
        bpy.context.scene.frame_set(frame)
        poses[frame] = play_scenes.shown(bpy.data.objects["Sheet"])
    return poses


def equal(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[frame], b[frame]) for frame in a)


def test_what_was_dragged_while_playing_is_that_runs_motion(sheet, window_plays):
    window_plays["playing"] = True
    live = drag_along(range(1, 61))
    window_plays["playing"] = False
    assert np.abs(live[60] - live[30]).max() > 0.01
    assert equal(dict(sorted(play_scenes.played(sheet, range(60, 0, -1)).items())), live)
    bpy.context.scene.frame_set(45)
    assert np.array_equal(play_scenes.shown(sheet), live[45])


def test_playing_again_with_the_hand_elsewhere_is_a_new_run(sheet, window_plays):
    scene = bpy.context.scene
    window_plays["playing"] = True
    drag_along(range(1, 61))
    bpy.data.objects["Hand"].location = (-0.5, 0.5, -0.5)
    again = {}
    for frame in range(1, 41):  # the loop back to the start
        scene.frame_set(frame)
        again[frame] = play_scenes.shown(sheet)
    window_plays["playing"] = False
    playback.attach(sheet)
    assert equal(play_scenes.played(sheet, range(1, 41)), again)


def test_play_pressed_on_the_start_frame_begins_from_where_the_hand_is(sheet, window_plays):
    scene = bpy.context.scene
    window_plays["playing"] = True
    drag_along(range(1, 31))
    window_plays["playing"] = False
    scene.frame_set(1)
    handlers.on_playback(scene, bpy.context.evaluated_depsgraph_get())
    session = handlers.PLAYED.session_of(sheet)
    assert np.allclose(session.timeline.recorded(1), bpy.data.objects["Hand"].location)
    assert list(session.timeline.missing(31)) == list(range(2, 31))


def test_playing_backwards_records_nothing(sheet, window_plays):
    window_plays["playing"] = True
    live = drag_along(range(1, 31))
    backwards = play_scenes.played(sheet, range(30, 1, -1))
    assert all(np.array_equal(backwards[frame], live[frame]) for frame in backwards)


def test_dragging_while_paused_shows_at_once_and_forgets_only_what_follows(sheet):
    poses = play_scenes.played(sheet, range(1, 61))
    bpy.context.scene.frame_set(30)
    move_hand((0.5, 0.5, 0.5))
    dragged = play_scenes.shown(sheet)
    assert not np.array_equal(dragged, poses[30])
    later = play_scenes.played(sheet, range(31, 61))
    assert not np.array_equal(later[60], poses[60])
    earlier = play_scenes.played(sheet, range(29, 0, -1))
    assert all(np.array_equal(earlier[frame], poses[frame]) for frame in earlier)
    bpy.context.scene.frame_set(30)
    assert np.array_equal(play_scenes.shown(sheet), dragged)


def test_dragging_on_the_start_frame_changes_everything(sheet):
    play_scenes.played(sheet, range(1, 31))
    bpy.context.scene.frame_set(1)
    move_hand((0.5, 0.5, 0.5))
    poses = play_scenes.played(sheet, range(1, 31))
    playback.attach(sheet)
    assert equal(play_scenes.played(sheet, range(1, 31)), poses)


def test_a_hand_moved_between_two_frames_by_a_script_counts(sheet):
    scene = bpy.context.scene
    play_scenes.played(sheet, range(1, 31))
    scene.frame_set(1)
    bpy.data.objects["Hand"].location = (0.5, 0.5, 0.5)  # no handler is called before the next frame
    scene.frame_set(20)
    found = play_scenes.shown(sheet)
    playback.attach(sheet)
    scene.frame_set(20)
    assert np.array_equal(play_scenes.shown(sheet), found)


def test_other_edits_leave_the_run_alone(sheet, window_plays):
    window_plays["playing"] = True
    live = drag_along(range(1, 31))
    window_plays["playing"] = False
    other = play_scenes.add_hand("Other", seed=5)
    bpy.context.scene.frame_set(10)
    other.location.x += 1.0
    bpy.context.view_layer.update()
    other.keyframe_insert("location", frame=10)
    bpy.context.view_layer.update()
    assert equal(play_scenes.played(sheet, range(1, 31)), live)


def test_edited_keys_are_followed_at_every_frame(animated):
    before = play_scenes.played(animated, range(1, 61))
    hand = bpy.data.objects["Hand"]
    bpy.context.scene.frame_set(10)
    hand.location = (0.5, 0.5, 0.5)
    hand.keyframe_insert("location", frame=30)  # the hand at frame 10 moves on the new curve, too
    bpy.context.view_layer.update()
    after = play_scenes.played(animated, range(1, 61))
    assert not np.array_equal(before[30], after[30])
    playback.attach(animated)
    assert equal(play_scenes.played(animated, range(1, 61)), after)


def test_keys_taken_away_leave_no_ghost_of_the_old_motion(animated):
    play_scenes.played(animated, range(1, 41))
    bpy.data.objects["Hand"].animation_data_clear()
    bpy.context.view_layer.update()
    found = play_scenes.played(animated, range(1, 41))
    playback.attach(animated)
    assert equal(play_scenes.played(animated, range(1, 41)), found)


def test_undo_and_redo_bring_back_the_pose(animated):
    scene = bpy.context.scene
    poses = play_scenes.played(animated, range(1, 41))
    bpy.ops.ed.undo_push(message="before")
    bpy.data.objects["Hand"].location = (0.5, 0.5, 0.5)
    bpy.data.objects["Hand"].keyframe_insert("location", frame=40)
    bpy.context.view_layer.update()
    scene.frame_set(40)
    keyed = play_scenes.shown(animated)
    assert not np.array_equal(keyed, poses[40])
    bpy.ops.ed.undo_push(message="keyed")
    bpy.ops.ed.undo()
    # All that Python held is dead now; what plays finds everything again.
    bpy.context.scene.frame_set(40)
    assert np.array_equal(play_scenes.shown(bpy.data.objects["Sheet"]), poses[40])
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(40)
    assert np.array_equal(play_scenes.shown(bpy.data.objects["Sheet"]), keyed)
    assert playback.status_of(bpy.data.objects["Sheet"]).problem is None


def test_undoing_play_stops_it(animated):
    playback.detach(animated)
    bpy.ops.ed.undo_push(message="stopped")
    playback.attach(animated)
    bpy.ops.ed.undo_push(message="plays")
    bpy.ops.ed.undo()
    sheet = bpy.data.objects["Sheet"]
    assert not settings_of(sheet).playing
    assert handlers.PLAYED.session_of(sheet) is None
    assert sheet.modifiers["Cloth"].show_viewport
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(12)
    assert playback.status_of(bpy.data.objects["Sheet"]).step_us > 0


def test_in_edit_mode_it_waits_and_then_shows_again(animated):
    scene = bpy.context.scene
    scene.frame_set(20)
    pose = play_scenes.shown(animated)
    bpy.context.view_layer.objects.active = animated
    bpy.ops.object.mode_set(mode="EDIT")
    scene.frame_set(25)
    assert playback.status_of(animated).problem.code == "edit_mode"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    scene.frame_set(20)
    assert playback.status_of(animated).problem is None
    assert np.array_equal(play_scenes.shown(animated), pose)


def test_a_mesh_that_was_cut_in_edit_mode_is_refused(animated):
    bpy.context.scene.frame_set(20)
    bpy.context.view_layer.objects.active = animated
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.update()
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_set(21)
    problem = playback.status_of(animated).problem
    assert problem.code == "model_other_object"
    assert problem.names["found"] == len(animated.data.vertices)


def test_a_change_of_frame_rate_is_followed(animated):
    scene = bpy.context.scene
    scene.frame_set(30)
    scene.render.fps = 48
    scene.frame_set(30)
    found = play_scenes.shown(animated)
    playback.attach(animated)
    scene.frame_set(30)
    assert np.array_equal(play_scenes.shown(animated), found)


@pytest.mark.parametrize("plays", [False, True])
def test_a_modifier_that_was_removed_by_hand_is_noticed_and_comes_back(animated, window_plays, plays):
    scene = bpy.context.scene
    poses = play_scenes.played(animated, range(1, 21))
    window_plays["playing"] = plays
    animated.modifiers.remove(animated.modifiers["Neural Physics"])
    bpy.context.view_layer.update()
    scene.frame_set(21)
    problem = playback.status_of(animated).problem
    assert problem is not None and problem.code == "play_modifier_missing"
    window_plays["playing"] = False
    playback.detach(animated)
    playback.attach(animated)
    assert playback.status_of(animated).problem is None
    assert equal(play_scenes.played(animated, range(1, 21)), poses)


def test_a_modifier_that_was_removed_while_paused_is_noticed_at_once_and_undone(animated):
    play_scenes.played(animated, range(1, 21))
    bpy.ops.ed.undo_push(message="before")
    animated.modifiers.remove(animated.modifiers["Neural Physics"])
    bpy.context.view_layer.update()
    problem = playback.status_of(animated).problem
    assert problem is not None and problem.code == "play_modifier_missing"
    bpy.ops.ed.undo_push(message="removed")
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    assert playback.status_of(bpy.data.objects["Sheet"]).problem is None
