"""The character, its actions, and what it wears, in Blender's own simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy

from neural_physics.blender.baking.motion.training_motion import check_training_motion
from neural_physics.blender.examples.characters.character import add_character, limbs
from neural_physics.blender.examples.characters.character_motion import ACTIONS
from neural_physics.blender.examples.characters.posing import add_actions
from neural_physics.blender.examples.cloth import cape, skirt, three_garments
from neural_physics.blender.scene.capsule_sampling import CapsuleSampler
from neural_physics.blender.scene.companions import companions
from neural_physics.blender.scene.layers import check_layers, layers_below
from neural_physics.blender.scene.rigs.rig_actions import actions_of, actions_played, curves_of
from neural_physics.blender.scene.sampling import layout_of, reference_frame_of
from neural_physics.blender.scene.sources import check_target, faces_of, mesh_of, read_positions
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.layers.surface import Surface


@pytest.fixture
def scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    return bpy.context.scene


def in_world(obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    return read_positions(evaluated.data) @ matrix[:3, :3].T + matrix[:3, 3]


def test_the_character_stands_on_the_ground_and_every_vertex_follows_a_bone(scene):
    rig = add_character(scene, scene.collection)
    body = bpy.data.objects["Body"]
    assert len(rig.data.bones) == len(limbs()) == 19
    heights = in_world(body)[:, 2]
    assert -0.02 < heights.min() < 0.05 and 1.7 < heights.max() < 1.9
    for vertex in body.data.vertices:
        assert sum(membership.weight for membership in vertex.groups) == pytest.approx(1.0, abs=1e-5)


def test_what_is_left_and_right_is_mirrored(scene):
    rig = add_character(scene, scene.collection)
    for bone in rig.data.bones:
        if bone.name.endswith(".L"):
            other = rig.data.bones[bone.name.replace(".L", ".R")]
            assert bone.head_local[0] > 0.0
            assert np.array(other.tail_local) == pytest.approx(np.array(bone.tail_local) * (-1, 1, 1))


def test_every_action_moves_the_body_and_ends_as_it_began(scene):
    rig = add_character(scene, scene.collection)
    body = bpy.data.objects["Body"]
    assert [action.name for action in add_actions(rig, ACTIONS)] == list(ACTIONS)
    assert {action.name for action in actions_of(rig)} == set(ACTIONS)
    still = in_world(body)
    for action in actions_of(rig):
        rig.animation_data.action = action
        rig.animation_data.action_slot = action.slots[0]
        first, last = (round(frame) for frame in action.frame_range)
        moved = []
        for frame in (first, (first + last) // 3, last):
            scene.frame_set(frame)
            moved.append(np.abs(in_world(body) - still).max())
        assert moved[0] < 1e-4 and moved[2] < 1e-4
        assert 0.1 < moved[1] < 2.0


@pytest.mark.parametrize(("example", "bone"), [(cape, "neck"), (skirt, "hips")])
def test_a_garment_is_ready_for_bake(scene, example, bone):
    garment = example.build(scene)
    check_target(garment)
    check_training_motion(garment)
    assert reference_frame_of(garment) == f"Character/{bone}"
    kinds = [channel.kind for channel in layout_of(garment).channels]
    assert kinds[:2] == ["joints", "ground"] and "angular_acceleration" in kinds
    assert len(settings_of(garment).capsules) >= 17
    assert 0 < mesh_of(garment).pins.sum() < len(garment.data.vertices) / 10


@pytest.mark.parametrize(("example", "points"), [(cape, 21), (skirt, 32)])
def test_a_garment_hangs_on_the_character_while_it_walks_and_stays_out_of_its_capsules(
    scene, example, points
):
    garment = example.build(scene, points)
    pins = mesh_of(garment).pins == 1.0
    sampler = CapsuleSampler(garment)
    for frame in range(1, 61):
        scene.frame_set(frame)
        shape = in_world(garment)
        if frame == 1:
            first = shape
        assert np.isfinite(shape).all()
    assert np.abs(shape - first)[~pins].max() > 0.1
    assert 1e-3 < np.abs(shape - first)[pins].max() < 0.2  # the bone carries them
    assert shape[:, 2].min() > 0.1
    depsgraph = bpy.context.evaluated_depsgraph_get()
    capsules, depth = sampler.sample(depsgraph)
    own = read_positions(garment.evaluated_get(depsgraph).data)
    distances = np.min([capsules.distance(k, own)[0] for k in range(len(capsules))], axis=0)
    assert (distances < 0.0).mean() < 0.1
    assert distances.min() > -depth


def test_each_of_three_garments_sees_what_is_below_it_and_all_can_be_baked_together(scene):
    cape = three_garments.build(scene)
    worn = {obj.name: obj for obj in scene.objects if settings_of(obj).enabled}
    assert list(worn) == ["Skirt", "Tunic", "Cape", "Hair"]
    below: list[str] = []
    for name, garment in worn.items():
        check_target(garment)
        check_layers(garment)
        assert [layer.name for layer in layers_below(garment)] == below
        seen = garment.modifiers["Cloth"].collision_settings.collection
        assert {obj.name for obj in seen.objects} == {"Body", *below}
        below.append(name)
    bpy.context.view_layer.update()
    assert {obj.name for obj in companions(bpy.context.view_layer, cape)} == set(worn) - {"Cape"}
    assert all(settings_of(obj).bake_together for obj in worn.values())


@pytest.mark.slow
def test_three_garments_and_hair_stay_over_each_other_while_the_character_walks(scene):
    three_garments.build(scene, 25)
    worn = [bpy.data.objects[name] for name in ("Skirt", "Tunic", "Cape")]
    for frame in range(1, 41):
        scene.frame_set(frame)
    for inner, outer in pairwise(worn):
        mesh = inner.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        corners, sizes = faces_of(mesh)
        below = Surface(in_world(inner), corners, sizes)
        below.place(in_world(inner))
        near = below.near(in_world(outer), 0.05)
        assert len(near.at) > 20
        assert (near.heights < -0.002).mean() < 0.1


def test_characters_in_one_scene_share_their_actions_so_that_what_is_kept_stays_unseen(scene):
    worn = [settings_of(example.build(scene)).interactions[0] for example in (cape, skirt)]
    assert {action.name for action in bpy.data.actions} == set(ACTIONS)
    for item in worn:
        assert [action.name for action in actions_played(item, "test")] == ["Walk"]
        learned = {action.name for action in actions_played(item, "training")}
        assert learned == set(ACTIONS) - {"Walk"}


def test_a_jump_never_falls_faster_than_things_fall(scene):
    rig = add_character(scene, scene.collection)
    add_actions(rig, ACTIONS)
    curves = curves_of(bpy.data.actions["Jump"], rig)
    (curve,) = [c for (path, i), c in curves.items() if "location" in path and i == 1]
    heights = np.array(
        [curve.evaluate(frame) for frame in range(1, 60)]
    )  # along the bone, which stands upright
    assert np.ptp(heights) > 0.5
    assert np.diff(heights, 2).min() * 24.0**2 > -15.0  # m/s²; the cloth would be thrown over the head
