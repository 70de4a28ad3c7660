"""What plays is found again under another name; what was deleted is missed until it is back."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
from parent_circles import make_circle

from neural_physics.blender.playing import playback, played_objects
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender


def problem_of(sheet):
    problem = playback.status_of(sheet).problem
    return problem and problem.code


def playing(seed, named=True):
    """A sheet that plays, up to frame 5, with a hand of its list."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand(seed=seed))
    if not named:  # a line of the list whose object was chosen by hand
        settings_of(sheet).interactions[0].name = ""
    playback.attach(sheet)
    play_scenes.played(sheet, range(1, 6))
    return sheet


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("renamed", ["Sheet", "Hand"])
def test_a_new_name_changes_nothing_of_what_plays(renamed, seed, named):
    still = play_scenes.played(playing(seed, named), range(1, 12))
    sheet = playing(seed, named)
    bpy.data.objects[renamed].name = "Another"
    bpy.context.view_layer.update()
    assert problem_of(sheet) is None
    moved = play_scenes.played(sheet, range(6, 10))
    bpy.context.scene.render.fps = 48  # which begins all anew
    bpy.context.scene.frame_set(1)
    bpy.context.scene.render.fps = 24
    again = play_scenes.played(sheet, range(1, 12))
    assert problem_of(sheet) is None
    assert all(np.array_equal(moved[frame], still[frame]) for frame in moved)
    assert all(np.array_equal(again[frame], still[frame]) for frame in again)


def test_names_that_were_swapped_are_those_of_the_same_objects():
    sheet = playing(None)
    hand, other = bpy.data.objects["Hand"], play_scenes.add_hand("Other", seed=None)
    hand.name, other.name = "x", "Hand"
    hand.name = "Other"
    bpy.context.view_layer.update()
    before = play_scenes.shown(sheet)
    other.location.x += 0.4
    bpy.context.view_layer.update()
    assert np.array_equal(play_scenes.shown(sheet), before)
    hand.location.x += 0.4
    bpy.context.view_layer.update()
    assert not np.array_equal(play_scenes.shown(sheet), before)


@pytest.mark.parametrize("window_plays", [True, False])
@pytest.mark.parametrize("seed", [None, 0])
def test_a_deleted_collider_is_missed_at_every_frame_until_it_is_back(monkeypatch, seed, window_plays):
    sheet, scene = playing(seed), bpy.context.scene
    hand = bpy.data.objects["Hand"]
    monkeypatch.setattr(played_objects, "is_playing", lambda depsgraph: window_plays)
    scene.collection.objects.unlink(hand)  # as Delete does: the list still holds it
    bpy.context.view_layer.update()
    for frame in range(6, 12):
        scene.frame_set(frame)
        assert problem_of(sheet) == "interaction_missing", frame
    scene.collection.objects.link(hand)
    bpy.context.view_layer.update()
    scene.frame_set(12)
    assert problem_of(sheet) is None


def test_undoing_the_deletion_of_a_renamed_collider_mends_it():
    sheet = playing(None)
    bpy.data.objects["Hand"].name = "Paw"
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="renamed")
    bpy.data.objects["Paw"].select_set(True)
    bpy.ops.object.delete()
    bpy.ops.ed.undo_push(message="deleted")
    bpy.context.scene.frame_set(7)
    assert problem_of(sheet) == "interaction_missing"
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(8)
    assert problem_of(bpy.data.objects["Sheet"]) is None


def test_a_hand_that_hangs_on_a_circle_of_parents_is_followed_as_the_file_opens(tmp_path):
    """Blender opens such a damaged file, and says so in its console."""
    sheet = playing(None)
    hand, above, other = (
        bpy.data.objects["Hand"],
        *(bpy.data.objects.new(n, None) for n in ("One", "Other")),
    )
    for each in (above, other):
        bpy.context.scene.collection.objects.link(each)
    hand.parent = above
    make_circle(tmp_path / "circle.blend", above, other)
    sheet = bpy.data.objects["Sheet"]
    before = play_scenes.shown(sheet)
    bpy.data.objects["Hand"].location.x += 0.3
    for frame in range(5, 12):
        bpy.context.scene.frame_set(frame)
    assert problem_of(sheet) is None and not np.array_equal(play_scenes.shown(sheet), before)
