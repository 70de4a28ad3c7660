"""Objects that play one model are stepped and decoded together, and show what each shows alone."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from play_models import model_file

from neural_physics.blender.playing import crowds, packing, playback
from neural_physics.blender.playing.frame_prediction import MOST_FRAMES, frames_together
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender, pytest.mark.once]

MESH = synthetic.sheet_mesh()
MODEL = model_file(MESH, second=(0.01, 1.0))
COUNT = 6
LAST = 30
WAY = [*range(1, LAST), *range(LAST, 10, -1), 3, 25, -2, *range(12, LAST + 4), 17, 17]


def hand_of(k):
    """Each its own; two of them wander along."""
    return play_scenes.add_hand(f"Hand {k}", seed=0 if k in {2, 3} else k)


def add(k, model=MODEL):
    """One of a crowd, and its hand; the last ones stand elsewhere, and are turned."""
    sheet = play_scenes.add_sheet(hand_of(k), f"Sheet {k}", MESH)
    packing.pack(sheet, model)
    if k >= COUNT - 2:
        sheet.location, sheet.rotation_euler = (0.3 * k, -0.2, 0.1), (0.1, 0.2 * k, 0.3)
    return sheet


def open_crowd(count=COUNT, **changes):
    play_scenes.open_scene(**changes)
    sheets = [add(k) for k in range(count)]
    for sheet in sheets:
        playback.attach(sheet)
    return sheets


def shown(frames, sheets, before=lambda frame: None):
    """(frames, objects, V, 3): what is shown on the way, bit for bit."""
    poses = []
    for frame in frames:
        before(frame)
        bpy.context.scene.frame_set(frame)
        poses.append([play_scenes.shown(sheet) for sheet in sheets])
    assert [playback.status_of(sheet).problem for sheet in sheets] == [None] * len(sheets)
    return np.array(poses)


def shown_alone(k, frames, prepare=lambda sheet: None, before=lambda sheet, frame: None, **changes):
    """What one of them shows in a scene of its own."""
    play_scenes.open_scene(**changes)
    sheet = add(k)
    playback.attach(sheet)
    prepare(sheet)
    return shown(frames, [sheet], lambda frame: before(sheet, frame))[:, 0]


@pytest.fixture
def sizes(monkeypatch):
    """How many objects were stepped, and how many shapes decoded, at once each time."""
    found = {"stepped": [], "decoded": []}

    def together(steppings, until):
        found["stepped"].append(len(steppings))
        return the_true(steppings, until)

    def decoded(part):
        found["decoded"].append(sum(len(states) for _, states in part))
        return the_decoded(part)

    the_true, the_decoded = crowds.together, crowds._decoded
    monkeypatch.setattr(crowds, "together", together)
    monkeypatch.setattr(crowds, "_decoded", decoded)
    return found


def test_each_shows_what_it_shows_in_a_scene_of_its_own(sizes):
    crowd = shown(WAY, open_crowd())
    assert max(sizes["stepped"]) == COUNT and max(sizes["decoded"]) >= COUNT
    assert np.ptp(crowd, axis=0).max() > 0.1, "they move"
    assert np.abs(crowd[:, 0] - crowd[:, 1]).max() > 0.01, "each goes its own way"
    for k in (0, 3, COUNT - 1):
        assert np.array_equal(crowd[:, k], shown_alone(k, WAY))


def test_at_another_frame_rate_too():
    crowd = shown(WAY, open_crowd(4, fps=30))
    for k in (0, 3):
        assert np.array_equal(crowd[:, k], shown_alone(k, WAY, fps=30))


def test_one_that_is_fast_and_one_with_fewer_bases_do_not_touch_the_others():
    sheets = open_crowd()

    def at_fifteen(sheet, frame):
        if frame == 15 and not settings_of(sheet).fast:
            settings_of(sheet).fast = True
            bpy.context.view_layer.update()

    settings_of(sheets[1]).bases_shown = 3
    crowd = shown(WAY, sheets, lambda frame: at_fifteen(sheets[2], frame))
    for k, prepare, before in (
        (0, lambda _: None, lambda *_: None),
        (1, lambda sheet: setattr(settings_of(sheet), "bases_shown", 3), lambda *_: None),
        (2, lambda _: None, at_fifteen),
    ):
        assert np.array_equal(crowd[:, k], shown_alone(k, WAY, prepare, before))
    assert not np.array_equal(crowd[-1, 2], crowd[-1, 3]), "its hand is where that of the next one is"


def test_one_may_go_and_another_come(sizes):
    sheets = open_crowd()
    first = shown(range(1, 12), sheets)
    removed = sheets.pop(2)
    bpy.data.objects.remove(removed)
    sheets.append(add(COUNT))
    playback.attach(sheets[-1])
    sizes["stepped"].clear()
    after = shown([*range(12, 25), 5, 24], sheets)
    assert max(sizes["stepped"]) == COUNT
    way = [*range(1, 25), 5, 24]
    for place, k in enumerate((0, 1, 3, 4, 5)):
        alone = shown_alone(k, way)
        assert np.array_equal(first[:, k], alone[:11])
        assert np.array_equal(after[:, place], alone[11:])
    # The newcomer has what was keyed before it came, as one that is asked for its twelfth frame first.
    assert np.array_equal(after[:, -1], shown_alone(COUNT, [*range(12, 25), 5, 24]))


def test_a_hand_that_is_moved_moves_its_own_sheet_alone():
    def push(frame):
        if frame == 20:
            hand = bpy.data.objects["Hand 1"]
            hand.animation_data_clear()
            hand.location = (0.4, 0.1, -0.2)
            bpy.context.view_layer.update()

    crowd = shown(WAY, open_crowd(), push)
    for k in (0, 1):
        alone = shown_alone(k, WAY, before=lambda _, frame, k=k: push(frame) if k == 1 else None)
        assert np.array_equal(crowd[:, k], alone)


def test_sub_frames_and_motion_blur_s_order_are_as_alone():
    def visit(sheets):
        scene, poses = bpy.context.scene, []
        for frame, subframe in [(4, 0.0), (4, 0.5), (4, 0.25), (9, 0.75), (9, 0.0), (10, 0.0)]:
            scene.frame_set(frame, subframe=subframe)
            poses.append([play_scenes.shown(sheet) for sheet in sheets])
        return np.array(poses)

    crowd = visit(open_crowd())
    play_scenes.open_scene()
    sheet = add(3)
    playback.attach(sheet)
    assert np.array_equal(crowd[:, 3], visit([sheet])[:, 0])


def test_one_that_cannot_play_stops_nobody_else():
    sheets = open_crowd()
    shown(range(1, 6), sheets)
    bpy.data.objects.remove(bpy.data.objects["Hand 1"])
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(6)
    assert playback.status_of(sheets[1]).problem.code == "interaction_missing"
    sound = [sheet for k, sheet in enumerate(sheets) if k != 1]
    crowd = shown(range(7, 15), sound)
    assert np.array_equal(crowd[:, 2], shown_alone(3, range(1, 15))[6:])


def test_where_many_cannot_be_decoded_at_once_each_is_by_itself(monkeypatch):
    sheets = open_crowd()
    method = PLAYED.session_of(sheets[0]).method
    monkeypatch.setattr(type(method), "shapes", lambda *_: 1 / 0)
    crowd = shown([9], sheets)
    monkeypatch.undo()
    assert np.array_equal(crowd[:, 3], shown_alone(3, [9]))


def test_a_crowd_prepares_no_more_at_a_time_than_one_object(sizes):
    """Else every sixteenth frame would take as long as sixteen do."""
    sheets = open_crowd()
    assert frames_together(MESH.vertex_count * COUNT) == MOST_FRAMES, "of a few small ones, as many"
    assert frames_together(2503) == MOST_FRAMES and frames_together(2503 * 256) == 1
    shown(range(1, 8), sheets)
    assert max(sizes["decoded"]) == COUNT * MOST_FRAMES


def test_a_model_that_many_play_is_loaded_once():
    sheets = open_crowd()
    sessions = [PLAYED.session_of(sheet) for sheet in sheets]
    assert len({id(session.model) for session in sessions}) == 1, "they were packed one by one"
    assert len({id(session.method.decoder) for session in sessions}) == 1
    assert len({id(session.method) for session in sessions}) == COUNT, "each has settings of its own"
    other = add(COUNT, model_file(MESH, seed=1))
    playback.attach(other)
    assert PLAYED.session_of(other).model is not sessions[0].model


def test_a_damaged_model_is_no_other_s():
    (sheet,) = open_crowd(1)
    with pytest.raises(Problem) as refused:
        PLAYED.models.of(MODEL[: len(MODEL) // 2], "Cut")
    assert refused.value.code == "model_damaged" and refused.value.names["path"] == "Cut"
    assert PLAYED.models.of(MODEL, "Whole").model is PLAYED.session_of(sheet).model
