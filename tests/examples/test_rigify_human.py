"""Rigify Human: a rig that is Rigify's, a closed body, actions by its controls, and nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bmesh
import bpy
from mathutils import Quaternion

from neural_physics.blender.baking.motion.training_motion import check_training_motion
from neural_physics.blender.examples import build
from neural_physics.blender.examples.rigify import generating, human
from neural_physics.blender.examples.rigify.human_motion import ACTIONS
from neural_physics.blender.scene.layers import check_layers, layers_below
from neural_physics.blender.scene.rigs.main_control import hold_main_control
from neural_physics.blender.scene.rigs.repeatability import check_rigs_repeat
from neural_physics.blender.scene.rigs.rig_actions import actions_of, actions_played, curves_of
from neural_physics.blender.scene.rigs.skins import check_skin
from neural_physics.blender.scene.rigs.vertex_weights import bone_weights
from neural_physics.blender.scene.sampling import layout_of, reference_frame_of
from neural_physics.blender.scene.sources import check_target, mesh_of, read_positions
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.own_folders import scratch_folder
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import PROBLEMS, Problem

CONTROLS = {
    "root",
    "torso",
    "chest",
    "hips",
    "head",
    "thigh_fk.L",
    "hand_ik.R",
    "foot_ik.L",
    "upper_arm_parent.R",
}
MOVED = 0.02  # metres, by a bone that is turned by a fifth of a turn


def opened() -> bpy.types.Scene:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    return bpy.context.scene


@pytest.fixture(scope="module")
def skirt() -> Iterator[bpy.types.Object]:
    """The example in an empty file; its actions are at rest, its cloth is not simulated."""
    built = build("RIGIFY_HUMAN", opened())
    rig_of(built).animation_data.use_nla = False
    built.modifiers["Cloth"].show_viewport = False
    bpy.context.view_layer.update()
    yield built


def rig_of(obj: bpy.types.Object) -> bpy.types.Object:
    return settings_of(obj).interactions[0].object


def body_of(skirt: bpy.types.Object) -> bpy.types.Object:
    return layers_below(skirt)[0]


def shown(obj: bpy.types.Object, frame: int | None = None) -> np.ndarray:
    """(V, 3) metres: where bones carry it."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    return read_positions(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)


def test_the_rig_has_rigifys_controls_and_what_moves_them(skirt):
    rig = rig_of(skirt)
    assert rig.name == "Rigify Human Rig" and set(rig.pose.bones.keys()) >= CONTROLS
    assert all(rig.pose.bones[name].custom_shape for name in CONTROLS)
    assert "rig_id" in rig.data, "by which Rigify knows its own"
    assert len(rig.animation_data.drivers) > 50
    deforming = [bone.name for bone in rig.data.bones if bone.use_deform]
    assert len(deforming) == 35 and all(name.startswith("DEF-") for name in deforming)
    assert sum(rig.data.bones[name].bbone_segments > 1 for name in deforming) > 15


def test_who_grabs_the_rig_holds_its_torso(skirt):
    rig = rig_of(skirt)
    before = shown(body_of(skirt), 1)
    assert hold_main_control(rig).name == rig.data.bones.active.name == "torso"
    rig.pose.bones["torso"].location.y += 0.5
    moved = np.linalg.norm(shown(body_of(skirt)) - before, axis=1)
    rig.pose.bones["torso"].location.y -= 0.5
    assert np.median(moved) > 0.4, "the whole character, but for its feet"
    rig.data.bones.active = rig.data.bones["chest"]
    assert hold_main_control(rig).name == "chest"
    rig.data.bones.active = rig.data.bones["DEF-spine"]
    assert hold_main_control(rig).name == "torso", "what is hidden is not held"
    rig.data.bones.active = None


def test_nothing_of_rigify_is_left_in_this_blender(skirt):
    assert not bpy.data.texts, "nobody's Python comes along"
    assert not bpy.data.libraries
    assert not set(rig_of(skirt).keys()) & {"rig_ui"}
    assert "rigify" not in bpy.context.preferences.addons
    assert not hasattr(bpy.types.PoseBone, "rigify_type") and not hasattr(
        bpy.types, "POSE_OT_rigify_generate"
    )
    assert not any(scratch_folder().rglob("rig.blend"))
    # The shapes of controls are in no scene, as Blender's own files of rigs have them hidden.
    assert {obj.type for obj in bpy.context.scene.objects} == {"ARMATURE", "MESH", "CAMERA", "LIGHT"}
    assert not [obj for obj in bpy.context.scene.objects if obj.name.startswith("WGT")]


def test_the_body_is_one_closed_surface(skirt):
    shape = bmesh.new()
    shape.from_mesh(body_of(skirt).data)
    assert all(edge.is_manifold for edge in shape.edges)
    assert shape.calc_volume(signed=True) > 0.05
    left, pieces = set(shape.verts), 0
    while left:
        pieces += 1
        reached = [left.pop()]
        while reached:
            here = reached.pop()
            near = {edge.other_vert(here) for edge in here.link_edges} & left
            left -= near
            reached += near
    assert pieces == 1
    shape.free()
    heights = read_positions(body_of(skirt).data)[:, 2]
    assert -0.03 < heights.min() < 0.02 and 1.9 < heights.max() < 2.1


def test_each_deforming_bone_moves_the_body(skirt):
    body, rig = body_of(skirt), rig_of(skirt)
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    rows = bone_weights(body, {name: number for number, name in enumerate(names)})
    weights = np.zeros((len(body.data.vertices), len(names)))
    weights[rows.vertices, rows.bones] = rows.weights
    np.testing.assert_allclose(weights.sum(1), 1.0, atol=1e-5)
    weak = [name for name, most in zip(names, weights.max(0), strict=True) if most < 0.25]
    assert not weak
    assert sorted(body.vertex_groups.keys()) == sorted(names)


@pytest.mark.parametrize(
    "control",
    [
        "torso",
        "chest",
        "hips",
        "head",
        "upper_arm_fk.L",
        "forearm_fk.R",
        "thigh_fk.R",
        "shin_fk.L",
        "foot_fk.R",
    ],
)
def test_controls_move_the_body(skirt, control):
    body, bone = body_of(skirt), rig_of(skirt).pose.bones[control]
    still = shown(body)
    bone.rotation_quaternion = Quaternion((1.0, 0.0, 0.0), 1.0)
    assert np.abs(shown(body) - still).max() > MOVED
    bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(shown(body), still, atol=1e-5)


def test_every_action_moves_controls_alone_and_ends_as_it_began(skirt):
    body, rig = body_of(skirt), rig_of(skirt)
    controls = {bone.name for bone in rig.pose.bones if bone.custom_shape}
    assert {action.name for action in actions_of(rig)} == set(ACTIONS)
    still = read_positions(body.data)
    for action in actions_of(rig):
        paths = {path for path, _ in curves_of(action, rig)}
        assert {path.split('"')[1] for path in paths} <= controls
        rig.animation_data.action, rig.animation_data.action_slot = action, action.slots[0]
        first, last = (round(frame) for frame in action.frame_range)
        moved = [np.abs(shown(body, frame) - still).max() for frame in (first, (first + last) // 3, last)]
        assert moved[0] < 1e-4 and moved[2] < 1e-4 and 0.1 < moved[1] < 2.0
    rig.animation_data.action = None
    shown(body, 1)


def test_feet_stay_near_the_ground_but_in_a_jump(skirt):
    body, rig = body_of(skirt), rig_of(skirt)
    for name in set(ACTIONS) - {"Jump"}:
        action = bpy.data.actions[name]
        rig.animation_data.action, rig.animation_data.action_slot = action, action.slots[0]
        first, last = (round(frame) for frame in action.frame_range)
        lowest = [shown(body, frame)[:, 2].min() for frame in range(first, last, 5)]
        assert min(lowest) > -0.16 and max(lowest) < 0.12, (name, min(lowest), max(lowest))
    rig.animation_data.action = None
    shown(body, 1)


def test_skirt_and_belly_are_ready_for_bake(skirt):
    body, cloth = body_of(skirt), skirt.modifiers["Cloth"]
    cloth.show_viewport = True
    for obj in (skirt, body):
        check_target(obj)
        check_training_motion(obj)
        (item,) = settings_of(obj).interactions
        assert [action.name for action in actions_played(item, "test")] == ["Walk"]
        assert {action.name for action in actions_played(item, "training")} == set(ACTIONS) - {"Walk"}
    check_skin(body)
    check_layers(skirt)
    check_rigs_repeat(bpy.context.scene, body, 1)
    assert settings_of(skirt).method == "subspace_physics" and settings_of(skirt).simulation.kind == "BLENDER"
    assert settings_of(body).method == "quasistatic_springs" and settings_of(body).simulation.kind == "SOLID"
    assert reference_frame_of(skirt) == "Rigify Human Rig/DEF-spine"
    near = {bone.name for bone in settings_of(skirt).interactions[0].bones}
    assert {"DEF-thigh.L", "DEF-thigh.R.001"} <= near
    assert not any(name.startswith(("DEF-hand", "DEF-upper_arm", "DEF-toe")) for name in near)
    assert layout_of(skirt).size < 300
    cloth.show_viewport = False
    assert body.collision.use and 0 < mesh_of(skirt).pins.sum() < len(skirt.data.vertices) / 10


@pytest.mark.once
@pytest.mark.slow
def test_the_skirt_hangs_on_the_hips_outside_the_body_while_it_dances(skirt):
    rig, cloth = rig_of(skirt), skirt.modifiers["Cloth"]
    rig.animation_data.use_nla = cloth.show_viewport = True
    body, pins = body_of(skirt), mesh_of(skirt).pins == 1.0
    first = shown(skirt, 1)
    inside = []
    for frame in range(2, 61):
        shape = shown(skirt, frame)
        assert np.isfinite(shape).all() and shape[:, 2].min() > 0.2
        carried = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for place in shape[::7].tolist():
            found, nearest, normal, _ = carried.closest_point_on_mesh(place)
            inside.append(found and (np.array(nearest) - place) @ np.array(normal) > 0.01)
    assert np.abs(shape - first)[~pins].max() > 0.1
    assert np.mean(inside) < 0.02
    rig.animation_data.use_nla = cloth.show_viewport = False
    shown(skirt, 1)


@pytest.mark.once
def test_two_of_them_share_nothing_but_actions():
    scene = opened()
    skirts = [build("RIGIFY_HUMAN", scene) for _ in range(2)]
    for parts in zip(*([skirt, body_of(skirt), rig_of(skirt)] for skirt in skirts), strict=True):
        assert parts[0] != parts[1] and parts[0].data != parts[1].data
    rigs = [rig_of(skirt) for skirt in skirts]
    shapes = [{bone.custom_shape for bone in rig.pose.bones} - {None} for rig in rigs]
    assert not shapes[0] & shapes[1]
    assert {action.name for action in bpy.data.actions} == set(ACTIONS)
    for skirt, rig in zip(skirts, rigs, strict=True):
        for driver in rig.animation_data.drivers:
            targets = [target.id for variable in driver.driver.variables for target in variable.targets]
            assert all(target in (rig, rig.data) for target in targets)
        assert rig_of(body_of(skirt)) == settings_of(skirt).frame_object == rig
        rig.animation_data.use_nla = False
    before = shown(body_of(skirts[1]))
    rigs[0].pose.bones["torso"].location.z = 0.5
    assert np.abs(shown(body_of(skirts[0])) - before).max() > 0.4
    assert np.array_equal(shown(body_of(skirts[1])), before)


def test_without_rigify_one_sentence_says_so_and_nothing_is_added(monkeypatch, tmp_path):
    scene = opened()
    without = tmp_path / "without_rigify.py"
    without.write_text(
        "import runpy\nimport bpy\nimport addon_utils\naddon_utils.enable = lambda *names, **options: None\n"
        f"runpy.run_path({str(generating.WORKER)!r}, run_name='__main__')\n"
    )
    monkeypatch.setattr(generating, "WORKER", without)
    with pytest.raises(Problem) as caught:
        human.build(scene)
    assert caught.value.code == "rigify_missing" and caught.value.message == PROBLEMS["rigify_missing"]
    assert not scene.objects and not bpy.data.armatures and not bpy.data.collections
    assert not any(scratch_folder().rglob("rig*"))


def test_it_can_be_given_up_while_the_rig_is_made():
    opened()
    making = human.begin()
    making.start()
    assert making.state.active
    making.close()
    with pytest.raises(Problem):
        making.rig()
    assert not any(scratch_folder().rglob("rig*"))
