"""Objects in rows of thousands, each carried by the one before, and collections within each other."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
import bpy
from parent_circles import make_circle
from scenes import add_ball, add_cloth, add_empty, empty_scene

from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.baking.motion.training_motion import animation_end
from neural_physics.blender.baking.scene_copy import prepare_for_bake
from neural_physics.blender.playing.frame_prediction import hangs_on_a_shape
from neural_physics.blender.scene.collider_sizes import is_scaled_by_keys
from neural_physics.blender.scene.setting_up import is_animated, set_up

pytestmark = [pytest.mark.blender]


@pytest.mark.parametrize("keyed", [False, True])
def test_what_thousands_of_parents_carry_is_set_up_and_asked_for_keys(keyed):
    empty_scene()
    cloth, ball, above = add_cloth(), add_ball(), None
    first = add_empty("First")
    if keyed:
        first.keyframe_insert("scale", frame=1)
    above = first
    for number in range(1500):
        below = bpy.data.objects.new(f"E{number}", None)
        below.parent, above = above, below
    ball.parent = above
    assert is_animated(ball) == is_scaled_by_keys(ball) == keyed
    assert "Ball" in set_up(cloth, bpy.context.scene)


def test_an_object_in_a_thousand_collections_is_shown_in_its_bake():
    empty_scene()
    cloth = add_cloth()
    scene, above = bpy.context.scene, bpy.context.scene.collection
    for number in range(1500):
        below = bpy.data.collections.new(f"C{number}")
        above.children.link(below)
        above = below
    for collection in cloth.users_collection:
        collection.objects.unlink(cloth)
    above.objects.link(cloth)
    bpy.data.collections["C700"].hide_viewport = True
    beside = bpy.data.collections.new("Beside")
    beside.hide_viewport = True
    scene.collection.children.link(beside)
    prepare_for_bake(scene, scene.view_layers[0].name, cloth, 5)
    assert not bpy.data.collections["C700"].hide_viewport
    assert beside.hide_viewport and cloth.visible_get()


def test_parents_in_a_circle_are_gone_through_once(tmp_path):
    empty_scene()
    cloth, ball, one = add_cloth(), add_ball(), add_empty("One")
    cloth.parent = ball.parent = one
    make_circle(tmp_path / "circle.blend", one, add_empty("Other"))
    cloth, ball = bpy.data.objects["Sheet"], bpy.data.objects["Ball"]
    assert not is_animated(ball) and not hangs_on_a_shape(ball) and not is_scaled_by_keys(ball)
    assert animation_end(ball) is None
    assert set_up(cloth, bpy.context.scene) == ["Ball"]
    assert made_with(bpy.context.scene, cloth)
