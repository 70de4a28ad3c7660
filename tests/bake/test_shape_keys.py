"""Corrective shape keys of a mesh on bones, held against Blender's own (Jin 2022, section 3)."""

from __future__ import annotations

import struct

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
import rigs
from changed_blend import open_changed, open_edited
from flesh import limb
from scenes import empty_scene, react_to, set_frame
from skinned_scenes import sampled, skinned

from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.scene.rigs import shape_keys
from neural_physics.blender.scene.rigs.skins import simulated_mesh, skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.sources import group_weights
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.keyed_mesh import KeyedMesh
from neural_physics.datasets.rest_mesh import read_mesh, write_mesh
from neural_physics.errors import Problem


def keyed_tube(preserve_volume=False):
    """A tube on bones, moved, turned and scaled: a key of a vertex group that a bone drives, one of some
    vertices on top of it that goes beyond 1, one that is muted, and one that moves nothing.
    """
    empty_scene()
    rig = rigs.add_rig(5)
    tube = rigs.add_tube(rig)
    rig.location, rig.rotation_euler, rig.scale = (0.3, -0.2, 0.1), (0.1, 0.4, -0.2), (1.3, 1.3, 1.3)
    tube.location, tube.rotation_euler, tube.scale = (0.5, 0.1, 0.2), (0.0, 0.3, 0.5), (0.8, 1.1, 1.4)
    tube.modifiers[0].use_deform_preserve_volume = preserve_volume
    tube.shape_key_add(name="Basis")
    rng = np.random.default_rng(5)
    for name in ("Bulge", "Crease", "Muted", "Still"):
        key = tube.shape_key_add(name=name, from_mix=False)
        for point in key.data:
            point.co = np.array(point.co) + (0.0 if name == "Still" else 0.1) * rng.normal(size=3)
    keys = tube.data.shape_keys.key_blocks
    bulge, crease, muted = keys["Bulge"], keys["Crease"], keys["Muted"]
    crease.relative_key, crease.slider_max, crease.value = bulge, 3.0, 2.5
    for point, own in list(zip(crease.data, bulge.data, strict=True))[::2]:
        point.co = own.co
    bulge.vertex_group, bulge.slider_min = "bone2", -1.0
    muted.value, muted.mute = 1.0, True
    driver = bulge.driver_add("value").driver
    driver.type = "SUM"
    turned = driver.variables.new()
    turned.type, turned.targets[0].id = "TRANSFORMS", rig
    turned.targets[0].bone_target, turned.targets[0].transform_type = "bone2", "ROT_X"
    turned.targets[0].transform_space = "LOCAL_SPACE"
    settings = settings_of(tube)
    settings.enabled, settings.method, settings.simulation.kind = True, "quasistatic_springs", "SOLID"
    react_to(tube, rig)
    return rig, tube


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_keys_change_a_mesh_on_bones_as_in_blender(preserve_volume):
    rig, tube = keyed_tube(preserve_volume)
    for seed in range(5):
        rigs.pose(rig, seed, turn=1.2, shift=0.2)
        bpy.context.view_layer.update()
        theirs = rigs.shown(tube)
        values = tube.data.shape_keys.evaluated_get(bpy.context.evaluated_depsgraph_get()).key_blocks
        assert abs(values["Bulge"].value) > 0.01, "driven"
        tube.data.shape_keys.key_blocks["Crease"].mute = True
        assert np.abs(rigs.shown(tube) - theirs).max() > 0.1, "it shows"
        tube.data.shape_keys.key_blocks["Crease"].mute = False
        size = np.ptp(theirs, axis=0).max()
        assert np.abs(skinned(tube) - theirs).max() < 1e-5 * size


def test_only_keys_that_move_something_are_part_of_what_it_reacts_to():
    _, tube = keyed_tube()
    _, layout = sampled(tube)
    (channel,) = (channel for channel in layout.channels if channel.kind == "shape_keys")
    assert (channel.name, channel.parts) == ("Shape Keys", ("Bulge", "Crease"))
    settings_of(tube).interactions[0].name = "Shape Keys"
    assert [channel.name for channel in layout_of(tube).channels] == ["Shape Keys", "Shape Keys 2"]
    tube.data.shape_keys.use_relative = False
    assert [channel.kind for channel in layout_of(tube).channels] == ["pose"]


def test_a_key_that_is_gone_is_named_and_one_that_was_muted_later_is_at_0():
    _, tube = keyed_tube()
    layout = layout_of(tube)
    sampler = ChannelSampler(tube, layout, reference_frame_of(tube), {}, fps=24.0)
    where = layout.slices()["Shape Keys"]
    assert sampler.sample(set_frame(1), 1)[where][1] == 2.5
    keys = tube.data.shape_keys.key_blocks
    keys["Crease"].mute = True
    assert sampler.sample(set_frame(2), 2)[where][1] == 0.0
    keys["Crease"].name = "Fold"
    with pytest.raises(Problem, match="Shape Keys/Crease"):
        sampler.sample(set_frame(3), 3)


def test_keys_are_kept_with_the_mesh_and_damaged_ones_refused(tmp_path):
    _, tube = keyed_tube()
    mesh = simulated_mesh(tube)
    write_mesh(tmp_path / "mesh.npz", mesh)
    kept, keys = read_mesh(tmp_path / "mesh.npz").skin.keys, mesh.skin.keys
    assert kept.names == keys.names and np.array_equal(kept.offsets, keys.offsets)
    arrays = dict(np.load(tmp_path / "mesh.npz"))
    broken = {
        "key_names": np.array(["Bulge", "Bulge"]),
        "key_counts": arrays["key_counts"] + 1,
        "key_vertices": arrays["key_vertices"] + 1000,
        "key_offsets": np.full_like(arrays["key_offsets"], np.nan),
    }
    for name, values in broken.items():
        np.savez(tmp_path / "mesh.npz", **(arrays | {name: values}))
        with pytest.raises(Problem) as raised:
            read_mesh(tmp_path / "mesh.npz")
        assert raised.value.code == "dataset_damaged"


def test_changed_keys_are_told_from_those_that_a_dataset_was_baked_with():
    _, tube = keyed_tube()
    scene, keys = bpy.context.scene, tube.data.shape_keys.key_blocks
    before = made_with(scene, tube)
    keys["Crease"].value = 0.5
    assert made_with(scene, tube) == before, "values are in the takes"
    keys["Crease"].data[1].co.x += 0.1
    assert made_with(scene, tube) != before


def test_a_simulated_mesh_is_keyed_where_its_bones_take_it():
    """The mesh of a body in a moved reference frame, against Blender's, with and without its key."""
    flesh = limb(poses=1)
    flesh.shape_key_add(name="Basis")
    bulge = flesh.shape_key_add(name="Bulge")
    for point in bulge.data:
        point.co = 1.1 * np.array(point.co)
    bulge.value = 0.0
    settings_of(flesh).frame_object = rig = bpy.data.objects["Rig"]
    rig.location = (0.4, -0.3, 0.2)
    rig.pose.bones["upper"].rotation_mode, rig.pose.bones["upper"].rotation_euler = "XYZ", (0.5, 0.2, 0.1)
    bpy.context.view_layer.update()
    without = rigs.shown(flesh)
    bulge.value = 0.7
    bpy.context.view_layer.update()
    layout = layout_of(flesh)
    sampler = ChannelSampler(flesh, layout, reference_frame_of(flesh), {}, fps=24.0)
    y = sampler.sample(set_frame(1), 1).copy()
    to_frame = sampler.frame_from_world()
    stored = (without @ to_frame[:3, :3].T + to_frame[:3, 3]).astype(np.float32)
    KeyedMesh(simulated_mesh(flesh), layout).add_to(stored, y, to_frame)
    theirs = rigs.shown(flesh)
    assert np.abs(theirs - without).max() > 0.05
    assert np.abs(stored - (theirs @ to_frame[:3, :3].T + to_frame[:3, 3])).max() < 1e-5


def test_vertices_are_asked_for_their_groups_once_for_all_keys_and_only_if_any_moves_them(monkeypatch):
    _, tube = keyed_tube()
    asked, members = [], shape_keys.members_of
    monkeypatch.setattr(shape_keys, "members_of", lambda *args: asked.append(args) or members(*args))
    names = shape_keys.key_names(tube)
    for number in range(20):
        key = tube.shape_key_add(name=f"More {number}", from_mix=False)
        key.data[3].co.x += 0.1
        key.vertex_group = f"bone{number % 3}"
    asked.clear()
    found = shape_keys.shape_keys_of(tube)
    assert len(asked) == 1 and found.names[:2] == names and len(found.names) > 2
    for key, (vertices, offsets) in zip(found.names[2:], list(found.each())[2:], strict=True):
        group = tube.data.shape_keys.key_blocks[key].vertex_group
        assert vertices.tolist() == [3]
        assert offsets[0, 0] == pytest.approx(0.1 * group_weights(tube, group, 0.0)[3], rel=1e-5)
    for key in tube.data.shape_keys.key_blocks:
        key.mute = key.name != "Still"
    asked.clear()
    assert shape_keys.key_names(tube) == () and not asked


def test_more_keys_than_can_be_carried_are_refused(monkeypatch):
    _, tube = keyed_tube()
    monkeypatch.setattr(shape_keys, "MOST_KEYS", 3)
    layout_of(tube)
    tube.shape_key_add(name="One more", from_mix=False)
    for ask in (layout_of, skin_of):
        with pytest.raises(Problem, match="shape keys") as caught:
            ask(tube)
        assert caught.value.code == "skin_unusable"
    monkeypatch.setattr(shape_keys, "MOST_KEYS", 4)
    monkeypatch.setattr(shape_keys, "MOST_OFFSETS", 10)
    with pytest.raises(Problem, match="vertices together, where 10 may be moved") as caught:
        skin_of(tube)
    assert caught.value.code == "skin_unusable"


@pytest.mark.parametrize("at", ["before", "after", "none"])
def test_keys_of_another_mesh_are_refused(at):
    """Blender keeps them where a script adds vertices; keys that were made before have none for these."""
    _, tube = keyed_tube()
    count = len(tube.data.vertices)
    if at == "none":
        for key in tube.data.shape_keys.key_blocks:
            key.mute = True
    tube.data.vertices.add(10)
    if at == "after":
        tube.shape_key_add(name="Later", from_mix=False)
    if at == "none":
        assert shape_keys.key_names(tube) == ()
        return
    for ask in (layout_of, skin_of):
        with pytest.raises(Problem, match=f"Bulge has {count} vertices in place of {count + 10}") as caught:
            ask(tube)
        assert caught.value.code == "skin_unusable"


def test_two_keys_of_one_name_as_only_a_changed_file_has_them_are_refused(tmp_path):
    keyed_tube()
    open_changed(tmp_path / "scene.blend", {b"Crease\0": b"Bulge\0\0"})
    with pytest.raises(Problem, match="two of its shape keys have one name"):
        layout_of(bpy.data.objects["Tube"])


def test_a_key_relative_to_one_that_is_not_there_is_left_out_as_blender_does(tmp_path):
    keyed_tube()

    def relative_to_none(data):
        struct.pack_into("<h", data, data.index(b"Crease\0") - 20, 77)  # `relative`, before the name

    open_edited(tmp_path / "scene.blend", relative_to_none)
    tube = bpy.data.objects["Tube"]
    crease = tube.data.shape_keys.key_blocks["Crease"]
    assert crease.relative_key is None and crease.value == 2.5
    with_it = rigs.shown(tube)
    crease.mute = True
    assert np.array_equal(rigs.shown(tube), with_it)
    crease.mute = False
    assert shape_keys.key_names(tube) == ("Bulge",) and skin_of(tube).keys.names == ("Bulge",)
