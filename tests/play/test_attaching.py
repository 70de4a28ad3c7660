"""Playing replaces the physics and gives it back; what cannot be played is refused with a reason."""

from __future__ import annotations

import struct
from contextlib import suppress

import bpy
import numpy as np
import play_models
import play_scenes
import pytest
import synthetic
from changed_blend import open_changed

from neural_physics.blender.baking.scene_copy import prepare_for_bake
from neural_physics.blender.playing import grabbing, packing, playback
from neural_physics.blender.playing.output import geometry_nodes, node_layout
from neural_physics.blender.playing.output.numbers import ERROR
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    return play_scenes.add_sheet(play_scenes.add_hand())


def opened_again():
    """The sheet of the file, saved and opened."""
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    return bpy.data.objects["Sheet"]


def refused(obj, code):
    """Attaching is refused with this code, and leaves the object as it was."""
    modifiers = [(m.name, m.show_viewport) for m in obj.modifiers]
    with pytest.raises(Problem) as caught:
        playback.attach(obj)
    assert caught.value.code == code
    assert [(m.name, m.show_viewport) for m in obj.modifiers] == modifiers
    assert not settings_of(obj).playing
    return caught.value


def test_the_physics_makes_way_and_comes_back(sheet):
    cloth = sheet.modifiers["Cloth"]
    cloth.show_render = False
    subdivision = sheet.modifiers.new("Subdivision", "SUBSURF")
    coordinates = np.array([v.co for v in sheet.data.vertices])
    playback.attach(sheet)
    assert [m.type for m in sheet.modifiers] == ["NODES", "CLOTH", "SUBSURF"]
    assert not cloth.show_viewport
    assert not cloth.show_render
    play_scenes.played(sheet, range(1, 20))
    assert len(play_scenes.shown(sheet)) > len(coordinates)  # Subdivision acts on what is played
    assert subdivision.show_viewport
    assert np.array_equal(coordinates, [v.co for v in sheet.data.vertices])
    playback.detach(sheet)
    assert [m.type for m in sheet.modifiers] == ["CLOTH", "SUBSURF"]
    assert cloth.show_viewport
    assert not cloth.show_render
    assert geometry_nodes.ATTRIBUTE not in sheet.data.attributes
    assert not bpy.data.node_groups


def test_attaching_and_detaching_twice_is_harmless(sheet):
    playback.attach(sheet)
    playback.attach(sheet)
    assert [m.type for m in sheet.modifiers] == ["NODES", "CLOTH"]
    playback.detach(sheet)
    playback.detach(sheet)
    assert [m.type for m in sheet.modifiers] == ["CLOTH"]
    assert sheet.modifiers["Cloth"].show_viewport


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 50_000,
        '{"Cloth": ' * 5_000,
        '{"\\ud800": [true, true], "a\\u0000b": [true, true], "Cloth": [true, true]}',
        f'{{"Cloth": [{"9" * 5_000}, 1]}}',
        '{"Cloth": []}',
        '{"Cloth": 3}',
        "[[]]",
    ],
)
def test_what_anybody_wrote_where_the_modifiers_are_remembered_does_not_keep_it_playing(sheet, text):
    playback.attach(sheet)
    settings_of(sheet).hidden_modifiers = text
    playback.detach(sheet)
    assert not settings_of(sheet).playing and not settings_of(sheet).hidden_modifiers
    assert [m.type for m in sheet.modifiers] == ["CLOTH"]
    settings_of(sheet).hidden_modifiers = text
    playback.attach(sheet)
    playback.detach(sheet)
    assert not settings_of(sheet).hidden_modifiers


@pytest.mark.parametrize("saved", [True, False])
def test_what_a_file_says_was_on_stays_off_where_it_writes_on_disk(sheet, tmp_path, saved):
    """It may be another's; what was switched off here is switched on again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    sheet.modifiers["Cloth"].point_cache.use_disk_cache = True
    playback.attach(sheet)
    sheet = opened_again() if saved else sheet
    left = playback.detach(sheet)
    assert [modifier.name for modifier in left] == ["Cloth"] * saved
    assert sheet.modifiers["Cloth"].show_viewport == (not saved)
    playback.attach(sheet)
    assert [modifier.name for modifier in playback.detach(sheet)] == ["Cloth"] * saved, "nor later"
    sheet.modifiers["Cloth"].show_viewport = True
    sheet.modifiers["Cloth"].point_cache.use_disk_cache = False
    playback.attach(sheet)
    sheet = opened_again() if saved else sheet
    assert not playback.detach(sheet) and sheet.modifiers["Cloth"].show_viewport


def add_what_a_file_says_was_on(sheet) -> bpy.types.Modifier:
    """Particles that are off, and write on disk once they are on."""
    other = sheet.modifiers.new("Other", "PARTICLE_SYSTEM")
    other.particle_system.point_cache.use_disk_cache = True
    other.show_viewport = other.show_render = False
    settings_of(sheet).hidden_modifiers = '{"Other": [true, true]}'
    return other


def test_what_a_file_says_was_on_beside_what_is_switched_off_here_stays_off(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    other = add_what_a_file_says_was_on(sheet)
    playback.attach(sheet)
    assert [modifier.name for modifier in playback.detach(sheet)] == ["Other"]
    assert not other.show_viewport and sheet.modifiers["Cloth"].show_viewport


@pytest.mark.parametrize("shown", [(False, True), (True, False)])
def test_what_was_on_in_part_is_given_back_as_it_was_where_it_writes_on_disk(sheet, tmp_path, shown):
    """Whatever the file says that it was before."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    cloth = sheet.modifiers["Cloth"]
    cloth.point_cache.use_disk_cache = True
    cloth.show_viewport, cloth.show_render = shown
    settings_of(sheet).hidden_modifiers = '{"Cloth": [true, true]}'
    playback.attach(sheet)
    assert playback.detach(sheet) == [cloth] and (cloth.show_viewport, cloth.show_render) == shown


def test_of_two_modifiers_that_a_file_gives_one_number_none_is_taken_for_the_other(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    add_what_a_file_says_was_on(sheet)
    own, cloths = (struct.pack("<i", sheet.modifiers[name].persistent_uid) for name in ("Other", "Cloth"))
    open_changed(tmp_path / "scene.blend", {own: cloths})
    sheet = bpy.data.objects["Sheet"]
    assert len({modifier.persistent_uid for modifier in sheet.modifiers}) == 1
    playback.attach(sheet)
    left = playback.detach(sheet)
    assert "Other" in [modifier.name for modifier in left] and not sheet.modifiers["Other"].show_viewport


@pytest.mark.parametrize("path", ["location", 'modifiers["Cloth"].show_viewport', "hide_viewport"])
def test_strips_that_a_file_says_were_put_aside_are_switched_on_where_they_move_it_alone(
    sheet, tmp_path, path
):
    ball, scene = play_scenes.add_object("Ball", synthetic.sheet_mesh(4)), str(tmp_path / "scene.blend")
    ball.modifiers.new("Cloth", "CLOTH")
    ball.keyframe_insert(path, frame=1)
    animation = ball.animation_data
    animation.nla_tracks.new().strips.new("Strip", 1, animation.action)
    animation.action = None
    grabbing.grab(ball)
    bpy.ops.wm.save_as_mainfile(filepath=scene)
    bpy.ops.wm.open_mainfile(filepath=scene)
    ball = bpy.data.objects["Ball"]
    with suppress(Problem):
        grabbing.release(ball)
    assert ball.animation_data.use_nla == (path == "location")


@pytest.mark.parametrize("path", ["location", 'modifiers["Cloth"].show_viewport', "hide_viewport"])
def test_keys_that_a_file_says_were_put_aside_are_given_back_where_they_move_it_alone(sheet, tmp_path, path):
    ball, scene = play_scenes.add_object("Ball", synthetic.sheet_mesh(4)), str(tmp_path / "scene.blend")
    ball.modifiers.new("Cloth", "CLOTH")
    ball.keyframe_insert(path, frame=1)
    grabbing.grab(ball)
    grabbing.release(ball)
    assert ball.animation_data.action is not None, "it was put aside here"
    grabbing.grab(ball)
    bpy.ops.wm.save_as_mainfile(filepath=scene)
    bpy.ops.wm.open_mainfile(filepath=scene)
    ball = bpy.data.objects["Ball"]
    if path == "location":
        grabbing.release(ball)
        assert ball.animation_data.action is not None and not grabbing.is_grabbed(ball)
        return
    with pytest.raises(Problem) as raised:
        grabbing.release(ball)
    assert raised.value.code == "keys_of_more" and path in raised.value.message
    assert grabbing.is_grabbed(ball) and (ball.animation_data is None or ball.animation_data.action is None)


def test_a_group_that_is_called_as_ours_is_replaced_by_ours(sheet):
    """It may show anything that the file hides."""
    theirs = bpy.data.node_groups.new(geometry_nodes.GROUP, "GeometryNodeTree")
    theirs.nodes.new("GeometryNodeObjectInfo")
    modifier = sheet.modifiers.new("Theirs", "NODES")
    modifier.node_group, modifier.show_viewport = theirs, False
    playback.attach(sheet)
    assert modifier.node_group != theirs and modifier.show_viewport
    assert not any(node.bl_idname == "GeometryNodeObjectInfo" for node in modifier.node_group.nodes)


def test_all_objects_share_one_node_group(sheet):
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    for obj in (sheet, other):
        playback.attach(obj)
    assert len(bpy.data.node_groups) == 1
    playback.detach(sheet)
    assert len(bpy.data.node_groups) == 1
    assert geometry_nodes.find_modifier(other) is not None


def strangers_group(name: str) -> bpy.types.NodeTree:
    """A group of somebody else's, called like ours, that lifts what it is given."""
    group = geometry_nodes.new_group(name)
    lift = group.nodes.new("GeometryNodeTransform")
    lift.inputs["Translation"].default_value = (0.0, 0.0, 5.0)
    enter, leave = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    group.links.new(enter.outputs[0], lift.inputs[0])
    group.links.new(lift.outputs[0], leave.inputs[0])
    return group


def test_a_strangers_node_group_of_that_name_is_not_used(sheet):
    playback.attach(sheet)
    bpy.context.scene.frame_set(20)
    expected = play_scenes.shown(sheet)
    playback.detach(sheet)
    theirs = [strangers_group(geometry_nodes.GROUP + end) for end in ("", geometry_nodes.HIDDEN)]
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    for _ in range(2):
        for obj in (sheet, other):
            playback.attach(obj)
            bpy.context.scene.frame_set(20)
            assert np.array_equal(play_scenes.shown(obj), expected)
            for shown in (False, True, True):
                geometry_nodes.show_in_viewports(obj, shown)
                group = geometry_nodes.find_modifier(obj).node_group
                assert group not in theirs and (", Hidden in Viewports" in group.name) is not shown
        assert len(bpy.data.node_groups) <= 4  # what was made is shared
        for obj in (sheet, other):
            playback.detach(obj)
    assert all(group in bpy.data.node_groups.values() for group in theirs)


def altered(change) -> bpy.types.NodeTree:
    """The group that we make, with a change of somebody else's."""
    group = geometry_nodes._make_group(geometry_nodes.GROUP)
    change(group)
    return group


@pytest.mark.parametrize(
    "change",
    [
        lambda group: setattr(group.nodes["Set Position"].inputs["Offset"], "default_value", (0.0, 0.0, 5.0)),
        lambda group: setattr(group.nodes["Set Position"], "mute", True),
        lambda group: setattr(group.nodes["Named Attribute"], "data_type", "FLOAT_COLOR"),
        lambda group: setattr(group.nodes["Named Attribute"].inputs["Name"], "default_value", "position"),
        lambda group: group.links.remove(group.links[0]),
        lambda group: setattr(group.links[0], "is_muted", True),
        lambda group: group.nodes.new("GeometryNodeTransform"),
        lambda group: group.interface.new_socket("More", in_out="INPUT", socket_type="NodeSocketFloat"),
        lambda group: group.nodes["Set Position"].inputs["Offset"].keyframe_insert("default_value", frame=9),
        lambda group: group.__setitem__("named", bpy.data.objects["Sheet"]),
        lambda group: group.__setitem__("named", {"in": bpy.data.objects["Sheet"]}),
        lambda group: group.nodes[0].__setitem__("named", bpy.data.objects["Sheet"]),
    ],
    ids=["value", "mute", "setting", "text", "link", "muted link", "node", "socket", "keys"]
    + [f"named by {what}" for what in ("group", "part", "node")],
)
def test_a_group_with_anything_changed_is_not_alike(sheet, change):
    made = geometry_nodes._make_group(geometry_nodes.GROUP)
    assert node_layout.first_alike([altered(change)], made) is None


def test_a_group_whose_nodes_have_other_names_and_another_order_is_alike(sheet):
    ours = altered(lambda group: setattr(group.nodes["Set Position"], "name", "Punkte setzen"))
    made = geometry_nodes._make_group(geometry_nodes.GROUP)
    assert node_layout.first_alike([ours], made) == ours


@pytest.mark.parametrize("end", ["", geometry_nodes.HIDDEN])
def test_no_group_of_a_file_is_used_however_alike(sheet, tmp_path, end):
    """What it names would be evaluated with it, and nothing that is compared need say so."""
    theirs = geometry_nodes._make_group(geometry_nodes.GROUP + end)
    theirs.use_fake_user, theirs["named"] = True, bpy.data.objects["Hand"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    sheet = opened_again()
    playback.attach(sheet)
    geometry_nodes.show_in_viewports(sheet, not end)
    group = geometry_nodes.find_modifier(sheet).node_group
    assert group.name.startswith(geometry_nodes.GROUP + end) and not group.keys()


def test_without_its_attribute_the_rest_shape_shows(sheet):
    playback.attach(sheet)
    bpy.context.scene.frame_set(30)
    geometry_nodes.remove_positions(sheet.data)
    sheet.data.update()
    assert np.array_equal(play_scenes.shown(sheet), synthetic.sheet_mesh().rest_positions)


def test_an_attribute_of_another_kind_with_that_name_is_replaced(sheet):
    sheet.data.attributes.new(geometry_nodes.ATTRIBUTE, "FLOAT", "FACE")
    playback.attach(sheet)
    bpy.context.scene.frame_set(30)
    assert not np.array_equal(play_scenes.shown(sheet), synthetic.sheet_mesh().rest_positions)


def test_a_renamed_modifier_and_object_play_on(sheet):
    playback.attach(sheet)
    sheet.modifiers[0].name = "Mine"
    sheet.name, bpy.data.objects["Hand"].name = "Curtain", "Paw"
    bpy.context.scene.frame_set(20)
    assert playback.status_of(sheet).problem is None
    moved = play_scenes.shown(sheet)
    bpy.context.scene.frame_set(40)
    assert not np.array_equal(play_scenes.shown(sheet), moved)
    playback.detach(sheet)
    assert [m.type for m in sheet.modifiers] == ["CLOTH"]


def test_a_model_of_another_mesh_is_refused(sheet):
    mesh = synthetic.sheet_mesh(5)
    packing.pack(sheet, play_models.model_file(mesh))
    problem = refused(sheet, "model_other_object")
    assert (problem.names["expected"], problem.names["found"]) == (25, 36)


def test_a_model_of_other_faces_is_refused(sheet):
    mesh = synthetic.sheet_mesh()
    turned = type(mesh)(mesh.rest_positions, mesh.corners[::-1].copy(), mesh.face_sizes, mesh.pins)
    packing.pack(sheet, play_models.model_file(turned))
    refused(sheet, "model_other_object")


def test_a_missing_model_is_refused(sheet, tmp_path):
    packing.remove_packed(sheet)
    settings_of(sheet).model_path = str(tmp_path / "gone.safetensors")
    assert "gone.safetensors" in str(refused(sheet, "file_missing"))
    settings_of(sheet).model_path = ""
    refused(sheet, "model_missing")


def test_an_unknown_method_and_damage_are_refused(sheet, tmp_path):
    mesh = synthetic.sheet_mesh()
    tensors = synthetic.make_model_tensors(mesh)
    info = synthetic.make_model_info(mesh, method="telepathy")
    packing.pack(sheet, synthetic.model_bytes(info, tensors))
    refused(sheet, "model_method_unknown")
    del tensors["alpha"]
    packing.pack(sheet, synthetic.model_bytes(synthetic.make_model_info(mesh), tensors))
    refused(sheet, "model_damaged")
    settings_of(sheet).model["neural_physics_model"] = b"\xff" * 1000
    refused(sheet, "model_damaged")
    settings_of(sheet).model["neural_physics_model"] = "text"
    refused(sheet, "model_damaged")


def test_edit_mode_is_refused(sheet):
    bpy.context.view_layer.objects.active = sheet
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        refused(sheet, "edit_mode")
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_missing_collider_is_named_and_can_be_bound_again(sheet):
    playback.attach(sheet)
    bpy.data.objects.remove(bpy.data.objects["Hand"])
    bpy.context.scene.frame_set(5)
    problem = playback.status_of(sheet).problem
    assert problem.code == "interaction_missing"
    assert "Hand" in problem.message
    settings_of(sheet).interactions[0].object = play_scenes.add_hand("Paw", seed=4)
    bpy.context.scene.frame_set(6)
    assert playback.status_of(sheet).problem is None


def test_a_collider_taken_out_of_the_scene_is_named(sheet):
    playback.attach(sheet)
    bpy.context.scene.frame_set(5)
    bpy.context.view_layer.objects.active = bpy.data.objects["Hand"]
    bpy.data.objects["Hand"].select_set(True)
    bpy.ops.object.delete()
    bpy.context.view_layer.update()
    assert playback.status_of(sheet).problem.code == "interaction_missing"


def test_a_collider_that_viewports_do_not_evaluate_is_warned_of(sheet):
    playback.attach(sheet)
    bpy.data.objects["Hand"].hide_viewport = True
    assert playback.status_of(sheet).warning.code == "interaction_hidden"
    bpy.data.objects["Hand"].hide_viewport = False
    assert playback.status_of(sheet).warning is None


def test_an_unexpected_error_in_a_handler_is_reported_and_does_not_spread(sheet, monkeypatch):
    playback.attach(sheet)
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    playback.attach(other)
    session = playback.PLAYED.session_of(sheet)
    for name in ("step", "step_many"):
        monkeypatch.setattr(session.method, name, lambda *_: 1 / 0)
    bpy.context.scene.frame_set(9)
    assert playback.status_of(sheet).problem.code == "play_failed"
    assert playback.status_of(other).problem is None
    assert playback.status_of(other).step_us > 0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_finite_number_is_reported_and_never_reaches_the_mesh(sheet, monkeypatch, value):
    playback.attach(sheet)
    bpy.context.scene.frame_set(8)
    pose = play_scenes.shown(sheet)
    session = playback.PLAYED.session_of(sheet)
    decode = session.method.positions
    monkeypatch.setattr(session.method, "positions", lambda *a: decode(*a) * np.float32(value))
    bpy.context.scene.frame_set(9)
    assert playback.status_of(sheet).problem.code == "play_not_numbers"
    assert np.array_equal(play_scenes.shown(sheet), pose)
    monkeypatch.undo()
    bpy.context.scene.frame_set(10)
    assert playback.status_of(sheet).problem is None


def test_a_newly_trained_model_takes_over(sheet, tmp_path):
    playback.attach(sheet)
    bpy.context.scene.frame_set(30)
    before = play_scenes.shown(sheet)
    path = tmp_path / "new.safetensors"
    path.write_bytes(play_models.model_file(synthetic.sheet_mesh(), seed=5))
    object_tasks.use_model(sheet, path)
    assert not np.array_equal(play_scenes.shown(sheet), before)
    assert packing.packed_bytes(sheet) == path.read_bytes()


def test_switching_the_setting_alone_starts_and_stops_the_session(sheet):
    playback.attach(sheet)
    settings_of(sheet).playing = False
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(40)
    pose = play_scenes.shown(sheet)
    bpy.context.scene.frame_set(50)
    assert np.array_equal(pose, play_scenes.shown(sheet))
    settings_of(sheet).playing = True
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(60)
    assert not np.array_equal(pose, play_scenes.shown(sheet))


def test_the_interface_is_locked_for_renders_as_long_as_anything_plays(sheet):
    render, other = bpy.context.scene.render, play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    for obj in (sheet, other):
        playback.attach(obj)
        assert render.use_lock_interface
    playback.detach(sheet)
    assert render.use_lock_interface
    playback.detach(other)
    assert not render.use_lock_interface


def test_a_lock_of_the_artist_s_stays(sheet):
    bpy.context.scene.render.use_lock_interface = True
    playback.attach(sheet)
    playback.detach(sheet)
    assert bpy.context.scene.render.use_lock_interface


def test_a_multiresolution_modifier_which_blender_has_first_is_refused(sheet):
    sheet.modifiers.remove(sheet.modifiers["Cloth"])
    multires = sheet.modifiers.new("Multires", "MULTIRES")
    with pytest.raises(Problem) as raised:
        object_tasks.check_play(sheet)
    assert raised.value.code == "multires_first" and "Sheet" in raised.value.message
    refused(sheet, "multires_first")
    sheet.modifiers.remove(multires)
    playback.attach(sheet)
    sheet.modifiers.new("Multires", "MULTIRES")
    object_tasks.check_play(sheet)


def test_an_object_whose_session_cannot_begin_does_not_keep_others_from_playing(sheet, monkeypatch):
    play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    other = bpy.data.objects["Other"]
    for obj in (sheet, other):
        playback.attach(obj)
    start = playback.PLAYED._begin
    monkeypatch.setattr(
        playback.PLAYED, "_begin", lambda obj, *more: 1 / 0 if obj == sheet else start(obj, *more)
    )
    playback.PLAYED.clear()
    playback.PLAYED.rebuild()
    assert playback.PLAYED.problem_of(sheet).code == "play_failed"
    assert playback.PLAYED.session_of(other) is not None


def test_of_many_groups_called_like_ours_a_few_are_looked_at(sheet, monkeypatch):
    """The one that another object has is found first; else one is made."""
    for _ in range(50):
        altered(lambda group: setattr(group.nodes["Set Position"], "mute", True))
    looked_at, own = [], node_layout._layout
    monkeypatch.setattr(node_layout, "_layout", lambda group: looked_at.append(group.name) or own(group))
    playback.attach(sheet)
    ours = geometry_nodes.find_modifier(sheet).node_group
    assert len(looked_at) <= 2 * (1 + node_layout.MOST_COMPARED) and not ours.nodes["Set Position"].mute
    looked_at.clear()
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    playback.attach(other)
    assert geometry_nodes.find_modifier(other).node_group == ours and len(looked_at) <= 4


@pytest.mark.parametrize("name", [geometry_nodes.ATTRIBUTE, ERROR])
def test_a_vertex_group_called_like_an_attribute_of_ours_is_told_and_nothing_piles_up(sheet, name):
    playback.attach(sheet)
    settings_of(sheet).write_numbers = True
    for layer in (geometry_nodes.ATTRIBUTE, ERROR):
        if layer in sheet.data.attributes:
            sheet.data.attributes.remove(sheet.data.attributes[layer])
    sheet.vertex_groups.new(name=name)
    counts = []
    for frame in range(2, 8):
        bpy.context.scene.frame_set(frame)
        counts.append(len(sheet.data.attributes))
    assert counts[-1] == counts[0], counts
    with pytest.raises(Problem) as told:
        geometry_nodes.new_layer(sheet.data, name, "FLOAT")
    assert told.value.code == "layer_name_taken" and len(sheet.data.attributes) == counts[0]
    if name == geometry_nodes.ATTRIBUTE:
        assert playback.status_of(sheet).problem.code == "layer_name_taken"
        playback.detach(sheet)
        with pytest.raises(Problem) as told:
            playback.attach(sheet)
            bpy.context.scene.frame_set(9)
            raise playback.status_of(sheet).problem
        assert told.value.code == "layer_name_taken"


@pytest.mark.parametrize(
    "stack", [["SOFT_BODY"], ["SOFT_BODY", "CLOTH"], ["CLOTH", "SOFT_BODY"], ["SOFT_BODY", "SUBSURF"]]
)
def test_a_soft_body_is_played_and_stopped(sheet, stack):
    """Above one Blender lets nothing be shown that makes meshes."""
    playback.attach(sheet)
    bpy.context.scene.frame_set(20)
    expected = play_scenes.shown(sheet)
    playback.detach(sheet)
    sheet.modifiers.clear()
    for kind in stack:
        sheet.modifiers.new(kind, kind)
    before = [(each.type, each.show_viewport, each.show_render) for each in sheet.modifiers]
    for _ in range(2):
        playback.attach(sheet)
        bpy.context.scene.frame_set(20)
        assert playback.status_of(sheet).problem is None
        assert np.array_equal(play_scenes.shown(sheet)[: len(expected)], expected) or "SUBSURF" in stack
        playback.detach(sheet)
        assert [(each.type, each.show_viewport, each.show_render) for each in sheet.modifiers] == before


def test_a_soft_body_below_what_is_shown_is_told_before_anything_changes(sheet):
    sheet.modifiers.clear()
    for kind in ("SMOOTH", "CAST", "SOFT_BODY"):
        sheet.modifiers.new(kind, kind)
    simulation = settings_of(sheet).simulation
    simulation.kind, simulation.last_modifier = "MODIFIERS", "SMOOTH"
    with pytest.raises(Problem) as told:
        playback.attach(sheet)
    assert told.value.code == "soft_body_first"
    assert [each.type for each in sheet.modifiers] == ["SMOOTH", "CAST", "SOFT_BODY"]
    assert not settings_of(sheet).playing and sheet.modifiers["SOFT_BODY"].show_viewport


def test_a_bake_switches_on_what_a_file_says_was_on_though_it_writes_on_disk(sheet, tmp_path):
    """It knows where."""
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    sheet.modifiers["Cloth"].point_cache.use_disk_cache = True
    playback.attach(sheet)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, sheet = bpy.context.scene, bpy.data.objects["Sheet"]
    prepare_for_bake(scene, scene.view_layers[0].name, sheet, 5)
    assert sheet.modifiers["Cloth"].show_viewport
