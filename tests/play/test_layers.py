"""While it plays, a garment is pushed out of what it is worn over, as that is on show at the same frame."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from play_models import model_file

from benchmarks.subspace_physics.mesh_rim import rim
from neural_physics.blender.modelling.layer_editing import add_layers, remove_layer
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output import geometry_nodes, layering, position_places
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem
from neural_physics.models.normals import triangulate

pytestmark = [pytest.mark.blender, pytest.mark.once]

FRAMES = range(1, 41)
SHEET = synthetic.sheet_mesh(16)  # hanging, and looking along y
# Of triangles: through four corners that are in no plane there is more than one surface.
TRIANGLES = triangulate(SHEET.corners, SHEET.face_sizes)
MESH = replace(SHEET, corners=TRIANGLES.ravel(), face_sizes=np.full(len(TRIANGLES), 3, np.int32))


def add_garment(hand: bpy.types.Object, name: str, seed: int, away: float = 0.0) -> bpy.types.Object:
    """A sheet that waves to and fro, so many metres along y."""
    x, _, z = MESH.rest_positions.T
    waves = [np.sin(a * x + b * z) for a, b in ((0, 3), (4, 0), (3, 4), (-4, 3), (5, 5))]
    basis = np.zeros((5, len(x), 3), np.float32)
    basis[:, :, 1] = 0.02 * np.array(waves)
    garment = play_scenes.add_sheet(hand, name, MESH)
    packing.pack(garment, model_file(MESH, seed=seed, basis=basis))
    garment.location.y, garment["side"] = away, np.sign(away)
    bpy.context.view_layer.update()
    return garment


def heights(worn: bpy.types.Object, layer: bpy.types.Object) -> np.ndarray:
    """(V,) metres of what is shown above the layer that is shown, by Blender's own tree; NaN beyond its rim.

    Above is the side that it was added on.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = layer.evaluated_get(depsgraph)
    mesh = evaluated.data
    corners = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
    tree, edge = BVHTree.FromPolygons(corners, faces), rim(mesh)
    found = []
    for vertex in worn.evaluated_get(depsgraph).data.vertices:
        point = worn.matrix_world @ vertex.co
        place, normal, face, _ = tree.find_nearest(point)
        over = not edge & set(faces[face]) and (point - place).length < 0.05
        found.append(worn["side"] * (point - place).dot(normal) if over else np.nan)
    return np.array(found)


@pytest.fixture(params=[("Lining", "Cape", 0.01), ("Below", "Cape", -0.01)])
def garments(request):
    """A lining that plays, and what is worn over it, on either side; either may come first."""
    lining, outer, away = request.param
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    return add_garment(hand, lining, seed=1), add_garment(hand, outer, seed=2, away=away)


def play(*objects):
    for obj in objects:
        playback.attach(obj)


def test_nothing_is_behind_the_layer_below_and_what_is_above_it_is_untouched(garments):
    lining, outer = garments
    play(lining, outer)
    plain, behind = {}, 0
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        plain[frame] = play_scenes.shown(outer)
        behind += np.count_nonzero(heights(outer, lining) < -1e-3)
    assert behind > 100, "without it they pass through each other"
    below = play_scenes.played(lining, FRAMES)
    add_layers(outer, [lining])
    touched = 0
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        shown, gap = play_scenes.shown(outer), settings_of(outer).layer_gap
        assert np.nanmin(heights(outer, lining)) > 0.8 * gap
        assert np.array_equal(play_scenes.shown(lining), below[frame]), "what is below is as it was"
        moved = (shown != plain[frame]).any(1)
        touched += np.count_nonzero(moved)
        assert not moved.all()
    assert touched > 100
    assert playback.status_of(outer).push_us > 0.0


def test_jumping_and_going_back_show_what_playing_does(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(outer, lining)
    played = play_scenes.played(outer, FRAMES)
    for frame in (40, 3, 27, 27, 1, 34):
        play(outer, lining)
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(outer), played[frame])
    backwards = play_scenes.played(outer, range(40, 0, -1))
    assert all(np.array_equal(backwards[frame], pose) for frame, pose in played.items())


def test_three_layers_are_shown_from_the_inside_whatever_they_are_called():
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    away = (0.02, 0.0, 0.01)
    outermost, inner, middle = (add_garment(hand, "ABC"[n], seed=n, away=away[n]) for n in range(3))
    add_layers(outermost, [inner, middle])
    add_layers(middle, [inner])
    play(outermost, inner, middle)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert np.nanmin(heights(middle, inner)) > 0.0032
        assert np.nanmin(heights(outermost, middle)) > 0.0032


def test_a_layer_that_does_not_play_is_taken_as_it_is_evaluated():
    play_scenes.open_scene()
    hand = play_scenes.add_hand()
    body = play_scenes.add_object("Body", MESH)
    body.modifiers.new("Subdivision", "SUBSURF").levels = 1
    outer = add_garment(hand, "Cape", seed=2, away=0.01)
    add_layers(outer, [body])
    play(outer)
    bpy.context.scene.frame_set(20)
    before = heights(outer, body)
    assert np.nanmin(before) > 0.0032
    body.location.y = 0.02  # by hand, while the frame stays
    bpy.context.view_layer.update()
    assert np.nanmin(heights(outer, body)) > 0.0032


def test_scaled_turned_and_far_away_the_gap_is_metres_of_the_world(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    parent = play_scenes.add_hand("Parent", seed=None)
    for obj in garments:
        obj.parent = parent
    parent.location, parent.rotation_euler = (500.0, 20.0, -30.0), (0.3, 1.0, 0.2)
    parent.scale = (2.0, 2.0, 2.0)
    settings_of(outer).projection.depth_limit = 0.2
    bpy.context.view_layer.update()
    for frame in range(1, 41, 4):
        bpy.context.scene.frame_set(frame)
        found = heights(outer, lining)
        assert np.nanmin(found) > 0.8 * settings_of(outer).layer_gap


def test_an_edit_shows_at_once(garments):
    lining, outer = garments
    play(lining, outer)
    bpy.context.scene.frame_set(17)
    plain = play_scenes.shown(outer)

    def changed(edit):
        before = play_scenes.shown(outer)
        edit()
        bpy.context.view_layer.update()
        return not np.array_equal(play_scenes.shown(outer), before)

    settings = settings_of(outer)
    assert changed(lambda: add_layers(outer, [lining]))
    assert changed(lambda: setattr(settings, "layer_gap", 0.02))
    assert changed(lambda: setattr(settings.projection, "depth_limit", 0.001))
    assert playback.status_of(outer).behind_layers > 0
    assert changed(lambda: setattr(settings.layers_below[0], "enabled", False))
    assert np.array_equal(play_scenes.shown(outer), plain)
    assert changed(lambda: setattr(settings.layers_below[0], "enabled", True))
    assert changed(lambda: setattr(settings, "use_layers", False))
    assert changed(lambda: setattr(settings, "use_layers", True))
    assert changed(lambda: remove_layer(outer))
    assert np.array_equal(play_scenes.shown(outer), plain)


def test_nothing_is_evaluated_again_and_again_while_nothing_changes(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    bpy.context.scene.frame_set(9)
    for _ in range(3):
        bpy.context.view_layer.update()
    shown = [0]

    def count(*_):
        shown[0] += 1

    bpy.app.handlers.depsgraph_update_post.append(count)
    for _ in range(10):
        bpy.context.view_layer.update()
    bpy.app.handlers.depsgraph_update_post.remove(count)
    assert shown[0] <= 1
    assert not PLAYED.session_of(outer).stale


def test_in_a_circle_nothing_is_pushed_and_both_say_why(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    with pytest.raises(Problem, match=f"{lining.name} is worn over {outer.name}, and that") as raised:
        add_layers(lining, [outer])
    assert raised.value.code == "layers_circle"
    assert not settings_of(lining).layers_below
    settings_of(lining).layers_below.add().object = outer  # as a file may have it
    play(lining, outer)
    bpy.context.scene.frame_set(5)
    assert [playback.status_of(obj).warning.code for obj in garments] == ["layers_circle"] * 2
    assert not any(playback.status_of(obj).problem for obj in garments)


def test_a_layer_that_is_deleted_is_told_and_the_garment_plays_on(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    bpy.context.scene.frame_set(5)
    bpy.data.objects.remove(lining)
    bpy.context.scene.frame_set(6)
    status = playback.status_of(outer)
    assert status.problem is None
    assert status.warning is not None and status.warning.code == "layer_lost"


def test_what_is_no_layer_is_refused(garments):
    _, outer = garments
    bare = bpy.data.objects.new("Bare", bpy.data.meshes.new("Bare"))
    bpy.context.scene.collection.objects.link(bare)
    with pytest.raises(Problem) as raised:
        add_layers(outer, [bare])
    assert raised.value.code == "layer_without_faces" and not settings_of(outer).layers_below
    assert add_layers(outer, [outer, play_scenes.add_hand("Empty", seed=None)]) == []
    assert len(settings_of(outer).layers_below) == 1, "an entry to choose a mesh in"
    remove_layer(outer)
    with pytest.raises(Problem, match="no layers below it"):
        remove_layer(outer)


def test_between_frames_the_layer_is_where_it_is_then(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    for frame in range(1, 20):
        bpy.context.scene.frame_set(frame, subframe=0.5)
        assert np.nanmin(heights(outer, lining)) > 0.8 * settings_of(outer).layer_gap


@pytest.mark.parametrize("way", ["hide_viewport", "hide_set"])
def test_what_is_hidden_is_a_layer_still(garments, way):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    pushed = play_scenes.played(outer, range(15, 20))
    if way == "hide_set":
        lining.hide_set(True)
    else:
        lining.hide_viewport = True
    hidden = play_scenes.played(outer, range(15, 20))
    assert all(np.array_equal(hidden[frame], pose) for frame, pose in pushed.items())


def test_far_away_on_its_own_axis_nothing_is_worth_a_push(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    outer.location = Vector((0.0, 5.0, 0.0))
    play(lining, outer)
    bpy.context.scene.frame_set(11)
    pushed = play_scenes.shown(outer)
    settings_of(outer).layers_below[0].enabled = False
    bpy.context.scene.frame_set(11)
    assert np.array_equal(play_scenes.shown(outer), pushed)


def test_out_of_a_layer_with_all_its_faces_in_one_place_nothing_is_pushed_and_it_says_why(garments):
    _, outer = garments
    rim = np.linspace(0.0, 2.0 * np.pi, 5000, endpoint=False)
    around = np.stack([np.cos(rim), np.sin(rim), np.zeros(5000)], 1)
    faces = [(0, 1 + k, 1 + (k + 1) % 5000) for k in range(5000)]
    cone = bpy.data.objects.new("Cone", bpy.data.meshes.new("Cone"))
    cone.data.from_pydata([(0.0, 0.0, 0.0), *around.tolist()], [], faces)
    bpy.context.scene.collection.objects.link(cone)
    outer.location, outer.scale = (0.0, 0.0, 0.0), (1e-4,) * 3  # all of it is at the tip
    play(outer)
    plain = play_scenes.played(outer, range(1, 5))
    add_layers(outer, [cone])
    pushed = play_scenes.played(outer, range(1, 5))
    assert all(np.array_equal(pushed[frame], pose) for frame, pose in plain.items())
    status = playback.status_of(outer)
    assert status.problem is None
    assert status.warning is not None and status.warning.code == "layer_in_one_place"
    assert "Cone, which Cape is worn over" in status.warning.message


def test_layers_that_take_too_long_are_given_up_where_nobody_can_stop_it(garments, monkeypatch):
    """A file that is opened may name twenty, each of which takes seconds."""
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    bpy.context.scene.frame_set(20)
    output, depsgraph = PLAYED.session_of(outer).output, bpy.context.evaluated_depsgraph_get()
    flat = np.zeros_like(play_scenes.shown(outer))
    monkeypatch.setattr(layering, "LONGEST_PUSH", -1.0)
    output.layering.push(outer, depsgraph, flat)
    assert output.layering.problem is None, "who renders waits for it"
    assert output.layering.push(outer, depsgraph, flat, patient=False) is flat
    assert output.layering.problem.code == "layer_in_one_place" and not output.layering.active


def test_a_layer_that_is_scaled_to_nothing_pushes_nothing_until_it_is_back(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(lining, outer)
    pushed = play_scenes.played(outer, range(20, 22))
    lining.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    unscaled = play_scenes.played(outer, range(20, 22))
    assert playback.status_of(outer).warning is None
    lining.scale = (1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    again = play_scenes.played(outer, range(20, 22))
    assert all(np.array_equal(again[frame], pose) for frame, pose in pushed.items())
    assert any(not np.array_equal(unscaled[frame], pose) for frame, pose in pushed.items())


@pytest.mark.parametrize("place", [1e38, 1e12, float("nan")])
def test_out_of_a_layer_that_is_nowhere_nothing_is_pushed(garments, place):
    """As a damaged file may have it."""
    _, outer = garments
    play(outer)
    alone = play_scenes.played(outer, FRAMES)
    faces, points = [(0, 1, 2, 3)], [(place, 0, 0), (-place, 0, 0), (1, 1, 0), (0, 1, 0)]
    data = bpy.data.meshes.new("Nowhere")
    data.from_pydata(points, [], faces)
    nowhere = bpy.data.objects.new("Nowhere", data)
    bpy.context.scene.collection.objects.link(nowhere)
    add_layers(outer, [nowhere])
    worn = play_scenes.played(outer, FRAMES)
    assert playback.status_of(outer).problem is None
    assert all(np.array_equal(worn[frame], alone[frame]) for frame in FRAMES)


def test_a_layer_that_says_it_plays_and_has_something_else_in_its_attribute_is_as_it_is_evaluated(garments):
    lining, outer = garments
    add_layers(outer, [lining])
    play(outer)
    worn = play_scenes.played(outer, FRAMES)
    settings_of(lining).playing = True
    lining.data.attributes.new("neural_physics_position", "FLOAT", "CORNER")
    again = play_scenes.played(outer, FRAMES)
    status = playback.status_of(outer)
    assert status.problem is None and status.warning is None
    assert all(np.array_equal(again[frame], worn[frame]) for frame in FRAMES)


def test_a_layer_whose_place_has_fewer_vertices_is_as_it_is_evaluated(garments):
    """As a file of somebody else's may have it."""
    lining, outer = garments
    add_layers(outer, [lining])
    play(outer)
    settings_of(lining).playing = True
    few = bpy.data.meshes.new("Few")
    few.from_pydata([(0.0, 0.0, 0.0)] * 3, [], [])
    geometry_nodes.write_positions(few, np.zeros((3, 3), np.float32))
    place = bpy.data.objects.new("Place", few)
    modifier = lining.modifiers.new("Place", "NODES")
    modifier.node_group = geometry_nodes._group(geometry_nodes.PLACED_GROUP)
    geometry_nodes.set_place(modifier, place)
    assert position_places.positions_mesh(lining) == few
    play_scenes.played(outer, FRAMES)
    status = playback.status_of(outer)
    assert status.problem is None and status.warning is None
