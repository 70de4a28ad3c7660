"""What is said before a bake that would only be seen after it; and nothing where nothing is wrong."""

from __future__ import annotations

import tracemalloc

import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

import bpy
from flesh import limb
from scenes import add_ball, add_cloth, add_grid, add_rig, add_soft_body, empty_scene, react_to

from neural_physics.blender.baking.forewarnings import lone_group, look, use_as_pins
from neural_physics.blender.examples import EXAMPLES, build
from neural_physics.blender.scene.rigs import holding_bones
from neural_physics.blender.scene.rigs.holding_bones import suggested_radius
from neural_physics.blender.scene.setting_up import set_up_as
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings.properties import settings_of


@pytest.fixture
def scene():
    return empty_scene()


def said(scene, obj) -> list[str]:
    bpy.context.view_layer.update()
    return [one.sentence for one in look(scene, obj)]


def falling_cloth():
    """Nothing holds it, and its vertex groups are gone."""
    cloth = add_cloth()
    cloth.modifiers["Cloth"].settings.vertex_group_mass = ""
    cloth.vertex_groups.clear()
    return cloth


def add_floor(place=(0.0, 0.0, -3.0)):
    bpy.ops.mesh.primitive_plane_add(size=10.0, location=place)
    floor = bpy.context.object
    floor.modifiers.new("Collision", "COLLISION")
    return floor


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_no_example_is_warned_of(scene, name):
    assert said(scene, build(name, scene)) == []


def test_what_nothing_holds_and_nothing_catches_falls_for_ever(scene):
    cloth = falling_cloth()
    (sentence,) = said(scene, cloth)
    assert sentence.startswith("Nothing holds Sheet, and nothing is below it: it will fall for ever.")
    floor = add_floor()
    assert said(scene, cloth) == []
    for elsewhere in ((20.0, 0.0, -3.0), (0.0, 0.0, 3.0)):
        floor.location = elsewhere
        assert len(said(scene, cloth)) == 1, "a collider beside or above it catches nothing"
    floor.location = (0.0, 0.0, -3.0)
    floor.hide_viewport = True
    assert len(said(scene, cloth)) == 1, "one that is disabled neither"
    scene.gravity = (0.0, 0.0, 0.0)
    assert said(scene, cloth) == []


def test_a_collider_that_wanders_is_below_wherever_its_box_is(scene):
    cloth, ball = falling_cloth(), add_ball(place=(9.0, 0.0, -1.0))
    react_to(cloth, ball, box_low=(8.0, -1.0, -2.0), box_high=(10.0, 1.0, -1.0))
    assert len(said(scene, cloth)) == 1
    settings_of(cloth).interactions[0].box_low = (-1.0, -1.0, -2.0)
    assert said(scene, cloth) == []


def test_soft_bodies_and_the_solver_s_fall_too(scene):
    jelly = add_soft_body()
    settings = jelly.modifiers["Softbody"].settings
    assert said(scene, jelly) == []
    settings.vertex_group_goal = ""
    jelly.vertex_groups.clear()
    assert said(scene, jelly) == [], "its goal draws it to where it is"
    settings.use_goal = False
    assert len(said(scene, jelly)) == 1
    jelly.modifiers.clear()
    settings_of(jelly).simulation.kind = "SHELL"
    assert len(said(scene, jelly)) == 1


def test_pins_in_a_collider_s_box_cannot_move_out_of_its_way(scene):
    cloth, ball = add_cloth(), add_ball()
    react_to(cloth, ball, box_low=(-3.0, -3.0, -3.0), box_high=(3.0, 3.0, 3.0))
    (sentence,) = said(scene, cloth)
    assert sentence.startswith("The box of Ball runs through the pins of Sheet")
    cloth.modifiers.new("Hook", "HOOK").object = ball
    assert said(scene, cloth) == [], "it carries them"
    cloth.modifiers.remove(cloth.modifiers["Hook"])
    assert len(said(scene, cloth)) == 1
    settings_of(cloth).interactions[0].motion = "KEEP"
    assert said(scene, cloth) == []


def test_a_collider_is_not_to_begin_inside_a_solid(scene):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5))
    cube = bpy.context.object
    settings_of(cube).enabled, settings_of(cube).simulation.kind = True, "SOLID"
    add_floor((0.0, 0.0, 0.0))
    ball = add_ball(place=(2.0, 0.0, 0.5))
    react_to(cube, ball, box_low=(-1.0, -1.0, 0.0), box_high=(2.0, 1.0, 2.0))
    assert said(scene, cube) == [], "it is struck, and bends out of the way"
    ball.location = (0.2, 0.1, 0.6)
    assert [s.split(",")[0] for s in said(scene, cube)] == ["Ball begins inside Cube"]
    cube.location.x = 3.0
    assert said(scene, cube) == []


@pytest.mark.parametrize("kind", ["cloth", "soft body", "shell"])
def test_a_lone_vertex_group_is_offered_as_pins_and_becomes_them(scene, kind):
    obj = add_soft_body() if kind == "soft body" else add_cloth()
    if kind == "soft body":
        obj.modifiers["Softbody"].settings.vertex_group_goal = ""
        obj.modifiers["Softbody"].settings.use_goal = False
    else:
        obj.modifiers["Cloth"].settings.vertex_group_mass = ""
    if kind == "shell":
        obj.modifiers.clear()
        settings_of(obj).simulation.kind = "SHELL"
    offer, fall = look(scene, obj)
    assert offer.group == lone_group(obj) == "Pins" and "fall for ever" in fall.sentence
    use_as_pins(obj, offer.group)
    assert look(scene, obj) == [] and (mesh_of(obj).pins == 1.0).any()


def test_a_group_that_something_else_uses_or_one_of_several_is_not_offered(scene):
    cloth = add_cloth()
    cloth.modifiers["Cloth"].settings.vertex_group_mass = ""
    cloth.modifiers.new("Smooth", "SMOOTH").vertex_group = "Pins"
    assert lone_group(cloth) == ""
    cloth.modifiers.remove(cloth.modifiers["Smooth"])
    assert lone_group(cloth) == "Pins"
    cloth.vertex_groups.new(name="Other")
    assert lone_group(cloth) == ""


def test_flesh_that_no_bone_holds_falls_until_it_is_set_up(scene):
    body = limb(rig=add_rig())
    simulation = settings_of(body).simulation
    simulation.bone_radius = 0.0
    (sentence,) = said(scene, body)
    assert "Choose its pins, raise Bone Radius above 0, or" in sentence
    set_up_as(body, scene, "SOLID")
    assert said(scene, body) == []
    # The bones run through its middle, 0.2 m from its sides: half as far as its corners are away.
    assert simulation.bone_radius == pytest.approx(0.5 * 0.2 * 2**0.5)
    body.scale = 2.0, 2.0, 1.0
    bpy.context.view_layer.update()
    simulation.bone_radius = 0.3
    set_up_as(body, scene, "SOLID")
    assert simulation.bone_radius == pytest.approx(0.3), "what the artist chose stays"
    simulation.bone_radius = 0.0
    set_up_as(body, scene, "SOLID")
    assert simulation.bone_radius == pytest.approx(0.2 * 2**0.5), "in metres"


def test_shapes_that_are_gone_through_one_after_the_other_are_said_not_to_show_on_bones(scene):
    body = limb(rig=add_rig())
    set_up_as(body, scene, "SOLID")
    settings_of(body).method = "quasistatic_springs"
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Bulge")
    assert said(scene, body) == []
    body.data.shape_keys.use_relative = False
    (sentence,) = said(scene, body)
    assert sentence.startswith(
        "The shape keys of Limb are not relative, and do not show while Jiggle Springs"
    )
    settings_of(body).method = "subspace_physics"
    assert said(scene, body) == []


def test_a_rig_of_countless_bendy_bones_takes_no_more_memory_than_others(scene, monkeypatch):
    rig = add_rig()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for i in range(40):
        bone = rig.data.edit_bones.new("bendy")
        bone.head, bone.tail, bone.bbone_segments = (0.0, 0.0, 0.02 * i), (0.1, 0.0, 0.02 * i), 32
    bpy.ops.object.mode_set(mode="OBJECT")
    body = add_grid("Body", 44)
    body.location.y = 0.3
    bpy.context.view_layer.update()
    tracemalloc.start()
    radius = suggested_radius(body, rig)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 25  # at once it would be 240 MB
    monkeypatch.setattr(holding_bones, "TOGETHER", 1 << 20)
    assert radius == suggested_radius(body, rig) > 0.0


def test_an_armature_carries_only_pins_of_what_has_no_inside(scene):
    body = limb(rig=add_rig())
    settings_of(body).simulation.kind = "SHELL"
    (sentence,) = said(scene, body)
    assert "it will fall for ever" in sentence and "Bone Radius" not in sentence


def test_of_what_is_disabled_in_viewports_nothing_is_asked(scene):
    """It has no evaluated mesh in which a collider could begin."""
    jelly = add_grid("Jelly")
    settings_of(jelly).simulation.kind = "SOLID"
    react_to(jelly, add_ball(place=(0.0, 0.0, 0.0)))
    said(scene, jelly)
    jelly.hide_viewport = True
    said(scene, jelly)
