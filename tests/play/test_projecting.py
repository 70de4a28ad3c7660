"""While it plays, a shape is pushed out of capsules, wherever they are at the frame on show."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from mathutils import Vector
from play_models import model_file

from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.output.geometry_nodes import read_positions
from neural_physics.blender.settings.edits import refresh_display
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender

RADIUS, DEEPEST = 0.25, 0.2
MIDDLE = (0.0, -0.06, -0.5)
ALONG_THE_SHEET = (0.0, 0.25, -0.4)  # added to where it wanders
ROUNDING = 1e-6


def add_ball(sheet: bpy.types.Object, seed: int | None = None) -> bpy.types.Object:
    """A capsule that is a ball, carried by an Empty that the model does not react to."""
    ball = play_scenes.add_hand("Ball", seed)
    ball.delta_location = MIDDLE if seed is None else ALONG_THE_SHEET
    settings = settings_of(sheet)
    item = settings.capsules.add()
    item.name, item.source = "Ball", ball
    item.start_radius = item.end_radius = RADIUS
    settings.projection.depth_limit = DEEPEST
    return ball


def depths(sheet: bpy.types.Object, positions: np.ndarray, ball: bpy.types.Object) -> np.ndarray:
    """(V,) metres inside the ball; below zero outside."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    place = ball.evaluated_get(depsgraph).matrix_world.translation
    middle = sheet.evaluated_get(depsgraph).matrix_world.inverted() @ place
    return RADIUS - np.linalg.norm(positions - np.array(middle), axis=1)


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    return play_scenes.add_sheet(play_scenes.add_hand())


def test_what_would_be_inside_is_on_the_surface_and_all_else_is_untouched(sheet):
    frames = range(1, 61)
    playback.attach(sheet)
    plain = play_scenes.played(sheet, frames)
    ball = add_ball(sheet, seed=3)
    pushed = play_scenes.played(sheet, frames)
    touched = 0
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        before, after = depths(sheet, plain[frame], ball), depths(sheet, pushed[frame], ball)
        inside = (before > ROUNDING) & (before < DEEPEST)
        assert np.abs(after[inside]).max(initial=0.0) < 10 * ROUNDING
        assert np.array_equal(pushed[frame][~inside], plain[frame][~inside])
        touched += np.count_nonzero(inside)
        assert playback.status_of(sheet).deep == np.count_nonzero(before > DEEPEST)
    assert touched > 50


def test_a_vertex_that_is_too_deep_is_left_alone_and_counted(sheet):
    add_ball(sheet)
    playback.attach(sheet)
    assert playback.status_of(sheet).deep == 0
    settings_of(sheet).projection.depth_limit = 0.01
    bpy.context.view_layer.update()
    assert playback.status_of(sheet).deep > 0


def test_jumping_and_going_back_show_what_playing_does(sheet):
    add_ball(sheet, seed=3)
    playback.attach(sheet)
    played = play_scenes.played(sheet, range(1, 81))
    for frame in (80, 3, 57, 57, 1, 64):
        playback.attach(sheet)
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), played[frame])
    backwards = play_scenes.played(sheet, range(80, 0, -1))
    assert all(np.array_equal(backwards[frame], pose) for frame, pose in played.items())


def test_between_two_frames_nothing_is_inside_where_the_ball_is_then(sheet):
    ball = add_ball(sheet, seed=3)
    playback.attach(sheet)
    for frame in range(1, 40):
        bpy.context.scene.frame_set(frame, subframe=0.5)
        inside = depths(sheet, play_scenes.shown(sheet), ball)
        assert not ((inside > 10 * ROUNDING) & (inside < DEEPEST)).any()


@pytest.mark.parametrize("axes", ["object moved and scaled", "another reference frame"])
def test_capsules_are_met_where_they_are_in_the_world(axes):
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    if axes == "another reference frame":
        rig = play_scenes.add_hand("Rig", seed=None)
        rig.location, rig.rotation_euler = (0.3, 0.1, 0.2), (0.2, 0.4, -0.3)
        sheet = play_scenes.add_sheet(hand, reference_frame="Rig")
    else:
        sheet = play_scenes.add_sheet(hand)
        sheet.location, sheet.scale = (0.4, -0.3, 1.0), (2.0, 2.0, 2.0)
    playback.attach(sheet)
    bpy.context.view_layer.update()
    before = play_scenes.shown(sheet)
    vertex = 20
    place = sheet.matrix_world @ Vector(before[vertex])
    ball = add_ball(sheet)
    ball.delta_location = place + Vector((0.0, 0.1, 0.0))
    bpy.context.view_layer.update()
    after = sheet.matrix_world @ Vector(play_scenes.shown(sheet)[vertex])
    middle = ball.matrix_world.translation
    assert abs((after - middle).length - RADIUS) < 1e-5
    assert (after - place).length == pytest.approx(RADIUS - 0.1, abs=1e-5)


def test_an_edit_of_the_capsules_shows_at_once(sheet):
    ball = add_ball(sheet)
    playback.attach(sheet)
    settings = settings_of(sheet)

    def change(edit):
        before = play_scenes.shown(sheet)
        edit()
        bpy.context.view_layer.update()
        return np.abs(play_scenes.shown(sheet) - before).max() > 0.01

    def remove():
        settings.capsules.remove(0)
        refresh_display(settings, bpy.context)

    assert change(lambda: setattr(settings.capsules[0], "start_radius", 0.5))
    assert change(lambda: setattr(settings.capsules[0], "start_radius", RADIUS))
    assert change(lambda: setattr(settings.capsules[0], "enabled", False))
    assert change(lambda: setattr(settings.capsules[0], "enabled", True))
    assert change(lambda: setattr(settings.projection, "enabled", False))
    assert change(lambda: setattr(settings.projection, "enabled", True))
    assert change(lambda: setattr(ball, "location", (0.0, 0.0, 0.1)))
    assert change(remove)


def test_undoing_an_edit_of_the_capsules_undoes_what_it_showed(sheet):
    add_ball(sheet)
    playback.attach(sheet)
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    before = play_scenes.shown(sheet)
    settings_of(sheet).capsules[0].start_radius = 0.4
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="larger")
    larger = play_scenes.shown(bpy.data.objects["Sheet"])
    assert not np.array_equal(larger, before)
    bpy.ops.ed.undo()
    assert np.array_equal(play_scenes.shown(bpy.data.objects["Sheet"]), before)


@pytest.mark.parametrize("still_used", [False, True], ids=["removed", "deleted as artists do"])
def test_a_lost_capsule_gives_a_warning_and_the_shape_plays_on_without_it(sheet, still_used):
    playback.attach(sheet)
    plain = play_scenes.played(sheet, range(1, 11))
    ball = add_ball(sheet)
    bpy.context.view_layer.update()
    if still_used:
        bpy.context.scene.collection.objects.unlink(ball)
    else:
        bpy.data.objects.remove(ball)
    bpy.context.view_layer.update()
    lost = play_scenes.played(sheet, range(1, 11))
    assert all(np.array_equal(lost[frame], plain[frame]) for frame in plain)
    status = playback.status_of(sheet)
    assert status.problem is None
    assert status.warning is not None
    assert status.warning.code == "capsule_lost"


@pytest.mark.parametrize("hidden", [False, True], ids=["ball shown", "ball hidden in renders"])
def test_renders_show_what_the_viewport_does(sheet, hidden):
    ball = add_ball(sheet, seed=3)
    ball.hide_render = hidden
    playback.attach(sheet)
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    viewport = play_scenes.played(sheet, range(20, 24))
    rendered = {}

    def look(scene, depsgraph):
        if depsgraph.mode == "RENDER":
            rendered[scene.frame_current] = read_positions(bpy.data.objects["Sheet"].data)

    bpy.app.handlers.frame_change_post.append(look)
    try:
        for frame in (23, 21, 20, 22):  # and where the viewport is, is another frame
            scene.frame_set(1)
            scene.frame_current = frame
            bpy.ops.render.render()
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert set(rendered) == set(viewport)
    assert all(np.array_equal(rendered[frame], pose) for frame, pose in viewport.items())


@pytest.mark.parametrize(
    ("side", "count", "code"), [(4, 1001, "capsules_too_many"), (40, 700, "capsules_in_one_place")]
)
def test_more_capsules_than_any_body_has_push_nothing_and_it_says_why(side, count, code):
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    mesh = synthetic.sheet_mesh(side)
    sheet = play_scenes.add_sheet(hand, mesh=mesh)
    packing.pack(
        sheet, model_file(mesh, seed=1, basis=np.zeros((5, len(mesh.rest_positions), 3), np.float32))
    )
    settings = settings_of(sheet)
    for _ in range(count):
        item = settings.capsules.add()
        item.source, item.start_radius, item.end_radius = hand, 10.0, 10.0
    settings.projection.depth_limit = 100.0
    playback.attach(sheet)
    bpy.context.scene.frame_set(2)
    status = playback.status_of(sheet)
    assert status.problem is None
    assert status.warning is not None and status.warning.code == code
    while len(settings.capsules) > 1:
        settings.capsules.remove(0)
    refresh_display(settings, bpy.context)
    bpy.context.scene.frame_set(3)
    assert playback.status_of(sheet).warning is None
    assert np.linalg.norm(play_scenes.shown(sheet), axis=1).min() > 5.0, "one is pushed out of"
