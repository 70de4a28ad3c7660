"""Capsules by hand: where they are put, how large, and what becomes of the list."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from bodies import add_limb, bend
from scenes import add_ball, add_cloth, add_empty, add_rig, empty_scene

from neural_physics.blender.modelling.capsule_editing import (
    add_capsule_at_cursor,
    add_capsules,
    chosen_carriers,
    clear_capsules,
    lost,
    remove_capsule,
)
from neural_physics.blender.modelling.capsule_fitting import fit_capsules
from neural_physics.blender.scene.capsule_sampling import CapsuleSampler
from neural_physics.blender.scene.targets import target_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem


@pytest.fixture
def cloth():
    empty_scene()
    return add_cloth()


def select(*objects):
    """The first one is active."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def placed(obj):
    """In world space, the object being at rest at the origin."""
    bpy.context.view_layer.update()
    return CapsuleSampler(obj).sample(bpy.context.evaluated_depsgraph_get())[0]


def code_of(refused, *args):
    with pytest.raises(Problem) as raised:
        refused(*args)
    return raised.value.code


def test_a_bone_gets_one_along_it_wherever_it_is_posed(cloth):
    rig = add_rig()
    bend(rig, 1.5707963)
    assert add_capsules(cloth, [(rig, "upper")]) == ["upper"]
    capsules = placed(cloth)
    assert capsules.starts[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-5)
    assert capsules.starts[0] + capsules.lengths[0] * capsules.axes[0] == pytest.approx(
        [0.0, -1.0, 1.0], abs=1e-5
    )
    assert capsules.radii[0] == pytest.approx(0.2)


def test_a_mesh_gets_one_around_it_and_any_other_object_a_ball_of_a_size_to_be_seen(cloth):
    ball = add_ball(place=(3.0, 0.0, 0.0), radius=0.3)
    empty = add_empty("Pin", (0.0, 0.0, 2.0))
    empty.scale = (4.0, 4.0, 4.0)
    points = bpy.data.objects.new("Points", bpy.data.meshes.new("Points"))
    bpy.context.scene.collection.objects.link(points)
    bpy.context.view_layer.update()
    assert add_capsules(cloth, [(ball, ""), (empty, ""), (points, "")]) == ["Ball", "Pin", "Points"]
    capsules = placed(cloth)
    assert capsules.radii == pytest.approx([0.3, 0.2, 0.2], abs=5e-3)  # the cloth is 2 m wide
    assert capsules.starts[1] == pytest.approx([0.0, 0.0, 2.0], abs=1e-6)
    assert settings_of(cloth).active_capsule == 2


def test_at_the_cursor_an_empty_carries_it_and_selecting_that_still_means_the_cloth(cloth):
    scene = bpy.context.scene
    scene.cursor.location = (1.0, 2.0, 3.0)
    assert add_capsule_at_cursor(cloth, scene) == "Capsule"
    assert placed(cloth).starts[0] == pytest.approx([1.0, 2.0, 3.0])
    empty = bpy.data.objects["Capsule"]
    settings_of(cloth).enabled = True
    select(empty)
    assert target_of(bpy.context) == cloth
    empty.location.x = 5.0
    assert placed(cloth).starts[0] == pytest.approx([5.0, 2.0, 3.0])


def test_the_selected_bones_are_meant_or_the_active_bone_of_what_is_selected(cloth):
    limb, rig = add_limb()
    pin = add_empty("Pin")
    select(cloth, pin, limb)
    rig.data.bones.active = rig.data.bones["upper"]
    assert set(chosen_carriers(cloth, bpy.context)) == {(pin, ""), (rig, "upper")}
    select(cloth, rig, limb)
    assert chosen_carriers(cloth, bpy.context) == [(rig, "upper")], "not twice"
    rig.data.bones.active = None
    assert chosen_carriers(cloth, bpy.context) == [(rig, "")]
    select(cloth)
    assert chosen_carriers(cloth, bpy.context) == []
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    assert chosen_carriers(cloth, bpy.context) == [(rig, "lower"), (rig, "upper")]
    bpy.ops.pose.select_all(action="DESELECT")
    rig.data.bones.active = rig.data.bones["lower"]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_chosen_one_is_removed_and_the_next_one_chosen(cloth):
    _, rig = add_limb()
    add_capsules(cloth, [(rig, "lower"), (rig, "upper"), (add_empty("Pin"), "")])
    settings = settings_of(cloth)
    settings.active_capsule = 1
    remove_capsule(cloth)
    assert settings.capsules.keys() == ["lower", "Pin"] and settings.active_capsule == 1
    remove_capsule(cloth)
    assert settings.capsules.keys() == ["lower"] and settings.active_capsule == 0
    settings.active_capsule = 7
    remove_capsule(cloth)
    assert not settings.capsules and settings.active_capsule == 0
    assert code_of(remove_capsule, cloth) == "capsules_none"
    assert code_of(clear_capsules, cloth) == "capsules_none"


def test_every_change_of_the_list_lets_the_object_be_evaluated_again(cloth):
    """Removing an item calls no update of a property, so that nothing else would."""
    _, rig = add_limb()
    seen = []

    def watch(scene, depsgraph):
        seen.extend(update.id.name for update in depsgraph.updates)

    bpy.app.handlers.depsgraph_update_post.append(watch)
    try:
        for change in (
            lambda: fit_capsules(cloth, [rig]),
            lambda: remove_capsule(cloth),
            lambda: clear_capsules(cloth),
            lambda: add_capsules(cloth, [(rig, "lower")]),
        ):
            bpy.context.view_layer.update()
            seen.clear()
            change()
            bpy.context.view_layer.update()
            assert cloth.name in seen
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(watch)


def test_a_capsule_without_its_bone_or_object_is_reported_as_lost(cloth):
    rig = add_rig()
    add_capsules(cloth, [(rig, "lower"), (add_empty("Pin"), "")])
    on_bone, on_object = settings_of(cloth).capsules
    assert lost(cloth, on_bone) is None and lost(cloth, on_object) is None
    rig.data.bones["lower"].name = "thigh"
    bpy.data.objects.remove(bpy.data.objects["Pin"])
    assert lost(cloth, on_bone).code == lost(cloth, on_object).code == "capsule_lost"
    on_bone.bone = "thigh"
    assert lost(cloth, on_bone) is None


def test_a_body_in_edit_mode_is_refused_and_nothing_changes(cloth):
    limb, rig = add_limb()
    ball = add_ball()
    for edited, change in (
        (limb, lambda: fit_capsules(cloth, [rig])),
        (ball, lambda: add_capsules(cloth, [(rig, "lower"), (ball, "")])),
    ):
        select(edited)
        bpy.ops.object.mode_set(mode="EDIT")
        assert code_of(change) == "edit_mode"
        bpy.ops.object.mode_set(mode="OBJECT")
    assert not settings_of(cloth).capsules


def test_settings_of_a_linked_or_overridden_object_stay_as_they_are(cloth, tmp_path):
    _, rig = add_limb()
    fit_capsules(cloth, [rig])
    path = tmp_path / "cloth.blend"
    bpy.data.libraries.write(str(path), {cloth, rig})
    empty_scene()
    with bpy.data.libraries.load(str(path), link=True) as (_, here):
        here.objects = ["Sheet"]
    linked = here.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    for obj, code in ((linked, "object_linked"), (linked.override_create(), "object_overridden")):
        for change in (remove_capsule, clear_capsules, lambda o: add_capsules(o, [])):
            assert code_of(change, obj) == code
        assert code_of(add_capsule_at_cursor, obj, bpy.context.scene) == code
        assert len(settings_of(obj).capsules) == 2
    assert "Capsule" not in bpy.data.objects
