"""What is written before a frame is evaluated is what would be written after it, or is put right there."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from bpy.app.handlers import persistent

from neural_physics.blender.playing import (
    frame_prediction,
    handlers,
    playback,
    played_objects,
    session,
)
from neural_physics.blender.playing.output import geometry_nodes, shape_output
from neural_physics.blender.scene.sources import read_positions
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender

LAST = 40
FRAMES = [*range(1, LAST + 1), *range(LAST, 0, -3), 7, 7, 31, -4, *range(28, LAST + 1)]


@pytest.fixture
def handler():
    """`handler("pre" | "post", function, place)` adds a handler of frame changes for one test; else last."""
    play_scenes.open_scene()  # so that the handlers of Play are there before it
    added = []

    def add(when, function, place=None):
        handlers_of = getattr(bpy.app.handlers, f"frame_change_{when}")
        handlers_of.insert(len(handlers_of) if place is None else place, persistent(function))
        added.append((handlers_of, function))

    yield add
    for handlers_of, function in added:
        handlers_of.remove(function)


@pytest.fixture
def writes(handler, monkeypatch):
    """(frame, "before" | "after" its evaluation) of each writing of positions."""
    found, when = [], ["before"]

    def write(mesh, positions):
        found.append((bpy.context.scene.frame_current, when[0]))
        geometry_nodes.write_positions(mesh, positions)

    for module in (session, shape_output):
        monkeypatch.setattr(module, "write_positions", write)
    handler("pre", lambda *_: when.__setitem__(0, "before"), 0)
    handler("post", lambda *_: when.__setitem__(0, "after"), 0)
    return found


def set_frame(scene, frame):
    scene.frame_set(frame)


@pytest.fixture
def both_ways(monkeypatch):
    """The poses of FRAMES in the scene that `build` makes: with frame_prediction, and without."""

    def play(build, visit=set_frame, frames=FRAMES):
        runs = []
        for predicting in (True, False):
            with monkeypatch.context() as patched:
                if not predicting:
                    patched.setattr(played_objects.PlayedObjects, "predict", lambda *_: None)
                play_scenes.open_scene()
                sheet = build()
                playback.attach(sheet)
                poses = []
                for frame in frames:
                    visit(bpy.context.scene, frame)
                    poses.append(play_scenes.shown(sheet))
                assert playback.status_of(sheet).problem is None
                runs.append(np.array(poses))
        return runs

    return play


def curves(hand):
    action = hand.animation_data.action
    return list(action.layers[0].strips[0].channelbag(hand.animation_data.action_slot).fcurves)


def wandering():
    return play_scenes.add_sheet(play_scenes.add_hand())


def at_rest():
    hand = play_scenes.add_hand(seed=None)
    hand.location = (0.2, -0.3, 0.1)
    return play_scenes.add_sheet(hand)


def displaced():
    hand = play_scenes.add_hand()
    hand.delta_location = (0.123, -0.2, 0.077)
    return play_scenes.add_sheet(hand)


def half_muted():
    hand = play_scenes.add_hand()
    curves(hand)[1].mute = True
    return play_scenes.add_sheet(hand)


def along_x_only():
    hand = play_scenes.add_hand(seed=None)
    for frame in (1, 20, 40):
        hand.location.x = 0.01 * frame
        hand.keyframe_insert("location", index=0, frame=frame)
    hand.location.y = 0.3
    return play_scenes.add_sheet(hand)


def cyclic_and_noisy():
    hand = play_scenes.add_hand()
    curves(hand)[0].modifiers.new("CYCLES")
    curves(hand)[2].modifiers.new("NOISE").strength = 0.2
    return play_scenes.add_sheet(hand)


def in_a_turned_sheets_axes():
    sheet = wandering()
    sheet.location, sheet.rotation_euler, sheet.scale = (0.1, 0.2, -0.1), (0.3, -0.2, 0.5), (1.1, 0.9, 1.3)
    return sheet


def in_another_objects_axes():
    carrier = play_scenes.add_hand("Carrier", seed=None)
    carrier.location, carrier.rotation_euler = (0.2, 0.0, 0.1), (0.0, 0.3, 0.1)
    return play_scenes.add_sheet(play_scenes.add_hand(), reference_frame="Carrier")


PREDICTED = [
    wandering,
    at_rest,
    displaced,
    half_muted,
    along_x_only,
    cyclic_and_noisy,
    in_a_turned_sheets_axes,
    in_another_objects_axes,
]


def driven():
    """By drivers alone: with keys on other axes beside them, Blender 4.5 and 5.2 show one frame in 80,000
    where the keys of the frame before had it.
    """
    hand = play_scenes.add_hand(seed=None)
    for axis, expression in enumerate(("0.01 * frame", "0.3 * sin(0.2 * frame)", "-0.02 * frame")):
        hand.driver_add("location", axis).driver.expression = expression
    return play_scenes.add_sheet(hand)


def carried():
    hand = play_scenes.add_hand()
    hand.parent = play_scenes.add_hand("Parent", seed=4)
    return play_scenes.add_sheet(hand)


def constrained():
    hand = play_scenes.add_hand()
    hand.constraints.new("COPY_LOCATION").target = play_scenes.add_hand("Target", seed=4)
    return play_scenes.add_sheet(hand)


def action_muted_in_part_by_influence():
    hand = play_scenes.add_hand()
    hand.animation_data.action_influence = 0.4
    return play_scenes.add_sheet(hand)


def moved_by_strips():
    hand = play_scenes.add_hand()
    animation = hand.animation_data
    action = animation.action
    animation.action = None
    animation.nla_tracks.new().strips.new("Strip", 1, action)
    return play_scenes.add_sheet(hand)


def in_remapped_time():
    bpy.context.scene.render.frame_map_new = 150
    return wandering()


def in_a_moving_objects_axes():
    play_scenes.add_hand("Carrier", seed=3)
    return play_scenes.add_sheet(play_scenes.add_hand(), reference_frame="Carrier")


def in_a_moving_sheets_axes():
    sheet = wandering()
    for frame in (1, 30):
        sheet.location.z = 0.02 * frame
        sheet.rotation_euler.x = 0.03 * frame
        sheet.keyframe_insert("location", frame=frame)
        sheet.keyframe_insert("rotation_euler", frame=frame)
    return sheet


def at_another_rate():
    bpy.context.scene.render.fps = 30
    return wandering()


NOT_PREDICTED = [
    driven,
    carried,
    constrained,
    action_muted_in_part_by_influence,
    moved_by_strips,
    in_remapped_time,
    in_a_moving_objects_axes,
    in_a_moving_sheets_axes,
    at_another_rate,
]


@pytest.mark.parametrize("build", [*PREDICTED, *NOT_PREDICTED])
def test_it_changes_nothing_of_what_is_shown(both_ways, build):
    predicted, plain = both_ways(build)
    assert np.abs(plain[LAST // 2] - plain[0]).max() > 1e-3  # it moves
    assert np.array_equal(predicted, plain)


@pytest.mark.parametrize("build", PREDICTED)
def test_a_frame_is_written_and_evaluated_once(writes, handler, build):
    sheet = build()
    playback.attach(sheet)
    found = {}
    handler("post", lambda scene, graph: found.update({scene.frame_current: evaluated(sheet, graph)}), 0)
    bpy.context.scene.frame_set(2)  # the first guess there has been
    writes.clear()
    frames = [*range(3, 31), *range(29, 2, -1), *range(3, 35)]
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        # What was evaluated when nobody had written anything after it is what is on show.
        assert np.array_equal(found[frame], play_scenes.shown(sheet))
    assert writes == [(frame, "before") for frame in frames]


def test_frames_that_follow_each_other_are_decoded_together(monkeypatch):
    sheet = wandering()
    playback.attach(sheet)
    method = handlers.PLAYED.session_of(sheet).method
    batches, shapes = [], method.shapes
    monkeypatch.setattr(
        method, "shapes", lambda states, *more: batches.append(len(states)) or shapes(states, *more)
    )
    bpy.context.scene.frame_set(2)
    monkeypatch.setattr(method, "positions", None)
    for frames in (range(3, 35), range(33, 1, -1)):
        batches.clear()
        for frame in frames:
            bpy.context.scene.frame_set(frame)
        assert batches == [frame_prediction.MOST_FRAMES] * (len(frames) // frame_prediction.MOST_FRAMES)
    batches.clear()
    for frame in (20, 7, 29):
        bpy.context.scene.frame_set(frame)
    assert batches == [1, 1, 1]  # nothing says what comes next
    assert playback.status_of(sheet).problem is None


def test_a_large_mesh_is_decoded_a_few_frames_at_a_time():
    assert frame_prediction.frames_together(100) == frame_prediction.MOST_FRAMES
    assert frame_prediction.frames_together(30_000) == 2
    assert frame_prediction.frames_together(1_000_000) == 1


def test_what_was_prepared_does_not_outlive_the_number_of_bases_it_is_of(both_ways):
    def visit(scene, frame):
        settings_of(bpy.data.objects["Sheet"]).bases_shown = 2 if frame > 12 else 0
        scene.frame_set(frame)

    predicted, plain = both_ways(wandering, visit)
    assert np.array_equal(predicted, plain)


def evaluated(sheet, depsgraph):
    return read_positions(sheet.evaluated_get(depsgraph).data)


@pytest.mark.parametrize("build", [driven, carried, constrained, moved_by_strips, in_a_moving_objects_axes])
def test_what_is_always_guessed_wrong_is_soon_not_acted_on(writes, build):
    playback.attach(build())
    play_scenes.played(bpy.data.objects["Sheet"], range(2, 6))
    writes.clear()
    frames = range(6, 21)
    play_scenes.played(bpy.data.objects["Sheet"], frames)
    assert writes == [(frame, "after") for frame in frames]


def test_frames_with_a_hand_that_is_dragged_are_written_once_and_stepped_one_by_one(writes, monkeypatch):
    """And together again from the second frame on in which the hand rests."""
    monkeypatch.setattr(played_objects, "is_playing", lambda depsgraph: True)
    sheet = at_rest()
    playback.attach(sheet)
    bpy.context.scene.frame_set(2)
    bpy.context.scene.frame_set(3)
    method = handlers.PLAYED.session_of(sheet).method
    batches, shapes = [], method.shapes
    monkeypatch.setattr(
        method, "shapes", lambda states, *more: batches.append(len(states)) or shapes(states, *more)
    )
    writes.clear()
    frames = range(4, 21)
    for frame in frames:
        if frame <= 10:
            bpy.data.objects["Hand"].location = (0.01 * frame, -0.005 * frame, 0.3)
        bpy.context.scene.frame_set(frame)
    assert writes == [(frame, "before") for frame in frames]
    assert batches == [1] * 7 + [frame_prediction.MOST_FRAMES]


@pytest.mark.parametrize("when", ["pre", "post"])
def test_a_hand_moved_by_another_handler_is_put_right_on_the_same_frame(both_ways, handler, when):
    jumps = []

    def jump(scene, _=None):
        if scene.frame_current % 7 == 0:  # seldom, so that guesses are trusted
            jumps.append(scene.frame_current)
            bpy.data.objects["Hand"].location = (0.05 * scene.frame_current % 0.4, 0.1, -0.2)

    handler(when, jump, None if when == "pre" else 0)
    predicted, plain = both_ways(at_rest)
    assert jumps
    assert np.array_equal(predicted, plain)


def test_a_hand_that_is_dragged_while_playing_is_followed(both_ways, monkeypatch):
    monkeypatch.setattr(played_objects, "is_playing", lambda depsgraph: True)

    def drag(scene, frame):
        if frame % 3:
            bpy.data.objects["Hand"].location = (0.01 * frame, -0.005 * frame, 0.3)
        scene.frame_set(frame)

    predicted, plain = both_ways(at_rest, drag, frames=[*range(1, 41), *range(1, 21)])
    assert np.array_equal(predicted, plain)


def test_edits_between_frames_count_from_the_next_on(both_ways):
    def edit(scene, frame):
        hand = bpy.data.objects["Hand"]
        if frame == 12:
            curves(hand)[0].keyframe_points[1].co.y += 0.3
        if frame == 19:
            curves(hand)[1].mute = True
        if frame == 25:
            hand.animation_data_clear()
        if frame == 30:
            settings_of(bpy.data.objects["Sheet"]).bases_shown = 2
        scene.frame_set(frame)

    predicted, plain = both_ways(wandering, edit, range(1, LAST + 1))
    assert np.array_equal(predicted, plain)


def test_subframes_between_whole_frames_change_nothing(both_ways):
    def blur(scene, frame):
        scene.frame_set(frame, subframe=0.25 if frame % 4 == 2 else 0.0)

    predicted, plain = both_ways(wandering, blur)
    assert np.array_equal(predicted, plain)


def test_two_objects_that_play_of_which_one_moves_the_other(both_ways):
    def build():
        sheet = wandering()
        for frame in (1, 30):
            sheet.location.z = 0.02 * frame
            sheet.keyframe_insert("location", frame=frame)
        other = play_scenes.add_sheet(sheet, "Other", synthetic.sheet_mesh(5), seed=7)
        playback.attach(sheet)
        return other

    predicted, plain = both_ways(build)
    assert np.array_equal(predicted, plain)


def test_what_a_handler_took_away_is_written_again(both_ways, handler):
    taken = []

    def take_away(scene, _=None):
        mesh = bpy.data.objects["Sheet"].data
        if scene.frame_current == 9 and geometry_nodes.ATTRIBUTE in mesh.attributes:
            taken.append(9)
            mesh.attributes.remove(mesh.attributes[geometry_nodes.ATTRIBUTE])

    handler("pre", take_away)
    predicted, plain = both_ways(wandering)
    assert taken
    assert np.array_equal(predicted, plain)


def test_what_two_objects_of_one_mesh_show_is_written_in_advance_as_well(both_ways, writes):
    def build():
        sheet = wandering()
        twin = sheet.copy()
        bpy.context.scene.collection.objects.link(twin)
        settings_of(twin).interactions[0].object = play_scenes.add_hand("Other", seed=3)
        playback.attach(twin)
        return sheet

    predicted, plain = both_ways(build)
    assert np.array_equal(predicted, plain)
    assert "before" in {when for _, when in writes}


def test_a_hand_on_the_surface_of_the_sheet_is_where_that_was(both_ways, writes):
    def build():
        sheet = wandering()
        hand = play_scenes.add_hand("On the Sheet", seed=None)
        hand.parent, hand.parent_type, hand.parent_vertices = sheet, "VERTEX", (0, 0, 0)
        settings_of(sheet).interactions[0].object = hand
        return sheet

    predicted, plain = both_ways(build)
    assert np.array_equal(predicted, plain)
    assert all(when == "after" for frame, when in writes if frame > 1)


def test_an_object_in_two_scenes_shows_each_its_own(writes):
    sheet = wandering()
    playback.attach(sheet)
    scene = bpy.context.scene
    poses = play_scenes.played(sheet, range(1, 11))
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(sheet)
    other.collection.objects.link(bpy.data.objects["Hand"])
    for frame in range(1, 11):
        other.frame_set(frame)
        scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), poses[frame])


def test_nothing_is_predicted_in_edit_mode(writes):
    sheet = wandering()
    playback.attach(sheet)
    poses = play_scenes.played(sheet, range(2, 12))
    bpy.context.view_layer.objects.active = sheet
    bpy.ops.object.mode_set(mode="EDIT")
    writes.clear()
    bpy.context.scene.frame_set(9)
    assert not writes
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in (9, 10, 11):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), poses[frame])


def test_after_an_undo_the_frame_is_shown_afresh(writes):
    sheet = wandering()
    playback.attach(sheet)
    poses = play_scenes.played(sheet, range(2, 12))
    bpy.context.scene.frame_set(5)
    bpy.ops.ed.undo_push(message="at 5")
    bpy.context.scene.frame_set(11)
    bpy.ops.ed.undo_push(message="at 11")
    bpy.ops.ed.undo()
    sheet = bpy.data.objects["Sheet"]
    for frame in (6, 7, 11):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), poses[frame])


@pytest.mark.parametrize("blur", [False, True])
def test_renders_of_known_frames_are_evaluated_with_what_they_show(writes, handler, blur, tmp_path):
    sheet = wandering()
    playback.attach(sheet)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.use_motion_blur, scene.render.filepath = blur, str(tmp_path / "frame_")
    scene.frame_start, scene.frame_end = 20, 23
    poses = play_scenes.played(sheet, range(1, 26))
    found = []

    def look(scene, depsgraph):
        if depsgraph.mode == "RENDER" and scene.frame_subframe == 0.0:
            found.append((scene.frame_current, evaluated(sheet, depsgraph)))

    handler("post", look, 0)
    bpy.ops.render.render(animation=True)
    assert {frame for frame, _ in found} == {20, 21, 22, 23}
    assert all(np.array_equal(pose, poses[frame]) for frame, pose in found)


def test_handlers_are_in_place(writes):
    assert handlers.before_frame_change in bpy.app.handlers.frame_change_pre


def test_the_curves_of_what_moves_an_object_are_gone_through_once_for_many_frames(monkeypatch):
    """However many frames are looked ahead: an action may have thousands of curves."""
    scene = play_scenes.open_scene()
    sheet = wandering()
    asked, own = [], frame_prediction.curves_played
    monkeypatch.setattr(
        frame_prediction, "curves_played", lambda animation: asked.append(1) or own(animation)
    )
    playback.attach(sheet)
    for frame in range(1, 21):
        scene.frame_set(frame)
    assert 0 < len(asked) <= 20
