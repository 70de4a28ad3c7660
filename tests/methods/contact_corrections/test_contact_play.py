"""Contact corrections in Play: the closed form they were made of, scrubbed, packed, at other rates."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from contact_models import ASIDE, contact_model_file, shares, swing

from neural_physics.blender.playing import packing, playback
from neural_physics.blender.scene.artist_handles import add_handles, list_unbound_handles
from neural_physics.blender.settings.properties import settings_of

pytestmark = [pytest.mark.blender, pytest.mark.once]

SECONDS = 6
MESH = synthetic.sheet_mesh()


def scene_with_a_sheet(fps):
    """The scene, the hand, and a sheet that plays."""
    return play_scenes.playing_sheet(fps, contact_model_file(MESH))


def shape_of(u, y):
    """(T, V, 3) of the point's and the hand's (T, 3)."""
    s = shares(MESH)[:, None]
    return MESH.rest_positions + s * u[:, None] + (1.0 - s) * y[:, None]


@pytest.fixture(scope="module")
def expected():
    """The same without Play, every half second."""
    _, hand, _ = scene_with_a_sheet(24)
    y = play_scenes.places_of(hand, range(1, 2 + 24 * SECONDS))
    return shape_of(swing(MESH, y), y)[: 24 * SECONDS : 12]


def played(fps):
    """(12, V, 3): what is shown every half second, at whole steps of the model."""
    return play_scenes.every_half_second(scene_with_a_sheet(fps)[2], fps, SECONDS)


def test_play_follows_the_closed_form(expected):
    moved = expected - MESH.rest_positions
    assert np.abs(moved - moved[:, :1]).max() > 0.3  # metres, beside the edge that the hand holds
    assert np.abs(played(24) - expected).max() < 1e-4


@pytest.mark.parametrize("fps", [30, 60])
def test_other_frame_rates_show_the_same_at_the_same_times(expected, fps):
    """Between frames the hand is taken to be on a line, at most 0.8 mm beside where it is."""
    assert np.abs(played(fps) - expected).max() < 2e-3


def test_frames_that_were_not_solved_to_the_end_are_counted():
    _, _, sheet = scene_with_a_sheet(24)
    play_scenes.played(sheet, range(1, 21))
    assert playback.status_of(sheet).unsettled == 0.0
    # Its equation is linear, so that one iteration solves it, as far as numbers go, and not to that.
    hasty = contact_model_file(MESH, iterations=1, tolerance=1e-30)
    _, _, sheet = play_scenes.playing_sheet(24, hasty)
    play_scenes.played(sheet, range(1, 21))
    assert playback.status_of(sheet).unsettled > 0.5


def test_scrubbing_shows_what_playing_forward_showed():
    scene, _, sheet = scene_with_a_sheet(24)
    forward = play_scenes.played(sheet, range(1, 60))
    scene.frame_set(1)
    for frame in (40, 7, 41, 59, 2, 40):
        scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), forward[frame])


def test_a_saved_file_plays_the_same(tmp_path):
    _, _, sheet = scene_with_a_sheet(24)
    before = play_scenes.played(sheet, range(1, 30))
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    play_scenes.open_scene()
    bpy.ops.wm.open_mainfile(filepath=path)
    after = play_scenes.played(bpy.data.objects["Sheet"], range(1, 30))
    assert all(np.array_equal(after[frame], before[frame]) for frame in before)


def scene_with_a_handle():
    """The scene, the hand, a sheet that plays, and the Empty that holds its point."""
    scene, hand, sheet = scene_with_a_sheet(24)
    grip = play_scenes.add_hand("Grip", seed=None)
    point = MESH.rest_positions[shares(MESH).argmax()]
    grip.location = point + np.array(ASIDE)
    playback.detach(sheet)
    add_handles(sheet, [grip])
    packing.pack(sheet, contact_model_file(MESH, "Grip"))
    playback.attach(sheet)
    return scene, hand, sheet, grip


def test_a_handle_that_nobody_holds_changes_nothing():
    _, _, sheet = scene_with_a_sheet(24)
    free = play_scenes.played(sheet, range(1, 40))
    _, _, sheet, grip = scene_with_a_handle()
    grip.location.x += 3.0
    assert all(np.array_equal(shape, free[f]) for f, shape in play_scenes.played(sheet, range(1, 40)).items())


def test_a_handle_is_where_its_empty_is_while_that_is_held_by_keys():
    """Held from frame 10 to 29, and let go of: compared with the recursion that is given where u is held."""
    scene, hand, sheet, grip = scene_with_a_handle()
    item = settings_of(sheet).handles["Grip"]
    for frame, hold in ((1, False), (10, True), (30, False)):
        item.hold = hold
        assert sheet.keyframe_insert("neural_physics.handles[0].hold", frame=frame)
    start = np.array(grip.location)
    for frame in (1, 20, 60):
        grip.location = start + 0.01 * frame * np.array([1.0, 0.5, -0.5])
        grip.keyframe_insert("location", frame=frame)
    frames = range(1, 60)
    y = play_scenes.places_of(hand, frames)
    held = play_scenes.places_of(grip, frames) - start
    for t, frame in enumerate(frames):
        if not 10 <= frame < 30:
            held[t] = np.nan
    wanted = shape_of(swing(MESH, y, held), y)
    forward = play_scenes.played(sheet, frames)
    assert np.abs(np.stack(list(forward.values())) - wanted).max() < 1e-4
    assert np.abs(wanted - shape_of(swing(MESH, y), y)).max() > 0.1
    for frame in (35, 12, 9, 59, 10):
        scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), forward[frame])


def test_a_handle_that_is_grabbed_answers_at_once_and_stays_in_the_run():
    scene, _, sheet, grip = scene_with_a_handle()
    last = shares(MESH).argmax()
    free = play_scenes.played(sheet, range(1, 31))
    scene.frame_set(20)
    settings_of(sheet).handles["Grip"].hold = True
    bpy.context.view_layer.update()
    place = MESH.rest_positions[last]
    assert np.abs(play_scenes.shown(sheet)[last] - place).max() < 1e-5
    grip.location.z += 0.4
    bpy.context.view_layer.update()
    assert np.abs(play_scenes.shown(sheet)[last] - place - [0.0, 0.0, 0.4]).max() < 1e-5
    held = play_scenes.played(sheet, range(21, 31))
    assert np.abs(held[30][last] - place - [0.0, 0.0, 0.4]).max() < 1e-5
    scene.frame_set(15)
    assert np.array_equal(play_scenes.shown(sheet), free[15]), "before it was grabbed nothing has changed"


def test_a_handle_whose_empty_is_in_no_scene_is_free_and_one_that_is_there_is_found_again():
    _, _, sheet, _ = scene_with_a_handle()
    settings_of(sheet).handles.clear()
    assert play_scenes.played(sheet, range(1, 5)) and playback.status_of(sheet).problem is None
    list_unbound_handles(sheet, packing.model_of(sheet).info.channels)
    item = settings_of(sheet).handles["Grip"]
    assert item.object == bpy.data.objects["Grip"] and not item.hold


def test_the_head_of_a_bone_holds_as_an_empty_does():
    _, _, sheet, _ = scene_with_a_handle()
    last = shares(MESH).argmax()
    bpy.ops.object.armature_add(location=MESH.rest_positions[last] + np.array(ASIDE))
    rig = bpy.context.active_object
    settings_of(sheet).handles.clear()
    add_handles(sheet, [rig])
    (item,) = settings_of(sheet).handles
    assert item.name == f"{rig.name}/Bone"
    packing.pack(sheet, contact_model_file(MESH, item.name))
    playback.attach(sheet)
    play_scenes.played(sheet, range(1, 10))
    item.hold = True
    rig.pose.bones["Bone"].location.y += 0.3  # along the bone, which stands upright
    bpy.context.view_layer.update()
    wanted = MESH.rest_positions[last] + [0.0, 0.0, 0.3]
    assert np.abs(play_scenes.shown(sheet)[last] - wanted).max() < 1e-5


def test_an_empty_that_was_deleted_is_named():
    scene, _, sheet, grip = scene_with_a_handle()
    scene.frame_set(3)
    scene.collection.objects.unlink(grip)  # as Delete does: the list keeps it alive
    bpy.context.view_layer.update()
    problem = playback.status_of(sheet).problem
    assert problem is not None and "Grip" in str(problem)
