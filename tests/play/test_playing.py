"""Whole frames show the same positions bit for bit, however they are reached."""

from __future__ import annotations

from time import perf_counter

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic

from neural_physics.blender.playing import handlers, playback, played_objects
from neural_physics.blender.scene.interaction_names import MOST_INTERACTIONS
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model
from neural_physics.timeline import stepping

pytestmark = pytest.mark.blender


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    return sheet


def expected_positions(sheet, frames):
    """The method stepped by a plain loop over the hand's evaluated places."""
    scene, hand = bpy.context.scene, bpy.data.objects["Hand"]
    text = settings_of(sheet).model
    method = load_method(parse_model(text["neural_physics_model"], "test"))
    state, poses = None, {}
    for frame in frames:
        scene.frame_set(frame)
        y = np.array(sheet.matrix_world.inverted() @ hand.matrix_world.translation, np.float32)
        state = method.start(y) if state is None else method.step(state, y)
        poses[frame] = method.positions(state, y).copy()
    return poses


def equal(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[frame], b[frame]) for frame in a)


def test_what_is_shown_is_what_the_method_predicts(sheet):
    poses = play_scenes.played(sheet, range(1, 121))
    assert equal(poses, expected_positions(sheet, range(1, 121)))
    assert np.abs(poses[120] - poses[60]).max() > 0.05


def test_jumping_scrubbing_backwards_and_twice_show_what_playing_does(sheet):
    played = play_scenes.played(sheet, range(1, play_scenes.LAST + 1))
    assert equal(play_scenes.played(sheet, range(play_scenes.LAST, 0, -1)), played)
    for frame in (200, 3, 157, 157, 1, 88):
        playback.attach(sheet)  # a fresh session: nothing is remembered
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), played[frame])


def test_the_scene_is_where_it_was_after_catching_up(sheet):
    scene = bpy.context.scene
    scene.frame_set(90, subframe=0.25)
    assert (scene.frame_current, scene.frame_subframe) == (90, 0.25)
    hand = bpy.data.objects["Hand"]
    there = hand.matrix_world.translation.copy()
    scene.frame_set(91)
    scene.frame_set(90, subframe=0.25)
    assert there == hand.matrix_world.translation


def test_before_the_start_is_the_start(sheet):
    scene = bpy.context.scene
    scene.frame_set(-20)
    early = play_scenes.shown(sheet)
    scene.frame_set(1)
    assert np.array_equal(early, play_scenes.shown(sheet))
    scene.frame_set(40)
    later = play_scenes.shown(sheet)
    scene.frame_set(-20)
    scene.frame_set(40)
    assert np.array_equal(later, play_scenes.shown(sheet))


def test_subframes_are_between_whole_frames(sheet):
    poses = play_scenes.played(sheet, range(50, 52))
    playback.attach(sheet)
    bpy.context.scene.frame_set(50, subframe=0.25)
    between = poses[50] + np.float32(0.25) * (poses[51] - poses[50])
    assert np.allclose(play_scenes.shown(sheet), between, atol=1e-6)


def test_another_start_frame_shifts_the_motion(sheet):
    settings_of(sheet).start_frame = 31
    poses = play_scenes.played(sheet, range(31, 60))
    assert equal(poses, expected_positions(sheet, range(31, 60)))


def test_several_objects_play_at_once_and_stop_one_by_one(sheet):
    hand = bpy.data.objects["Hand"]
    other = play_scenes.add_sheet(hand, "Other", synthetic.sheet_mesh(5), seed=7)
    playback.attach(other)
    scene = bpy.context.scene
    poses = {obj.name: play_scenes.played(obj, range(1, 61)) for obj in (sheet, other)}
    playback.detach(other)
    scene.frame_set(60)
    assert np.array_equal(play_scenes.shown(sheet), poses["Sheet"][60])
    playback.attach(other)
    scene.frame_set(60)
    assert np.array_equal(play_scenes.shown(other), poses["Other"][60])


def test_fewer_bases_are_shown_when_asked_for(sheet):
    scene = bpy.context.scene
    scene.frame_set(30)
    whole = play_scenes.shown(sheet)
    settings_of(sheet).bases_shown = 2
    bpy.context.view_layer.update()
    coarse = play_scenes.shown(sheet)
    assert not np.array_equal(whole, coarse)
    text = settings_of(sheet).model
    method = load_method(parse_model(text["neural_physics_model"], "test"))
    state = handlers.PLAYED.session_of(sheet).timeline.at(30).state
    assert np.array_equal(coarse, method.positions(state, np.zeros(3, np.float32), 2))
    settings_of(sheet).bases_shown = 0
    bpy.context.view_layer.update()
    assert np.array_equal(whole, play_scenes.shown(sheet))


def test_the_share_outside_of_training_is_reported(sheet):
    hand = play_scenes.add_hand("Far", None)
    hand.location = (100.0, 100.0, 100.0)
    settings_of(sheet).interactions[0].object = hand
    bpy.context.scene.frame_set(5)
    assert playback.status_of(sheet).outside >= 3 / 8  # all 3 values of y, of 5 coefficients and 3 values
    bpy.context.scene.frame_set(1)
    hand.location = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert playback.status_of(sheet).outside == 0.0


def test_times_are_measured(sheet):
    play_scenes.played(sheet, range(1, 30))
    status = playback.status_of(sheet)
    assert 0 < status.step_us < 1e5
    assert 0 < status.decode_us < 1e5


@pytest.mark.parametrize(
    "how", ["disk", "external", "second", "driven", "keyed", "reached", "strip", "fluid"]
)
def test_frames_are_not_visited_by_themselves_where_that_writes_or_deletes_on_disk(sheet, tmp_path, how):
    """A stranger's file says where: a fluid empties that folder at its first frame."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))  # else nothing is kept on disk
    scene = bpy.context.scene
    scene.frame_set(1)
    playback.attach(sheet)
    other = play_scenes.add_object("Other", synthetic.sheet_mesh(4))
    if how == "fluid":
        domain = other.modifiers.new("Fluid", "FLUID")
        domain.fluid_type = "DOMAIN"
        domain.domain_settings.cache_directory = str(tmp_path / "project")
        other.hide_viewport = True  # it is out of the way here: what is asked is whether frames are visited
    else:
        cache = other.modifiers.new("Cloth", "CLOTH").point_cache
        path = 'modifiers["Cloth"].point_cache.use_disk_cache'
        if how in ("disk", "external"):
            cache.use_disk_cache, cache.use_external = how == "disk", how == "external"
        if how == "second":
            with bpy.context.temp_override(object=other, active_object=other, point_cache=cache):
                bpy.ops.ptcache.add()
            cache.use_external = True
            cache.point_caches.active_index = 0
        if how == "driven":  # off at the frame that is asked for, on before it
            other.driver_add(path).driver.expression = "frame > 3 and frame < 20"
        if how == "keyed":
            for frame in (5, 20):
                cache.use_disk_cache = frame == 5
                other.keyframe_insert(path, frame=frame)
            other.animation_data.action.slots[0].name_display = "Unused"
            other.animation_data.action = None  # a strip, or whatever else, may play it
        if how == "strip":  # which has curves of its own, and leads anywhere
            action = bpy.data.actions.new("Any")
            strip = sheet.animation_data_create().nla_tracks.new().strips.new("Any", 1, action)
            strip.use_animated_influence = True
            strip.fcurves[0].data_path = f'action["other"].{path}'
        if how == "reached":
            sheet.animation_data_create().drivers.new(f"parent.{path}").driver.expression = "frame < 20"
    scene.frame_set(1)
    visited = []
    seen = lambda scene, *_: visited.append(scene.frame_current)  # noqa: E731
    bpy.app.handlers.frame_change_pre.append(seen)
    try:
        scene.frame_set(30)
        assert visited == [30] and playback.status_of(sheet).warning.code == "catch_up_needed"
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "CYCLES", 8, 8
        scene.cycles.samples = 1
        bpy.ops.render.render()
        assert set(visited) == {30}, "nor as it is rendered"
        other.modifiers.clear()
        bpy.data.batch_remove(ids=list(bpy.data.actions))
        sheet.animation_data_clear()
        scene.frame_set(31)
    finally:
        bpy.app.handlers.frame_change_pre.remove(seen)
    assert len(visited) > 20 and playback.status_of(sheet).behind == 0


def test_to_catch_up_with_nothing_visits_no_frame(sheet):
    """In other view layers and scenes something may write then, which was not asked about."""
    playback.attach(sheet)
    visited = []
    bpy.app.handlers.frame_change_pre.append(lambda scene, _: visited.append(scene.frame_current))
    try:
        assert not list(playback.catch_up(bpy.context.scene))
    finally:
        bpy.app.handlers.frame_change_pre.pop()
    assert not visited


def test_a_long_catch_up_waits_to_be_asked_for_and_comes_to_the_same(sheet, monkeypatch):
    played = play_scenes.played(sheet, range(1, 101))
    scene = bpy.context.scene
    scene.frame_set(1)
    playback.attach(sheet)
    # As if somebody were waiting at a window, and each frame took seconds.
    catch_up = played_objects.PlayedObjects._catch_up
    monkeypatch.setattr(
        played_objects.PlayedObjects, "_catch_up", lambda *given, patient: catch_up(*given, patient=False)
    )
    monkeypatch.setattr(played_objects, "LONGEST_WAIT", 0.0)
    scene.frame_set(100)
    status = playback.status_of(sheet)
    assert status.behind == 97
    assert status.warning.code == "catch_up_needed"
    assert np.array_equal(play_scenes.shown(sheet), played[1])  # the pose it had, not a wrong one
    seen = list(playback.catch_up(scene))
    assert seen[-1] == (97, 97)
    assert scene.frame_current == 100
    assert playback.status_of(sheet).behind == 0
    assert np.array_equal(play_scenes.shown(sheet), played[100])


def test_steps_that_take_too_long_are_left_for_later_and_come_to_the_same(sheet, monkeypatch):
    """A file that is opened may ask for thousands of steps in a frame, and nobody can stop them."""
    played = play_scenes.played(sheet, range(1, 61))
    scene = bpy.context.scene
    scene.frame_set(1)
    playback.attach(sheet)
    timeline = playback.PLAYED.session_of(sheet).timeline
    clock = iter(range(10**6))  # each look at it is a second later
    monkeypatch.setattr(played_objects, "_until", lambda seconds, *, patient: next(clock) + seconds)
    monkeypatch.setattr(stepping, "perf_counter", lambda: next(clock))
    before = timeline.steps_taken
    scene.frame_set(60)
    status = playback.status_of(sheet)
    assert status.problem is None and status.warning.code == "catch_up_needed"
    assert 40 < status.behind < 60 and timeline.steps_taken - before < 20
    shown = play_scenes.shown(sheet)
    assert np.array_equal(shown, played[1])  # the pose it had, not a wrong one
    said = list(playback.catch_up(scene))
    assert len(said) > 3 and said == sorted(said), "it says how far it is, and can be stopped between"
    assert playback.status_of(sheet).behind == 0
    assert np.array_equal(play_scenes.shown(sheet), played[60])


def test_shapes_that_take_too_long_are_left_for_later_one_after_the_other(sheet, monkeypatch):
    """A file that is opened may hold many objects whose shapes take seconds each."""
    played = play_scenes.played(sheet, range(1, 31))
    scene = bpy.context.scene
    scene.frame_set(1)
    objects = [sheet]
    for _ in range(2):
        objects.append(sheet.copy())
        objects[-1].data = sheet.data.copy()
        scene.collection.objects.link(objects[-1])
    for obj in objects:
        playback.attach(obj)
    monkeypatch.setattr(played_objects, "_until", lambda seconds, *, patient: perf_counter() - 1.0)
    monkeypatch.setattr(stepping, "perf_counter", lambda: 0.0)  # steps take no time
    scene.frame_set(30)
    assert [playback.status_of(obj).behind for obj in objects] == [0, 1, 1]
    assert len(list(playback.catch_up(scene))) == 2
    assert [playback.status_of(obj).behind for obj in objects] == [0, 0, 0]
    for obj in objects:
        assert np.array_equal(play_scenes.shown(obj), played[30])


def test_a_slow_model_is_not_waited_for_longer_than_the_frames_it_plays(sheet, monkeypatch):
    """When a file is opened at a late frame, all steps up to it are due at once."""
    played = play_scenes.played(sheet, range(1, 101))
    scene = bpy.context.scene
    scene.frame_set(1)
    playback.attach(sheet)
    timeline = playback.PLAYED.session_of(sheet).timeline
    clock = iter(range(10**6))  # each look at it is a second later
    catch_up = played_objects.PlayedObjects._catch_up
    monkeypatch.setattr(
        played_objects.PlayedObjects, "_catch_up", lambda *given, patient: catch_up(*given, patient=False)
    )
    monkeypatch.setattr(played_objects, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(stepping, "perf_counter", lambda: 0.0)  # a step alone takes no time
    monkeypatch.setattr(played_objects, "LONGEST_WAIT", 20.5)
    before = timeline.steps_taken
    scene.frame_set(100)
    assert playback.status_of(sheet).behind == 77 and 20 <= timeline.steps_taken - before <= 22
    monkeypatch.setattr(played_objects, "LONGEST_WAIT", 1e9)
    list(playback.catch_up(scene))
    assert np.array_equal(play_scenes.shown(sheet), played[100])
    assert timeline.steps_taken - before < 110  # hardly any twice


@pytest.mark.parametrize(("fps", "fps_base"), [(1, 1e6), (1, 9.0), (120, 1e-5), (4801, 1.0)])
def test_a_frame_rate_that_a_model_has_no_end_of_steps_for_is_refused(sheet, fps, fps_base):
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, fps_base
    scene.frame_set(1)
    playback.attach(sheet)
    scene.frame_set(2)
    assert playback.status_of(sheet).problem.code == "frame_rate_unusable"
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_set(3)
    assert playback.status_of(sheet).problem is None


def test_positions_in_a_moving_reference_frame_follow_it():
    play_scenes.open_scene()
    hand, carrier = play_scenes.add_hand(), play_scenes.add_hand("Carrier", seed=3)
    carrier.rotation_euler = (0.3, -0.8, 1.9)
    sheet = play_scenes.add_sheet(hand, reference_frame="Carrier")
    sheet.location = (3.0, 2.0, 1.0)
    playback.attach(sheet)
    scene = bpy.context.scene
    for frame in (1, 40, 120):
        scene.frame_set(frame)
        method = handlers.PLAYED.session_of(sheet).method
        state = handlers.PLAYED.session_of(sheet).timeline.at(frame).state
        seen_from_carrier = method.positions(state, np.zeros(3, np.float32))
        world_from_carrier, world_from_sheet = np.array(carrier.matrix_world), np.array(sheet.matrix_world)
        world = seen_from_carrier @ world_from_carrier[:3, :3].T + world_from_carrier[:3, 3]
        shown = play_scenes.shown(sheet) @ world_from_sheet[:3, :3].T + world_from_sheet[:3, 3]
        assert np.allclose(world, shown, atol=1e-5)


def test_an_object_with_more_lines_than_anybody_makes_says_so_until_they_are_gone(sheet):
    lines = settings_of(sheet).interactions
    for _ in range(MOST_INTERACTIONS):
        lines.add().object = bpy.data.objects["Hand"]
    bpy.context.scene.frame_set(2)
    assert playback.status_of(sheet).problem.code == "interactions_too_many"
    while len(lines) > 1:
        lines.remove(1)
    bpy.context.scene.frame_set(3)
    assert playback.status_of(sheet).problem is None


@pytest.mark.parametrize("writes", [True, False])
def test_in_an_opened_file_in_which_something_writes_on_disk_all_stays_until_the_artist_acts(
    sheet, tmp_path, writes
):
    """To show a shape is an edit, after which Blender simulates what depends on it anew."""
    cloth = play_scenes.add_object("Other", synthetic.sheet_mesh(4)).modifiers.new("Cloth", "CLOTH")
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "CYCLES", 8, 8
    scene.cycles.samples = 1
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    cloth.point_cache.use_disk_cache = writes
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    scene, sheet = bpy.context.scene, bpy.data.objects["Sheet"]
    saved = play_scenes.shown(sheet)
    assert playback.PLAYED.waits == writes
    # Nor what files beside it say that a task has brought.
    assert playback.may_deliver(tmp_path, "train") != writes
    bpy.data.objects["Camera"].location.x += 1.0
    bpy.context.view_layer.update()
    scene.frame_set(3)
    scene.frame_set(1)
    scene.frame_set(7)
    bpy.ops.render.render()
    warning = playback.status_of(sheet).warning
    assert (warning is not None and warning.code == "play_waits") == writes
    assert np.array_equal(play_scenes.shown(sheet), saved) == writes
    if writes:
        with pytest.raises(Problem) as raised:
            list(playback.catch_up(scene))
        assert raised.value.code == "visits_write" and playback.status_of(sheet).behind == 6
        for frame in range(1, 8):
            scene.frame_set(frame)
    list(playback.catch_up(scene))
    assert not np.array_equal(play_scenes.shown(sheet), saved)
    assert playback.status_of(sheet).behind == 0, "once is enough"
