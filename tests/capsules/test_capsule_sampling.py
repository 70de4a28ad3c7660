"""Where capsules are: against matrices worked out by hand, and against the body as Blender bends it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from math import pi

import bpy
from bodies import add_limb, bend, in_world
from scenes import add_cloth, add_empty, add_rig, empty_scene, set_frame

from neural_physics.blender.modelling.capsule_fitting import fit_capsules
from neural_physics.blender.scene.capsule_sampling import CapsuleSampler
from neural_physics.blender.scene.references import search_again
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem


@pytest.fixture
def cloth():
    empty_scene()
    return add_cloth()


def add_capsule(obj, source, bone="", end=(0.0, 1.0, 0.0), radii=(0.2, 0.1)):
    item = settings_of(obj).capsules.add()
    item.name, item.source, item.bone = bone or source.name, source, bone
    item.start, item.end = (0.0, 0.0, 0.0), end
    item.start_radius, item.end_radius = radii
    return item


def sample(obj, frame=1):
    return CapsuleSampler(obj).sample(set_frame(frame))


def ends_of(capsules):
    return np.stack([capsules.starts, capsules.starts + capsules.lengths[:, None] * capsules.axes], 1)


def end_radii(capsules):
    return capsules.radii - capsules.slopes * capsules.lengths


def test_a_capsule_follows_its_bone_as_it_is_posed(cloth):
    rig = add_rig()
    rig.location = (0.0, 0.0, 10.0)
    bend(rig, pi / 2)
    add_capsule(cloth, rig, "lower")
    add_capsule(cloth, rig, "upper")
    capsules, depth = sample(cloth)
    tip = np.array(rig.matrix_world @ rig.pose.bones["upper"].tail)
    assert abs(tip[2] - 11.0) < 1e-5  # it lies flat
    assert ends_of(capsules)[0] == pytest.approx(np.array([(0, 0, 10), (0, 0, 11)]), abs=1e-5)
    assert ends_of(capsules)[1] == pytest.approx(np.array([(0, 0, 11), tip]), abs=1e-5)
    assert capsules.radii == pytest.approx([0.2, 0.2], abs=1e-6)
    assert end_radii(capsules) == pytest.approx([0.1, 0.1], abs=1e-6)
    assert depth == pytest.approx(0.05)


def test_in_the_axes_of_an_object_twice_as_large_all_is_half(cloth):
    cloth.location, cloth.rotation_euler.z, cloth.scale = (1.0, 2.0, 3.0), pi / 2, (2.0, 2.0, 2.0)
    stick = add_empty("Stick", (1.0, 4.0, 3.0))
    add_capsule(cloth, stick)
    capsules, depth = sample(cloth)
    # 2 m along the world's Y is 2 m along the object's X, which is twice as long as the world's.
    assert ends_of(capsules)[0] == pytest.approx(np.array([(1, 0, 0), (1.5, 0, 0)]), abs=1e-6)
    assert capsules.radii == pytest.approx([0.1]) and end_radii(capsules) == pytest.approx([0.05])
    assert depth == pytest.approx(0.025)


def test_a_carrier_of_uneven_scale_gives_the_circle_of_the_same_area(cloth):
    stick = add_empty("Stick")
    stick.scale = (4.0, 3.0, 1.0)  # along it, 3; across, 4 and 1
    add_capsule(cloth, stick)
    add_capsule(cloth, stick, end=(0.0, 0.0, 0.0), radii=(0.1, 0.1))
    capsules, _ = sample(cloth)
    assert capsules.lengths == pytest.approx([3.0, 0.0])
    assert capsules.radii == pytest.approx([0.4, 0.1 * 12 ** (1 / 3)])


def test_a_bone_that_stretches_and_keeps_its_volume_gets_thinner(cloth):
    rig = add_rig()
    rig.pose.bones["upper"].scale = (0.5, 4.0, 0.5)
    add_capsule(cloth, rig, "upper")
    capsules, _ = sample(cloth)
    assert capsules.lengths == pytest.approx([4.0], abs=1e-5)
    assert capsules.radii == pytest.approx([0.1], abs=1e-6)


def test_what_is_scaled_to_nothing_or_mirrored_still_gives_numbers(cloth):
    stick = add_empty("Stick")
    add_capsule(cloth, stick)
    stick.scale = (0.0, 0.0, 0.0)
    assert sample(cloth)[0].radii == pytest.approx([0.0])
    stick.scale = (-1.0, 1.0, 1.0)
    assert sample(cloth)[0].radii == pytest.approx([0.2])


@pytest.mark.parametrize("angle", [0.0, pi / 4, pi / 2])
def test_the_share_asked_for_stays_inside_when_the_body_bends(cloth, angle):
    limb, rig = add_limb()
    limb.parent = rig
    fit_capsules(cloth, [rig])
    cloth.location, cloth.rotation_euler, cloth.scale = (0.5, 0.2, 1.0), (0.4, 0.1, 0.9), (0.5, 0.5, 0.5)
    rig.location, rig.rotation_euler = (2.0, -1.0, 0.5), (0.2, 0.5, -0.3)
    bend(rig, angle)
    depsgraph = set_frame(1)
    capsules, _ = CapsuleSampler(cloth).sample(depsgraph)
    world = np.array(cloth.matrix_world.inverted())
    points = (in_world(limb, depsgraph) @ world[:3, :3].T + world[:3, 3]).astype(np.float32)
    heights = np.array([vertex.co.z for vertex in limb.data.vertices])
    for k, own in enumerate((heights < 1.0, heights >= 1.0)):
        inside = capsules.distance(k, points[own])[0] <= 1e-5
        assert 0.88 <= inside.mean() <= 1.0


def test_a_moving_carrier_is_seen_where_the_frame_has_it(cloth):
    stick = add_empty("Stick")
    for frame, x in ((1, 0.0), (11, 5.0)):
        stick.location.x = x
        stick.keyframe_insert("location", frame=frame)
    add_capsule(cloth, stick)
    sampler = CapsuleSampler(cloth)
    assert sampler.sample(set_frame(1))[0].starts[0, 0] == pytest.approx(0.0)
    assert sampler.sample(set_frame(11))[0].starts[0, 0] == pytest.approx(5.0)


def test_only_capsules_that_are_switched_on_are_sampled(cloth):
    stick = add_empty("Stick")
    add_capsule(cloth, stick)
    add_capsule(cloth, stick).enabled = False
    assert len(CapsuleSampler(cloth)) == len(sample(cloth)[0]) == 1
    settings_of(cloth).projection.enabled = False
    assert len(CapsuleSampler(cloth)) == len(sample(cloth)[0]) == 0


def test_renamed_carriers_are_found_again_and_lost_ones_are_reported(cloth):
    rig, stick = add_rig(), add_empty("Stick")
    add_capsule(cloth, rig, "upper")
    add_capsule(cloth, stick)
    sampler = CapsuleSampler(cloth)
    first = ends_of(sampler.sample(set_frame(1))[0])
    stick.name = "Staff"
    add_empty("Aardvark")
    search_again()
    assert np.array_equal(ends_of(sampler.sample(set_frame(1))[0]), first)
    bpy.data.objects.remove(stick)
    with pytest.raises(Problem, match="The capsule Stick of Sheet has lost the object or bone"):
        sampler.sample(set_frame(1))
    with pytest.raises(Problem, match="Stick"):
        CapsuleSampler(cloth)


def test_a_rig_that_is_edited_is_read_anew(cloth):
    rig = add_rig()
    add_capsule(cloth, rig, "upper")
    sampler = CapsuleSampler(cloth)
    before = ends_of(sampler.sample(set_frame(1))[0])

    def edit(change):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        change(rig.data.edit_bones)
        bpy.ops.object.mode_set(mode="OBJECT")

    def add(bones):
        bones.new("another").tail = (1.0, 0.0, 0.0)

    edit(add)
    assert np.array_equal(ends_of(sampler.sample(set_frame(1))[0]), before)
    edit(lambda bones: bones.remove(bones["upper"]))
    with pytest.raises(Problem, match="upper"):
        sampler.sample(set_frame(1))


def test_capsules_are_saved_with_the_scene(cloth, tmp_path):
    rig = add_rig()
    add_capsule(cloth, rig, "upper").enabled = False
    settings_of(cloth).projection.depth_limit = 0.125
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    settings = settings_of(bpy.data.objects["Sheet"])
    item = settings.capsules[0]
    assert (item.source, item.bone, item.enabled) == (bpy.data.objects["Rig"], "upper", False)
    assert item.start_radius == pytest.approx(0.2) and settings.projection.depth_limit == 0.125
