"""Fitting capsules to bodies in a scene: shapes that are known, and what the artist keeps."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from math import pi

import bpy
from bodies import BOTTOM, TOP, add_limb
from scenes import add_ball, add_cloth, add_empty, add_rig, empty_scene, react_to

from neural_physics.blender.modelling import capsule_fitting
from neural_physics.blender.modelling.capsule_fitting import capsule_sources, fit_capsules
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem


@pytest.fixture
def cloth():
    empty_scene()
    return add_cloth()


def capsules_of(obj):
    return {item.name: item for item in settings_of(obj).capsules}


def refused(code, obj, *sources):
    before = len(settings_of(obj).capsules)
    with pytest.raises(Problem) as raised:
        fit_capsules(obj, sources)
    assert raised.value.code == code
    assert len(settings_of(obj).capsules) == before


def test_each_bone_gets_the_shape_of_what_follows_it_in_its_own_axes(cloth):
    _, rig = add_limb()
    settings_of(cloth).projection.share = 0.5
    assert fit_capsules(cloth, [rig]) == ["lower", "upper"]
    lower, upper = capsules_of(cloth).values()
    middle = (BOTTOM + TOP) / 2
    assert (lower.source, lower.bone) == (rig, "lower")
    # A bone's Y runs along it. At its ends a tube has no caps, so that they are not so well known.
    assert [lower.start_radius, lower.end_radius] == pytest.approx([BOTTOM, middle], abs=0.02)
    assert [upper.start_radius, upper.end_radius] == pytest.approx([middle, TOP], abs=0.02)
    for item in (lower, upper):
        assert [item.start[0], item.start[2], item.end[0], item.end[2]] == pytest.approx([0] * 4, abs=1e-6)
        # Nor does it go on beyond the joint, where it would stick out of a bent limb.
        assert -1e-3 < item.start[1] < 0.2 and 0.8 < item.end[1] < 1.001


def test_a_rig_that_is_moved_turned_scaled_and_posed_gives_the_same_in_its_own_axes(cloth):
    limb, rig = add_limb()
    fit_capsules(cloth, [rig])
    before = [(*item.start, *item.end, item.start_radius) for item in settings_of(cloth).capsules]
    limb.parent = rig
    rig.location, rig.rotation_euler, rig.scale = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1), (2.0, 2.0, 2.0)
    rig.pose.bones["upper"].rotation_mode = "XYZ"
    rig.pose.bones["upper"].rotation_euler.x = pi / 3
    bpy.context.view_layer.update()
    fit_capsules(cloth, [rig])
    after = [(*item.start, *item.end, item.start_radius) for item in settings_of(cloth).capsules]
    assert np.array(after) == pytest.approx(np.array(before), abs=5e-4)  # where a tube ends is known badly


def test_a_body_in_other_axes_than_its_rig_is_seen_in_the_rigs(cloth):
    limb, rig = add_limb()
    fit_capsules(cloth, [rig])
    before = capsules_of(cloth)["lower"].start_radius
    for vertex in limb.data.vertices:
        vertex.co = vertex.co / 2.0
    limb.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    fit_capsules(cloth, [rig])
    assert capsules_of(cloth)["lower"].start_radius == pytest.approx(before, abs=1e-5)


def test_weights_count_by_their_share_whatever_they_sum_to(cloth):
    limb, rig = add_limb()
    fit_capsules(cloth, [rig])
    before = [item.start_radius for item in settings_of(cloth).capsules]
    for vertex in limb.data.vertices:
        for membership in vertex.groups:
            membership.weight *= 0.25 + 0.5 * (vertex.index % 2)
    fit_capsules(cloth, [rig])
    assert [item.start_radius for item in settings_of(cloth).capsules] == pytest.approx(before, abs=1e-5)


def test_bones_without_a_body_and_bones_that_do_not_deform_get_none(cloth):
    limb, rig = add_limb()
    limb.vertex_groups.remove(limb.vertex_groups["upper"])
    assert fit_capsules(cloth, [rig]) == ["lower"]
    limb.vertex_groups.new(name="upper").add([0, 1, 2], 1.0, "REPLACE")
    assert fit_capsules(cloth, [rig]) == ["lower"]
    rig.data.bones["upper"].use_deform = False
    assert fit_capsules(cloth, [rig]) == ["lower"]


def test_a_body_that_does_not_collide_is_taken_if_it_is_chosen(cloth):
    limb, rig = add_limb(collides=False)
    refused("capsules_nothing", cloth, rig)
    assert fit_capsules(cloth, [limb]) == ["lower", "upper"]
    assert {item.source for item in settings_of(cloth).capsules} == {rig}


def test_a_collider_without_bones_gives_one_in_its_own_axes(cloth):
    ball = add_ball(place=(3.0, 0.0, 0.0), radius=0.3)
    assert fit_capsules(cloth, [ball]) == ["Ball"]
    item = capsules_of(cloth)["Ball"]
    assert item.bone == ""
    assert [*item.start, *item.end] == pytest.approx([0.0] * 6, abs=5e-3)
    assert [item.start_radius, item.end_radius] == pytest.approx([0.3, 0.3], abs=5e-3)


def test_fitting_again_replaces_the_same_sources_and_keeps_what_was_switched_off(cloth):
    _, rig = add_limb()
    ball = add_ball()
    assert fit_capsules(cloth, [rig, ball]) == ["lower", "upper", "Ball"]
    capsules_of(cloth)["upper"].enabled = False
    capsules_of(cloth)["Ball"].start_radius = 7.0
    capsules_of(cloth)["lower"].start_radius = 7.0
    assert fit_capsules(cloth, [rig]) == ["lower", "upper"]
    found = capsules_of(cloth)
    assert len(settings_of(cloth).capsules) == 3
    assert found["lower"].enabled and not found["upper"].enabled
    assert found["Ball"].start_radius == 7.0 and found["lower"].start_radius < 1.0


def test_what_is_around_is_found_without_being_chosen(cloth):
    limb, rig = add_limb()
    add_ball()
    add_empty("Pin")
    sources = capsule_sources(cloth, bpy.context.scene)
    assert [source.name for source in sources] == [rig.name, "Ball"]
    react_to(cloth, rig)
    limb.modifiers.remove(limb.modifiers["Collision"])
    assert [source.name for source in capsule_sources(cloth, bpy.context.scene)] == ["Ball"]


def test_the_simulated_object_is_no_body_of_its_own(cloth):
    rig = add_rig()
    cloth.modifiers.new("Armature", "ARMATURE").object = rig
    cloth.modifiers.new("Collision", "COLLISION")
    cloth.vertex_groups.new(name="lower").add(range(40), 1.0, "REPLACE")
    refused("capsules_nothing", cloth, rig, cloth)


def test_nothing_to_fit_and_a_body_without_weights_are_refused(cloth):
    limb, rig = add_limb()
    fit_capsules(cloth, [rig])
    refused("capsules_nothing", cloth)
    refused("capsules_nothing", cloth, add_empty("Pin"))
    limb.vertex_groups.clear()
    refused("body_unweighted", cloth, rig)


def test_a_linked_body_is_fitted_but_a_missing_body_or_linked_cloth_is_refused(cloth, tmp_path):
    """A linked body can be read, a missing one cannot, and a linked simulation cannot be given settings."""
    limb, rig = add_limb()
    path = tmp_path / "body.blend"
    bpy.data.libraries.write(str(path), {limb, rig, cloth})
    empty_scene()
    with bpy.data.libraries.load(str(path), link=True) as (there, here):
        here.objects = list(there.objects)
    for obj in here.objects:
        bpy.context.scene.collection.objects.link(obj)
    own = add_cloth("Own")
    assert fit_capsules(own, [bpy.data.objects["Rig"]]) == ["lower", "upper"]
    refused("object_linked", bpy.data.objects["Sheet"], bpy.data.objects["Rig"])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    path.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert len(settings_of(bpy.data.objects["Own"]).capsules) == 2
    refused("body_missing", bpy.data.objects["Own"], bpy.data.objects["Limb"])


def test_a_mesh_without_vertices_is_nothing_to_fit_to(cloth):
    empty = bpy.data.objects.new("Points", bpy.data.meshes.new("Points"))
    bpy.context.scene.collection.objects.link(empty)
    refused("capsules_nothing", cloth, empty)


def test_more_capsules_than_are_used_are_refused_before_any_is_fitted(cloth, monkeypatch):
    _, rig = add_limb()
    monkeypatch.setattr(capsule_fitting, "MOST", 1)
    monkeypatch.setattr(capsule_fitting, "fit_capsule", lambda *_, **__: pytest.fail("it was fitted"))
    refused("capsules_too_many", cloth, rig)


def test_objects_that_share_a_mesh_are_fitted_once(cloth, monkeypatch):
    balls = [add_ball()]
    for _ in range(3):
        balls.append(bpy.data.objects.new("Other", balls[0].data))
        bpy.context.scene.collection.objects.link(balls[-1])
    fitted = []
    fit = capsule_fitting.fit_free_capsule
    monkeypatch.setattr(capsule_fitting, "fit_free_capsule", lambda *given: fitted.append(1) or fit(*given))
    assert len(fit_capsules(cloth, balls)) == 4 and len(fitted) == 1
    assert len({(item.start_radius, *item.start) for item in settings_of(cloth).capsules}) == 1
    assert {item.source for item in settings_of(cloth).capsules} == set(balls)


def test_a_stopped_fit_changes_nothing(cloth):
    _, rig = add_limb()
    steps = capsule_fitting.fitting_capsules(cloth, [rig])
    assert next(steps) == (1, 2)
    steps.close()
    assert not settings_of(cloth).capsules
