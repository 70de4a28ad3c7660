"""What a dataset says of gravity, of balls, and of what else may act."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from scenes import add_ball, add_cloth, add_rig, bpy, empty_scene, react_to, settings_of

from neural_physics.blender.baking.acting import only_channels_act
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.baking.surroundings import ball_radii, gravity_of
from neural_physics.blender.scene.sampling import layout_of
from neural_physics.datasets.takes import Dataset


def scene_with_ball() -> tuple[bpy.types.Object, bpy.types.Object]:
    empty_scene()
    cloth, ball = add_cloth(), add_ball()
    react_to(cloth, ball)
    return cloth, ball


def radius_of(ball: bpy.types.Object) -> float:
    return (ball.data.vertices[0].co * ball.scale.x).length


def test_gravity_is_given_in_the_axes_of_a_rotated_object_or_of_its_frame():
    cloth, ball = scene_with_ball()
    cloth.rotation_euler = (pi / 2, 0, 0)
    ball.rotation_euler = (0, pi / 2, 0)
    bpy.context.view_layer.update()
    assert gravity_of(bpy.context.scene, cloth) == pytest.approx((0, -9.81, 0), abs=1e-5)
    settings_of(cloth).frame_object = ball
    assert gravity_of(bpy.context.scene, cloth) == pytest.approx((9.81, 0, 0), abs=1e-5)
    bpy.context.scene.use_gravity = False
    assert gravity_of(bpy.context.scene, cloth) == (0, 0, 0)


def test_gravity_and_radii_are_given_in_the_axes_of_the_frame_bone():
    cloth, ball = scene_with_ball()
    rig = add_rig()
    settings_of(cloth).frame_object, settings_of(cloth).frame_bone = rig, "lower"
    bone = rig.pose.bones["lower"]
    bone.rotation_mode, bone.rotation_euler = "XYZ", (0.3, 0.7, -0.4)
    rig.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    axes = np.array(rig.matrix_world @ bone.matrix)[:3, :3]
    expected = np.linalg.solve(axes, [0, 0, -9.81])
    assert gravity_of(bpy.context.scene, cloth) == pytest.approx(expected, abs=1e-5)
    (radius,) = ball_radii(bpy.context.scene, cloth, layout_of(cloth)).values()
    assert radius == pytest.approx(radius_of(ball) / 2, rel=0.05)


def test_a_balls_radius_is_found_in_the_objects_units_and_a_box_has_none():
    cloth, ball = scene_with_ball()
    layout = layout_of(cloth)
    expected = radius_of(ball)
    found = ball_radii(bpy.context.scene, cloth, layout)
    assert list(found.values()) == pytest.approx([expected], rel=0.05)
    cloth.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    assert next(iter(ball_radii(bpy.context.scene, cloth, layout).values())) == pytest.approx(
        expected / 2, rel=0.05
    )
    ball.scale.x *= 1.5
    bpy.context.view_layer.update()
    assert ball_radii(bpy.context.scene, cloth, layout) == {}


def test_a_bake_writes_both_into_its_dataset(tmp_path):
    cloth, ball = scene_with_ball()
    settings = settings_of(cloth)
    settings.dataset_folder, settings.take_count, settings.take_frames = str(tmp_path / "d"), 1, 5
    prepare_bake(bpy.context.scene, cloth)
    info = Dataset.open(tmp_path / "d").info
    assert info.gravity == pytest.approx((0, 0, -9.81), abs=1e-5)
    assert list(info.colliders.values()) == pytest.approx([radius_of(ball)], rel=0.05)


def test_a_dataset_says_where_nothing_but_its_channels_acts(tmp_path):
    cloth, _ = scene_with_ball()
    settings_of(cloth).dataset_folder = str(tmp_path / "dataset")
    prepare_bake(bpy.context.scene, cloth)
    assert Dataset.open(tmp_path / "dataset").info.only_balls_act


@pytest.mark.parametrize(
    "disturb",
    [
        lambda cloth: add_ball("Other", (3.0, 0.0, 0.0)),
        lambda cloth: bpy.ops.object.effector_add(type="TURBULENCE"),
        lambda cloth: cloth.shape_key_add(name="Basis"),
        lambda cloth: cloth.modifiers.move(cloth.modifiers.find(cloth.modifiers.new("W", "WAVE").name), 0),
        lambda cloth: assign(cloth_of(cloth).settings, vertex_group_shear_stiffness="Pin"),
        lambda cloth: assign(cloth_of(cloth).collision_settings, vertex_group_object_collisions="Pin"),
        lambda cloth: assign(cloth_of(cloth).settings, use_sewing_springs=True),
        lambda cloth: assign(settings_of(cloth).simulation, kind="SOLID", softer="Pin"),
    ],
    ids=["collider", "field", "shape key", "modifier", "stiffness", "collisions", "sewing", "softer"],
)
def test_what_acts_beside_the_channels_or_on_a_part_is_seen(disturb):
    cloth, ball = scene_with_ball()
    cloth.vertex_groups.new(name="Pin")
    assert only_channels_act(bpy.context.scene, cloth, {ball.name})
    assert not only_channels_act(bpy.context.scene, cloth, set())
    disturb(cloth)
    assert not only_channels_act(bpy.context.scene, cloth, {ball.name})


def cloth_of(obj: bpy.types.Object) -> bpy.types.ClothModifier:
    return next(modifier for modifier in obj.modifiers if modifier.type == "CLOTH")


def assign(owner: bpy.types.bpy_struct, **values: object) -> None:
    for name, value in values.items():
        setattr(owner, name, value)
