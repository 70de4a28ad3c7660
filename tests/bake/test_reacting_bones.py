"""Of which bones of an armature a garment learns where they are."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
import rigs
from mathutils.kdtree import KDTree
from scenes import add_cloth, empty_scene, react_to, set_frame

from neural_physics.blender.scene import moving_bones as moving_bones_module
from neural_physics.blender.scene import sampling, setting_up
from neural_physics.blender.scene.animation.action_curves import curves_of_slot
from neural_physics.blender.scene.moving_bones import moving_bones
from neural_physics.blender.scene.rigs import reacting_bones
from neural_physics.blender.scene.rigs.reacting_bones import choose_bones, joint_names, near_bones
from neural_physics.blender.scene.rigs.repeatability import check_rigs_repeat
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem


@pytest.fixture
def sheet():
    """A small sheet beside the upper end of a tube on ten bones, 20 cm each."""
    empty_scene()
    rig = rigs.add_rig(10)
    body = rigs.add_tube(rig, rings=41)
    cloth = add_cloth()
    cloth.scale, cloth.location = (0.2, 0.2, 0.2), (0.25, 0.0, 1.7)
    bpy.context.view_layer.update()
    return cloth, rig, body


def line_of(cloth, rig):
    react_to(cloth, rig)
    return settings_of(cloth).interactions[-1]


def test_bones_are_near_that_carry_a_body_beside_the_object(sheet):
    cloth, rig, body = sheet
    body.modifiers.new("Mirror", "MIRROR")
    body.modifiers.move(body.modifiers.find("Mirror"), 0)
    near = near_bones(cloth, rig)
    assert "bone8" in near and "bone2" not in near and near == sorted(near)
    body.location.x = 5.0
    bpy.context.view_layer.update()
    assert near_bones(cloth, rig) == []


def test_a_body_that_is_being_edited_is_said_and_no_line_is_added(sheet, monkeypatch):
    cloth, rig, body = sheet
    monkeypatch.setattr(setting_up, "MANY", 1)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(Problem) as raised:
        setting_up.add_interaction(cloth, rig)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert raised.value.code == "edit_mode" and not settings_of(cloth).interactions
    setting_up.add_interaction(cloth, rig)
    assert len(settings_of(cloth).interactions[0].bones) < 10


def test_bones_that_carry_the_object_itself_are_near_wherever_it_is(sheet):
    cloth, rig, body = sheet
    body.location.x = 5.0
    cloth.vertex_groups.new(name="bone1").add([0, 1], 1.0, "REPLACE")
    cloth.vertex_groups.new(name="bone4")
    bpy.context.view_layer.update()
    assert near_bones(cloth, rig) == ["bone1"]


def test_no_bone_is_near_what_has_no_vertices(sheet):
    cloth, rig, _ = sheet
    cloth.data.clear_geometry()
    assert near_bones(cloth, rig) == []


def test_only_the_joints_of_chosen_bones_are_read(sheet):
    cloth, rig, _ = sheet
    item = line_of(cloth, rig)
    assert len(layout_of(cloth).channels[0].parts) == 11
    choose_bones(item, {"bone7", "bone6", "bone2", "none of them"})
    (channel,) = layout_of(cloth).channels
    assert channel.parts == ("bone2", "bone6", "bone7", "bone2/tip", "bone7/tip")
    rigs.pose(rig, 0, 0.4, 0.1)
    sampler = ChannelSampler(cloth, layout_of(cloth), reference_frame_of(cloth), {}, fps=24.0)
    read = sampler.sample(set_frame(1), 1).reshape(5, 3)
    bones, frame_from_world = rig.pose.bones, cloth.matrix_world.inverted()
    places = [bones["bone2"].head, bones["bone6"].head, bones["bone7"].head, bones["bone2"].tail]
    expected = [frame_from_world @ rig.matrix_world @ place for place in (*places, bones["bone7"].tail)]
    assert np.allclose(read, np.array(expected), atol=1e-5)


def test_more_bones_than_a_dataset_may_have_are_refused(sheet, monkeypatch):
    cloth, rig, _ = sheet
    item = line_of(cloth, rig)
    monkeypatch.setattr(sampling, "LARGEST_LAYOUT", 3 * 11)
    layout_of(cloth)
    monkeypatch.setattr(sampling, "LARGEST_LAYOUT", 3 * 11 - 1)
    with pytest.raises(Problem, match="reacts to 33 numbers, but at most 32") as caught:
        layout_of(cloth)
    assert caught.value.code == "interactions_too_large"
    choose_bones(item, {"bone7"})
    layout_of(cloth)


def test_of_bones_of_another_armature_none_are_missed(sheet):
    cloth, rig, _ = sheet
    item = line_of(cloth, rig)
    choose_bones(item, {"bone7"})
    item.object = rigs.add_rig(3, "Other")
    for bone in item.object.data.bones:
        bone.name = bone.name.replace("bone", "other")
    assert joint_names(item) == ("other0", "other1", "other2", "other2/tip")


@pytest.mark.parametrize("count", [20, 40])
def test_of_many_bones_those_that_are_near_are_chosen_at_first(sheet, count):
    cloth, _, body = sheet
    rig = rigs.add_rig(count, "Long")
    body.modifiers[0].object = rig
    body.vertex_groups.clear()
    for number in range(count):
        group = body.vertex_groups.new(name=f"bone{number}")
        group.add(
            [v.index for v in body.data.vertices if int(v.co.z / 2.001 * count) == number], 1.0, "REPLACE"
        )
    bpy.context.view_layer.update()
    item = setting_up.add_interaction(cloth, rig)
    listed = [bone.name for bone in item.bones]
    if count == 20:
        assert listed == []
    else:
        assert "bone34" in listed and "bone5" not in listed and len(listed) < 20


def add_action(rig, bone, prop="rotation_quaternion", values=((1.0, 0.0, 0.0, 0.0), (0.9, 0.4, 0.0, 0.0))):
    """An action that moves one bone, and leaves the armature as it was."""
    posed = rig.pose.bones[bone]
    before = tuple(getattr(posed, prop))
    rig.animation_data_create().action = bpy.data.actions.new(f"Turn {bone}")
    for number, value in enumerate(values):
        setattr(posed, prop, value)
        posed.keyframe_insert(prop, frame=1 + 20 * number)
    action, rig.animation_data.action = rig.animation_data.action, None
    action.use_fake_user = True
    setattr(posed, prop, before)
    bpy.context.view_layer.update()
    return action


def test_bones_that_no_action_moves_are_left_out_of_the_near_ones(sheet):
    cloth, rig, _ = sheet
    near = near_bones(cloth, rig)
    assert {"bone7", "bone8", "bone9"} <= set(near)
    assert moving_bones(cloth, rig, near) == near, "it has no actions"
    add_action(rig, "bone8")
    assert moving_bones(cloth, rig, near) == ["bone8", "bone9"]
    add_action(rig, "bone7")
    assert moving_bones(cloth, rig, near) == ["bone7", "bone8", "bone9"]


def test_no_actions_are_tried_where_what_depends_on_the_bones_may_write_on_disk(sheet):
    cloth, rig, _ = sheet
    near = near_bones(cloth, rig)
    add_action(rig, "bone8")
    cloth.keyframe_insert('modifiers["Cloth"].point_cache.use_disk_cache', frame=1)
    assert moving_bones(cloth, rig, near) == near


def test_what_an_action_switches_on_the_way_counts_and_all_is_put_back(sheet):
    """A bone that follows another only as far as an own property of a bone says."""
    cloth, rig, _ = sheet
    root = rig.pose.bones["bone0"]
    root["Follow"], root.rotation_mode, root.location = 0.25, "XYZ", (0.0, 0.0, 0.1)
    follows = rig.pose.bones["bone8"].constraints.new("COPY_ROTATION")
    follows.target, follows.subtarget = rig, "bone0"
    driver = follows.driver_add("influence").driver
    driver.type = "SUM"
    driver.variables.new().targets[0].id = rig
    driver.variables[0].targets[0].data_path = 'pose.bones["bone0"]["Follow"]'
    rig.animation_data.action = action = bpy.data.actions.new("Follow")
    for frame, follow in ((1, 0.0), (21, 1.0)):
        root["Follow"] = follow
        root.keyframe_insert('["Follow"]', frame=frame)
    rig.animation_data.action, root["Follow"] = None, 0.25
    action.use_fake_user = True
    rigs.pose(rig, 3)
    root.rotation_mode = "XYZ"
    bpy.context.scene.frame_set(7)
    before = [(tuple(b.location), b.matrix.copy(), b.rotation_mode) for b in rig.pose.bones]
    near = near_bones(cloth, rig)
    assert "bone7" in near and moving_bones(cloth, rig, near) == ["bone8", "bone9"]
    bpy.context.view_layer.update()
    assert [(tuple(b.location), b.matrix.copy(), b.rotation_mode) for b in rig.pose.bones] == before
    assert root["Follow"] == 0.25 and bpy.context.scene.frame_current == 7


def test_curves_of_anything_but_how_bones_are_posed_change_nothing(sheet):
    cloth, rig, _ = sheet
    action = add_action(rig, "bone8")
    paths = ('pose.bones["bone8"].id_data.hide_viewport', 'pose.bones["bone8"].custom_shape_transform')
    bag = action.layers[0].strips[0].channelbags[0]
    for path in paths:
        bag.fcurves.new(path, index=0).keyframe_points.insert(1.0, 1.0)
    assert moving_bones(cloth, rig, ["bone7", "bone8"]) == ["bone8"]
    assert not rig.hide_viewport


def test_set_up_lists_bones_that_move_and_so_does_the_button(sheet, monkeypatch):
    cloth, rig, _ = sheet
    add_action(rig, "bone8")
    monkeypatch.setattr(setting_up, "MANY", 5)
    item = setting_up.add_interaction(cloth, rig)
    assert item.motion == "ACTIONS" and [bone.name for bone in item.bones] == ["bone8", "bone9"]
    item.motion = "KEEP"
    assert "bone7" in setting_up.bones_that_matter(cloth, item)


def test_of_armatures_beyond_a_few_all_bones_are_listed(sheet, monkeypatch):
    cloth, rig, body = sheet
    monkeypatch.setattr(setting_up, "MANY", 5)
    monkeypatch.setattr(setting_up, "MOST_POSED", 1)
    body.modifiers.new("Collision", "COLLISION")
    body.modifiers.new("Second", "ARMATURE").object = rigs.add_rig(10, "Second")
    bpy.context.view_layer.update()
    assert setting_up.set_up(cloth, bpy.context.scene) == ["Rig", "Second"]
    near, everything = ([bone.name for bone in item.bones] for item in settings_of(cloth).interactions)
    assert near == near_bones(cloth, rig) and not everything


def test_a_curve_of_a_place_that_no_vector_has_is_left_out(sheet, monkeypatch):
    """As a damaged file has it: Blender hands such numbers out as they are."""
    cloth, rig, _ = sheet
    add_action(rig, "bone8")
    near = near_bones(cloth, rig)
    before = moving_bones(cloth, rig, near)
    own = moving_bones_module.curves_of

    def strange(action, rig):
        curves = own(action, rig)
        (path, _), curve = next(iter(curves.items()))
        return {**curves, (path, -5): curve, (path, 9): curve}

    monkeypatch.setattr(moving_bones_module, "curves_of", strange)
    assert moving_bones(cloth, rig, near) == before


def test_what_no_property_can_be_is_left_out_of_a_pose(sheet):
    cloth, rig, _ = sheet
    action, bone = add_action(rig, "bone8"), rig.pose.bones["bone7"]
    bone["Whole"], bone["Switch"] = 1, True
    bag = action.layers[0].strips[0].channelbags[0]
    curves = [
        (path, 0, value) for path in ('["Whole"]', '["Switch"]') for value in (math.nan, math.inf, 1e20)
    ]
    curves += [(".location", 7, 1.0), (".location", 0, math.nan)]
    for path, index, value in curves:
        curve = bag.fcurves.new(f'pose.bones["bone7"]{path}', index=index)
        curve.keyframe_points.add(1)
        curve.keyframe_points[0].co = (1.0, value)
        assert moving_bones(cloth, rig, ["bone7", "bone8"]) == ["bone8"]
        bag.fcurves.remove(curve)
    assert (bone["Whole"], bone["Switch"]) == (1, True) and tuple(bone.location) == (0.0, 0.0, 0.0)


def test_vertices_all_in_one_place_are_sought_among_as_one(sheet, monkeypatch):
    cloth, rig, _ = sheet
    near, sizes = near_bones(cloth, rig), []
    monkeypatch.setattr(
        reacting_bones,
        "kdtree",
        SimpleNamespace(KDTree=lambda size: sizes.append(size) or KDTree(size)),
    )
    cloth.data.vertices.add(1000)
    for number, vertex in enumerate(list(cloth.data.vertices)[-1000:]):
        vertex.co = np.array(cloth.data.vertices[0].co) + 1e-6 * number * np.ones(3)
    assert near_bones(cloth, rig) == near
    assert len(sizes) == 1 and sizes[0] < len(cloth.data.vertices) - 900


def test_an_armature_without_bones_is_refused_and_is_a_frame_that_repeats(sheet):
    cloth, _, _ = sheet
    boneless = bpy.data.objects.new("Boneless", bpy.data.armatures.new("Boneless"))
    bpy.context.scene.collection.objects.link(boneless)
    line_of(cloth, boneless)
    settings_of(cloth).frame_object = boneless
    with pytest.raises(Problem, match="Boneless, which Sheet reacts to") as caught:
        layout_of(cloth)
    assert caught.value.code == "armature_without_bones"
    check_rigs_repeat(bpy.context.scene, cloth, 3)


def test_a_strip_of_a_kind_that_only_later_blenders_know_is_passed_over(sheet):
    _, rig, _ = sheet
    action = add_action(rig, "bone8")
    slot, strips = action.slots[0], list(action.layers[0].strips)
    curves = curves_of_slot(action, slot.handle)
    assert curves and all("bone8" in curve.data_path for curve in curves)
    later = SimpleNamespace(layers=[SimpleNamespace(strips=[SimpleNamespace(type="UNKNOWN"), *strips])])
    assert curves_of_slot(later, slot.handle) == curves
    assert curves_of_slot(action, slot.handle + 1) == []


def copies_of(body, count, *, step):
    """More objects of its mesh on its armature, each further along X."""
    for number in range(1, count + 1):
        copy = body.copy()
        copy.location.x += number * step
        bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.update()


def test_bodies_of_one_mesh_are_weighed_once_and_sought_no_more_than_there_is_to_find(sheet, monkeypatch):
    cloth, rig, body = sheet
    near = near_bones(cloth, rig)
    copies_of(body, 20, step=0.001)
    weighed, places = [], []
    weights, in_world = reacting_bones.bone_weights, reacting_bones._in_world
    monkeypatch.setattr(
        reacting_bones, "bone_weights", lambda *args: weighed.append(args[0]) or weights(*args)
    )
    monkeypatch.setattr(reacting_bones, "_in_world", lambda of: places.append(of) or in_world(of))
    assert near_bones(cloth, rig) == near
    assert weighed == [cloth, body]
    monkeypatch.setattr(reacting_bones, "MOST_COPIED", 3 * len(body.data.vertices))
    places.clear()
    assert near_bones(cloth, rig) == near
    assert len(places) == 1 + 1 + 3


def test_the_nearer_of_two_bodies_of_one_mesh_counts(sheet):
    cloth, rig, body = sheet
    near = near_bones(cloth, rig)
    copies_of(body, 1, step=-5.0)
    assert near_bones(cloth, rig) == near
    body.location.x = 5.0
    bpy.context.view_layer.update()
    assert near_bones(cloth, rig) == []
    copies_of(body, 1, step=-5.0)
    assert near_bones(cloth, rig) == near
