"""Skins and poses as they are read, held against Blender's own Armature modifier (Jin 2022, section 3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
import rigs
from scenes import empty_scene, react_to, set_frame
from skinned_scenes import sampled, skinned

from neural_physics.blender.scene.rigid_placement import stretch
from neural_physics.blender.scene.rigs import joint_weights, skins
from neural_physics.blender.scene.rigs.holding_bones import bone_placements, rest_segments
from neural_physics.blender.scene.rigs.skins import check_skin, count_loose, skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.rest_mesh import read_mesh, write_mesh
from neural_physics.errors import Problem
from neural_physics.interaction.channels import LARGEST_LAYOUT, POSE_ROWS
from neural_physics.interaction.poses import pose_channel, pose_in, to_frame, to_world
from neural_physics.skinning.of_skin import skinning_of


def rigged(bones=5):
    """A tube that reacts to its rig; both are moved, turned and scaled."""
    empty_scene()
    rig = rigs.add_rig(bones)
    tube = rigs.add_tube(rig)
    rig.location, rig.rotation_euler, rig.scale = (0.3, -0.2, 0.1), (0.1, 0.4, -0.2), (1.3, 1.3, 1.3)
    tube.location, tube.rotation_euler, tube.scale = (0.5, 0.1, 0.2), (0.0, 0.3, 0.5), (0.8, 1.1, 1.4)
    settings = settings_of(tube)
    settings.enabled, settings.method, settings.simulation.kind = True, "quasistatic_springs", "SOLID"
    react_to(tube, rig)
    return rig, tube


def agree(tube, tolerance=3e-6):
    theirs, moved = rigs.shown(tube), np.ptp(rigs.shown(tube), axis=0).max()
    assert np.abs(skinned(tube) - theirs).max() < tolerance * moved


@pytest.mark.parametrize("preserve_volume", [False, True])
@pytest.mark.parametrize("turn,shift", [(0.6, 0.2), (3.0, 0.5)])
def test_poses_are_skinned_as_by_the_armature_modifier(preserve_volume, turn, shift):
    rig, tube = rigged()
    tube.modifiers[0].use_deform_preserve_volume = preserve_volume
    still = rigs.shown(tube)
    for seed in range(5):
        rigs.pose(rig, seed, turn, shift)
        bpy.context.view_layer.update()
        assert np.abs(rigs.shown(tube) - still).max() > 0.2
        agree(tube)


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_vertices_without_a_bone_stay_and_a_group_of_the_modifier_says_how_far_others_go(preserve_volume):
    rig, tube = rigged()
    modifier, count = tube.modifiers[0], len(tube.data.vertices)
    modifier.use_deform_preserve_volume = preserve_volume
    for group in tube.vertex_groups:
        group.remove([3, 20])
        group.add([5], 1e-5, "REPLACE")  # too little altogether
    tube.vertex_groups["bone1"].add([7], 5e-5, "REPLACE")
    share = tube.vertex_groups.new(name="Share")
    share.add(list(range(count // 2)), 0.4, "REPLACE")
    share.add(list(range(count // 2, count - 4)), 1.0, "REPLACE")
    rigs.pose(rig, 1, 0.6, 0.3)
    for name, inverted in (("", False), ("Share", False), ("Share", True)):
        modifier.vertex_group, modifier.invert_vertex_group = name, inverted
        bpy.context.view_layer.update()
        agree(tube)
    assert skin_of(tube).weights[[3, 20]].max() == 0.0


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_scaled_bones_are_followed(preserve_volume):
    rig, tube = rigged()
    tube.modifiers[0].use_deform_preserve_volume = preserve_volume
    rigs.pose(rig, 2, 0.6, 0.2)
    rig.pose.bones["bone2"].scale = (1.2, 0.7, 1.1)
    rig.pose.bones["bone4"].scale = (0.6, 0.6, 0.6)
    for child in ("bone3", "bone4"):
        rig.data.bones[child].inherit_scale = "NONE"
    bpy.context.view_layer.update()
    agree(tube)


@pytest.mark.parametrize("preserve_volume", [False, True])
@pytest.mark.parametrize("mapping", ["STRAIGHT", "CURVED"])
def test_bendy_bones_are_followed_segment_by_segment(preserve_volume, mapping):
    rig, tube = rigged(3)
    tube.modifiers[0].use_deform_preserve_volume = preserve_volume
    for bone, segments in zip(rig.data.bones, (5, 1, 8), strict=True):
        bone.bbone_segments, bone.bbone_mapping_mode = segments, mapping
    rigs.pose(rig, 5, 0.6, 0.1)
    stiff = rigs.shown(tube)
    rig.pose.bones["bone0"].bbone_curveinx, rig.pose.bones["bone0"].bbone_rollout = 0.2, 0.4
    rig.pose.bones["bone2"].bbone_scalein, rig.pose.bones["bone2"].bbone_easein = (1.3, 1.0, 0.8), 1.6
    bpy.context.view_layer.update()
    assert np.abs(rigs.shown(tube) - stiff).max() > 0.02
    (channel,) = layout_of(tube).channels
    assert channel.parts[4:8] == ("bone0 [4]", "bone0 [5]", "bone1", "bone2 [0]")
    assert len(channel.parts) == 6 + 1 + 9
    agree(tube)


@pytest.mark.parametrize("segments", [1, 2, 6])
def test_bendy_bones_with_other_segments_than_were_learned_are_missed_or_read_on(segments):
    rig, tube = rigged(3)
    rig.data.bones["bone1"].bbone_segments = 4
    layout = layout_of(tube)
    sampler = ChannelSampler(tube, layout, reference_frame_of(tube), {}, fps=24.0)
    sampler.sample(set_frame(1), 1)
    rig.data.bones["bone1"].bbone_segments = segments
    if segments < 4:
        with pytest.raises(Problem, match=r"Rig/bone1 \[(0|3)\]"):
            sampler.sample(set_frame(2), 2)
    else:
        sampler.sample(set_frame(2), 2)


def test_each_segment_of_a_bendy_bone_takes_what_it_holds_where_it_takes_a_vertex_in_its_middle():
    rig, tube = rigged(3)
    rig.data.bones["bone0"].bbone_segments, rig.data.bones["bone2"].bbone_segments = 4, 3
    bpy.context.view_layer.update()
    ends = rest_segments(tube, rig)
    assert len(ends) == 4 + 1 + 3 and np.allclose(ends[:3, 1], ends[1:4, 0], atol=1e-6)
    middles = ends.mean(axis=1)  # in the object's axes with its scale
    unscaled = middles @ np.linalg.inv(stretch(tube.matrix_world)).T
    for number, name in enumerate(["bone0"] * 4 + ["bone1"] + ["bone2"] * 3):
        tube.data.vertices[number].co = unscaled[number]
        for group in tube.vertex_groups:
            group.remove([number])
        tube.vertex_groups[name].add([number], 1.0, "REPLACE")
    rigs.pose(rig, 7, 0.8, 0.1)
    bpy.context.view_layer.update()
    carried = bone_placements(bpy.context.evaluated_depsgraph_get(), tube, rig)
    assert np.allclose(np.linalg.det(carried[:, :3, :3]), 1.0)
    found = np.einsum("kij,kj->ki", carried[:, :3, :3], middles) + carried[:, :3, 3]
    assert np.abs(found - rigs.shown(tube)[:8]).max() < 3e-6


def test_an_armature_none_of_whose_bones_deforms_holds_nothing():
    rig, tube = rigged()
    for bone in rig.data.bones:
        bone.use_deform = False
    bpy.context.view_layer.update()
    assert rest_segments(tube, rig).shape == (0, 2, 3)
    assert bone_placements(bpy.context.evaluated_depsgraph_get(), tube, rig).shape == (0, 4, 4)


def test_bones_of_a_name_like_a_joint_of_a_bendy_bone_are_bones():
    rig, tube = rigged()
    rig.data.bones["bone1"].name = "bone2 [3]"
    rigs.pose(rig, 6)
    bpy.context.view_layer.update()
    assert "bone2 [3]" in layout_of(tube).channels[0].parts
    agree(tube)


def mirror(rig, tube):
    rig.pose.bones["bone2"].scale = (-1.0, 1.0, 1.0)


def flatten(rig, tube):
    rig.pose.bones["bone2"].scale = (1.0, 0.0, 1.0)


def widen(rig, tube):
    rig.scale = (1.3, 1.3, 1.0)


@pytest.mark.parametrize(
    "change,sentence",
    [
        (mirror, "The bone bone2 of Rig is mirrored or scaled to nothing, which Tube cannot follow"),
        (flatten, "The bone bone2 of Rig is mirrored or scaled to nothing, which Tube cannot follow"),
        (widen, "The armature Rig is not scaled alike in all directions, which Tube cannot follow"),
    ],
)
def test_what_preserve_volume_does_is_not_known_of_all(change, sentence):
    rig, tube = rigged()
    change(rig, tube)
    bpy.context.view_layer.update()
    agree(tube)
    tube.modifiers[0].use_deform_preserve_volume = True
    with pytest.raises(Problem, match=sentence):
        sampled(tube)


def test_bones_that_do_not_deform_and_those_without_a_group_are_no_part_of_the_channel():
    rig, tube = rigged()
    rig.data.bones["bone0"].use_deform = False
    tube.vertex_groups.remove(tube.vertex_groups["bone3"])
    (channel,) = layout_of(tube).channels
    assert (channel.kind, channel.parts) == ("pose", ("bone1", "bone2", "bone4"))
    assert channel.size == 12 * 5
    rigs.pose(rig, 4)
    bpy.context.view_layer.update()
    agree(tube)


def test_positions_are_seen_from_the_reference_frame_and_back():
    rig, tube = rigged()
    settings = settings_of(tube)
    settings.frame_object, settings.frame_bone = rig, "bone2"
    rigs.pose(rig, 3)
    y, layout = sampled(tube)
    pose = pose_in(y[pose_channel(layout)[1]])
    theirs = rigs.shown(tube)
    world_from_bone = np.array(rig.matrix_world @ rig.pose.bones["bone2"].matrix)
    seen = to_frame(pose, theirs)
    assert np.abs(seen @ world_from_bone[:3, :3].T + world_from_bone[:3, 3] - theirs).max() < 1e-5
    assert np.abs(to_world(pose, seen) - theirs).max() < 1e-5


def test_the_order_of_a_vertexs_groups_matters_where_volume_is_preserved():
    """Of bones that are turned against each other by more than half a circle."""
    rig, tube = rigged(3)
    tube.modifiers[0].use_deform_preserve_volume = True
    for vertex in tube.data.vertices:
        shares = {tube.vertex_groups[member.group]: member.weight for member in vertex.groups}
        for group in shares:
            group.remove([vertex.index])
        for group, weight in reversed(shares.items()):
            group.add([vertex.index], weight, "REPLACE")
    for bone, turn in zip(rig.pose.bones, (0.2, 2.9, 2.9), strict=True):
        bone.rotation_mode, bone.rotation_euler = "XYZ", (turn, 0.3, -0.2)
    bpy.context.view_layer.update()
    agree(tube)
    skin = skin_of(tube)
    forwards = replace(skin, order=None)
    y, layout = sampled(tube)
    moves = pose_in(y[pose_channel(layout)[1]]).moves
    rest = mesh_of(tube).rest_positions
    assert np.abs(skinning_of(forwards, rest)(moves) - rigs.shown(tube)).max() > 0.1


def test_a_mesh_keeps_its_skin_on_disk_and_its_topology_without_one(tmp_path):

    _, tube = rigged()
    tube.modifiers[0].use_deform_preserve_volume = True
    plain = mesh_of(tube)
    mesh = replace(plain, skin=skin_of(tube))
    assert mesh.topology() == plain.topology()
    write_mesh(tmp_path / "mesh.npz", mesh)
    read = read_mesh(tmp_path / "mesh.npz")
    assert read.skin.bones == mesh.skin.bones and read.skin.preserve_volume == mesh.skin.preserve_volume
    for name in ("weights", "axes", "order"):
        assert np.array_equal(getattr(read.skin, name), getattr(mesh.skin, name))
    write_mesh(tmp_path / "mesh.npz", replace(mesh, skin=replace(mesh.skin, weights=mesh.skin.weights[1:])))
    with pytest.raises(Problem, match="skin weights must be"):
        read_mesh(tmp_path / "mesh.npz")


def unbind(rig, tube):
    tube.modifiers[0].use_vertex_groups = False


def envelopes(rig, tube):
    tube.modifiers[0].use_bone_envelopes = True


def wave(rig, tube):
    tube.modifiers.new("Cast", "CAST")


def divide(rig, tube):
    for bone in rig.data.bones:
        bone.bbone_segments = 32


def forget(rig, tube):
    settings_of(tube).interactions.clear()


@pytest.mark.parametrize(
    "change,sentence",
    [
        (unbind, "no bone deforms it"),
        (envelopes, "also binds it to bone envelopes"),
        (wave, "its modifier Cast deforms it too"),
        (divide, "99 bones and ends of their segments move it, where 50 may"),
        (forget, "does not react to its armature Rig"),
    ],
)
def test_what_cannot_be_followed_exactly_is_refused_in_a_sentence(change, sentence, monkeypatch):
    monkeypatch.setattr(skins, "MOST_JOINTS", 50)
    rig, tube = rigged(3)
    check_skin(tube)
    change(rig, tube)
    with pytest.raises(Problem, match=sentence):
        check_skin(tube)
    settings_of(tube).method = "subspace_physics"
    check_skin(tube)


def test_vertices_are_read_once_for_all_bendy_bones_that_weigh_on_any(monkeypatch):
    rig, tube = rigged(6)
    for bone in rig.data.bones:
        bone.bbone_segments = 4
    read, read_mesh_of = [], joint_weights.mesh_of
    monkeypatch.setattr(joint_weights, "mesh_of", lambda obj: read.append(obj) or read_mesh_of(obj))
    agree(tube, 1e-5)
    assert len(read) == 1
    for group in tube.vertex_groups:
        group.remove(range(len(tube.data.vertices)))
    read.clear()
    assert not skin_of(tube).weights.any() and not read


@pytest.mark.parametrize("inverted", [False, True])
def test_loose_vertices_are_counted_without_the_skin_that_they_are_loose_in(inverted, monkeypatch):
    _, tube = rigged()
    for group in tube.vertex_groups:
        group.remove([3, 20])
    share = tube.vertex_groups.new(name="Share")
    share.add([5, 6, 7], 1.0, "REPLACE")
    share.add([8], 0.5, "REPLACE")
    for name in ("", "Share"):
        tube.modifiers[0].vertex_group, tube.modifiers[0].invert_vertex_group = name, inverted
        loose = int((skin_of(tube).weights.sum(1) <= 0.0).sum())
        with monkeypatch.context() as patch:
            patch.setattr(skins, "skin_by", None)
            assert count_loose(tube) == loose >= 2


def test_more_weights_than_a_file_can_hold_are_refused_and_as_many_are_not(monkeypatch):
    """Of all vertices and all bones, most of which are 0."""
    _, tube = rigged(3)
    monkeypatch.setattr(skins, "MOST_WEIGHTS", 3 * len(tube.data.vertices))
    skin_of(tube)
    monkeypatch.setattr(skins, "MOST_WEIGHTS", 3 * len(tube.data.vertices) - 1)
    with pytest.raises(Problem, match="too many vertices for so many bones") as caught:
        skin_of(tube)
    assert caught.value.code == "skin_unusable"


def test_a_pose_of_as_many_joints_as_may_be_can_be_read_again():
    _, tube = rigged()
    channel = next(c for c in layout_of(tube).channels if c.kind == "pose")
    size = channel.size + POSE_ROWS * (skins.MOST_JOINTS - len(channel.parts))
    assert LARGEST_LAYOUT - POSE_ROWS < size <= LARGEST_LAYOUT
