"""Hierarchical cloth in Play, held against its run time stepped by itself; fabric by hand and by keys."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
from cloth_models import FABRIC, MESH, cloth_model_file

from neural_physics.blender.playing import playback
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model

pytestmark = [pytest.mark.blender, pytest.mark.once]

SECONDS, LAST = 3, 60
EXACT = 2e-5  # metres: level 0 is float64, and y float32 on both ways


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "sheet.safetensors"
    path.write_bytes(cloth_model_file())
    return path


@pytest.fixture
def opened(file):
    """Opens a scene of a frame rate: its sheet plays."""

    def at(fps=24):
        play_scenes.open_scene(fps)
        hand = play_scenes.add_hand()
        sheet = play_scenes.add_object("Sheet", MESH)
        sheet.modifiers.new("Cloth", "CLOTH")
        settings = settings_of(sheet)
        item = settings.interactions.add()
        item.name, item.object = "Hand", hand
        object_tasks.use_model(sheet, file)
        playback.attach(sheet)
        assert playback.status_of(sheet).problem is None
        return sheet

    return at


def hand_places(frames):
    """(T, 3): where the hand is at frames 1 to T."""
    return play_scenes.places_of(bpy.data.objects["Hand"], range(1, frames + 1))


def stepped(places, stretches, bendings=None):
    """(T, V, 3): the run time by itself, from y at each of its steps."""
    method = load_method(parse_model(cloth_model_file(), "sheet"))
    bendings = [FABRIC["bending"]] * len(places) if bendings is None else bendings
    ys = np.column_stack([places, stretches, bendings]).astype(np.float32)
    state, shapes = method.start(ys[0]), []
    for t, y in enumerate(ys):
        state = method.step(state, y) if t else state
        shapes.append(method.positions(state, y).copy())
    return np.array(shapes)


def test_a_model_that_is_new_to_an_object_brings_its_fabric_and_a_newer_one_leaves_what_was_chosen(
    opened, file
):
    sheet = opened()
    settings = settings_of(sheet)
    assert (settings.stretch, settings.bending) == pytest.approx((60.0, 3e-4))
    settings.stretch = 77.0
    object_tasks.use_model(sheet, file)
    assert settings.stretch == 77.0
    status = playback.status_of(sheet)
    assert status.live == ("stretch", "bending") and not status.linear


def on_parabolas(places, frames):
    """At times in frames, through the frame before each, that frame and the one after; a line at first."""
    found = []
    for frame in frames:
        at = int(frame + 1e-9)
        known = np.arange(max(0, at - 1), min(at + 2, len(places)))
        fits = np.polyfit(known, places[known], len(known) - 1)
        found.append(np.stack([np.polyval(fits[:, axis], frame) for axis in range(places.shape[1])]))
    return np.array(found)


@pytest.mark.parametrize("fps", [24, 30, 60])
def test_plays_what_the_run_time_does_at_its_own_steps(opened, fps):
    """At other rates y is taken to lie on parabolas through the scene's frames."""
    sheet = opened(fps)
    places = hand_places(SECONDS * fps + 1)
    steps = np.arange(SECONDS * 24 + 1) / 24
    at_steps = on_parabolas(places, steps * fps)
    expected = stepped(at_steps, np.full(len(steps), 60.0))
    assert np.abs(np.diff(expected[::12], axis=0)).max() > 0.1
    playback.attach(sheet)  # all anew
    for half in range(2 * SECONDS):
        bpy.context.scene.frame_set(1 + half * fps // 2)
        assert np.abs(play_scenes.shown(sheet) - expected[12 * half]).max() < EXACT


def test_scrubbing_and_a_saved_file_show_what_playing_forward_showed(opened, tmp_path):
    sheet = opened()
    forward = play_scenes.played(sheet, range(1, LAST))
    for frame in (1, 40, 7, 41, 59, 2, 40):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), forward[frame])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    play_scenes.open_scene()
    bpy.ops.wm.open_mainfile(filepath=path)
    after = play_scenes.played(bpy.data.objects["Sheet"], range(1, LAST))
    assert all(np.array_equal(after[frame], forward[frame]) for frame in after)


def change(sheet, **values):
    for name, value in values.items():
        setattr(settings_of(sheet), name, value)
    bpy.context.view_layer.update()


def test_a_change_by_hand_counts_from_its_frame_on_and_what_was_before_stays(opened):
    sheet = opened()
    before = play_scenes.played(sheet, range(1, LAST))
    places = hand_places(LAST - 1)
    bpy.context.scene.frame_set(30)
    change(sheet, stretch=900.0, bending=0.05)
    after = play_scenes.played(sheet, range(30, LAST))
    assert all(
        np.array_equal(pose, before[frame]) for frame, pose in play_scenes.played(sheet, range(1, 30)).items()
    )
    softly = 29  # frames 1 to 29, of which the first is the start
    expected = stepped(
        places,
        [60.0] * softly + [900.0] * (LAST - 1 - softly),
        [3e-4] * softly + [0.05] * (LAST - 1 - softly),
    )
    for frame in range(30, LAST):
        assert np.abs(after[frame] - expected[frame - 1]).max() < EXACT
    assert np.abs(after[LAST - 1] - before[LAST - 1]).max() > 0.02
    again = play_scenes.played(sheet, range(LAST - 1, 30, -7))
    assert all(np.array_equal(again[frame], after[frame]) for frame in again)


def test_keys_change_it_frame_by_frame_and_edited_keys_count_for_all_frames(opened):
    sheet = opened()
    places = hand_places(LAST - 1)
    settings = settings_of(sheet)
    for frame, value in ((1, 1000.0), (41, 20.0)):
        settings.stretch = value
        settings.keyframe_insert("stretch", frame=frame)

    def keyed():
        values = []
        for frame in range(1, LAST):
            bpy.context.scene.frame_set(frame)
            values.append(settings.stretch)
        return values

    values = keyed()
    assert values[0] == 1000.0 and values[-1] == 20.0 and len(set(values)) > 30
    shown = play_scenes.played(sheet, range(1, LAST))
    expected = stepped(places, values)
    assert max(np.abs(shown[frame] - expected[frame - 1]).max() for frame in shown) < EXACT
    scrubbed = play_scenes.played(sheet, range(LAST - 1, 0, -9))
    assert all(np.array_equal(scrubbed[frame], shown[frame]) for frame in scrubbed)

    bpy.context.scene.frame_set(50)
    action = sheet.animation_data.action
    curve = action.layers[0].strips[0].channelbags[0].fcurves.find("neural_physics.stretch")
    curve.keyframe_points[0].co.y = 40.0
    curve.update()
    action.id_data.update_tag()
    bpy.context.view_layer.update()
    frames = (20, 50)
    softer = play_scenes.played(sheet, frames)
    expected = stepped(places, keyed())
    assert expected[19, :, 2].min() < shown[20][:, 2].min() - 0.005
    for frame in frames:
        assert np.abs(softer[frame] - expected[frame - 1]).max() < EXACT
