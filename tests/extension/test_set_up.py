"""Set Up on an artist's own scene: what the cloth reacts to is found, and what is only scenery is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import bmesh

def mesh(name, make, **options):
    shape = bmesh.new()
    make(shape, **options)
    data = bpy.data.meshes.new(name)
    shape.to_mesh(data)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj

def grid(name, size):
    return mesh(name, bmesh.ops.create_grid, x_segments=8, y_segments=8, size=size)

def ball(name, place, radius=0.2):
    obj = mesh(name, bmesh.ops.create_icosphere, subdivisions=2, radius=radius)
    obj.location = place
    obj.modifiers.new("Collision", "COLLISION")
    return obj

def empty(name, place=(0, 0, 0)):
    obj = bpy.data.objects.new(name, None)
    obj.location = place
    bpy.context.scene.collection.objects.link(obj)
    return obj

def start():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    cloth = grid("Curtain", 1.0)
    cloth.modifiers.new("Cloth", "CLOTH")
    bpy.context.view_layer.objects.active = cloth
    return cloth

def found(cloth):
    bpy.context.view_layer.update()
    assert bpy.ops.neural_physics.set_up() == {"FINISHED"}
    return {item.name: item for item in cloth.neural_physics.interactions}
"""


def test_what_moves_a_cloth_is_found_and_scenery_is_left_out(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
cloth = start()
ball("Ball", (0, 0, 1.0))
grid("Floor", 20.0).modifiers.new("Collision", "COLLISION")
ball("Decoration", (0, 3, 0)).modifiers.clear()
pin = empty("Pin", (1, 1, 0))
hook = cloth.modifiers.new("Hook", "HOOK")
hook.object = pin
interactions = found(cloth)
assert set(interactions) == {"Ball", "Pin"}, set(interactions)
assert all(item.motion == "WANDER" for item in interactions.values())
for item in interactions.values():
    place = item.object.location
    assert all(a <= p <= b for a, p, b in zip(item.box_low, place, item.box_high)), item.name
    assert all(b - a > 0.1 for a, b in zip(item.box_low, item.box_high)), item.name
low, high = interactions["Ball"].box_low, interactions["Ball"].box_high
assert low[0] < -1.0 and high[0] > 1.0, "a collider must reach all of the cloth"
assert set(found(cloth)) == {"Ball", "Pin"}, "set up again, nothing is added twice"
"""
    )


def test_a_moving_floor_counts_and_a_carried_collider_keeps_its_animation(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
cloth = start()
platform = grid("Platform", 20.0)
platform.modifiers.new("Collision", "COLLISION")
platform.keyframe_insert("location", frame=1)
hand = empty("Hand")
glove = ball("Glove", (0, 0, 1))
glove.parent = hand
interactions = found(cloth)
assert set(interactions) == {"Platform", "Glove"}, set(interactions)
assert interactions["Glove"].motion == "KEEP", "what a hand carries would be torn off it by wandering"
"""
    )


def test_a_winds_motion_is_called_what_it_does_to_a_wind(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import importlib
from unittest.mock import MagicMock
cloth = start()
ball("Ball", (0, 0, 1.0))
wind = empty("Breeze")
with bpy.context.temp_override(object=wind, active_object=wind):
    bpy.ops.object.forcefield_toggle()
wind.field.type = "WIND"
interactions = found(cloth)

def listed(item):
    '''What the list says beside a name.'''
    layout = MagicMock()
    layout.split.return_value = layout
    drawn = importlib.import_module(MODULE + ".panels.set_up").NEURALPHYSICS_UL_interactions
    drawn.draw_item(None, None, layout, None, item, 0, None, "")
    return layout.label.call_args.kwargs["text"]

def tooltip(item):
    return bpy.types.UILayout.enum_item_description(item, "motion", "WANDER")

breeze, round_one = interactions["Breeze"], interactions["Ball"]
assert listed(breeze) == "Varying" and listed(round_one) == "In a Box"
assert "strengths" in tooltip(breeze) and "box" not in tooltip(breeze) and "box" in tooltip(round_one)
for item in (breeze, round_one):
    assert item.motion == "WANDER", "scripts and scenes go on as before"
    name = bpy.types.UILayout.enum_item_name(item, "motion", "WANDER")
    assert name == {breeze: "Vary and Turn", round_one: "Wander in a Box"}[item]
    for motion in ("KEEP", "ACTIONS", "WANDER"):
        item.motion = motion
        assert item.motion == motion
"""
    )


def test_what_is_keyed_is_proposed_to_keep_its_animation_and_may_be_let_wander(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
cloth = start()
cube, pin = ball("Cube", (0, 0, 1)), empty("Pin", (1, 1, 0))
cloth.modifiers.new("Hook", "HOOK").object = pin
for frame, x in ((1, -1.0), (50, 1.0)):
    cube.location.x = x
    cube.keyframe_insert("location", frame=frame)
interactions = found(cloth)
assert {name: item.motion for name, item in interactions.items()} == {"Cube": "KEEP", "Pin": "WANDER"}
item = interactions["Cube"]
item.motion, item.fastest = "WANDER", 99.0
cloth.neural_physics.active_interaction = list(interactions).index("Cube")
assert bpy.ops.neural_physics.suggest_motion() == {"FINISHED"}
assert item.motion == "WANDER" and item.fastest < 99.0, "the box is suggested for the motion chosen"
"""
    )


def test_a_body_is_known_by_its_armature_and_a_wind_by_its_strength(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
cloth = start()
rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
bpy.context.scene.collection.objects.link(rig)
body = ball("Body", (0, 0, 0))
body.modifiers.new("Armature", "ARMATURE").object = rig
wind = empty("Breeze")
with bpy.context.temp_override(object=wind, active_object=wind):
    bpy.ops.object.forcefield_toggle()
wind.field.type = "WIND"
wind.field.strength = 200.0
interactions = found(cloth)
assert set(interactions) == {"Rig", "Breeze"}, set(interactions)
assert interactions["Rig"].motion != "WANDER"
assert interactions["Breeze"].strength_high > 200.0
"""
    )


def test_a_button_that_cannot_be_clicked_gives_its_reason(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import importlib
support = importlib.import_module(MODULE + ".operators.support")
operators = importlib.import_module(MODULE + ".operators")

def reason(name):
    for part in operators.PARTS:
        for cls in part.CLASSES:
            if getattr(cls, "bl_idname", "") == "neural_physics." + name:
                found = support.obstacle(cls, bpy.context)
                assert cls.poll(bpy.context) == (found is None)
                return "" if found is None else found.message

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
for name in ("set_up", "bake", "train", "evaluate", "play", "pack", "export_model", "bake_playback"):
    assert "Nothing is selected" in reason(name), name
cloth = start()
assert reason("set_up") == ""
assert "Set Up first" in reason("bake")
found(cloth)
assert "Curtain has nothing to react to" in reason("bake"), reason("bake")
ball("Ball", (0, 0, 1))
found(cloth)
assert reason("bake") == ""
assert "takes" in reason("train") and "model" in reason("play"), (reason("train"), reason("play"))
cloth.modifiers.clear()
assert "Cloth" in reason("bake"), reason("bake")
"""
    )


def test_a_new_solid_is_as_stiff_as_its_height_asks_for(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
stiffness = []
for height, flat in ((0.11, False), (1.7, False), (1.7, True)):
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    cube = bpy.context.active_object
    cube.scale = (0.5, height, 0.0) if flat else (0.5, 0.5, height)
    bpy.context.view_layer.update()
    assert ours.set_up_solver(kind="SOLID") == {"FINISHED"}
    stiffness.append(cube.neural_physics.simulation.young)
assert abs(stiffness[0] / 5000 - 1) < 0.02, "jelly in a dessert bowl"
assert abs(stiffness[1] / stiffness[0] * 0.11 / 1.7 - 1) < 1e-3, "a cow sinks by the same share"
assert abs(stiffness[2] / stiffness[1] - 1) < 1e-3, "what lies flat is as large as it is"

# A chosen material is as it is in reality, and what was set up stays as it was set.
assert ours.use_material(name="jelly") == {"FINISHED"}
assert cube.neural_physics.simulation.young == 5000
assert ours.set_up() == {"FINISHED"}
assert cube.neural_physics.simulation.young == 5000
"""
    )


def test_a_mesh_without_physics_is_given_what_was_clicked(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.mesh.primitive_uv_sphere_add(location=(0, 0, 3))
bpy.context.active_object.modifiers.new("Collision", "COLLISION")
for physics in ("CLOTH", "SOFT_BODY"):
    bpy.ops.mesh.primitive_grid_add()
    grid = bpy.context.active_object
    assert ours.add_physics(physics=physics) == {"FINISHED"}
    assert [m.type for m in grid.modifiers] == [physics]
    assert grid.neural_physics.enabled and ours.bake.poll()

# What cannot be simulated stays as it was.
bpy.ops.mesh.primitive_grid_add()
lines = bpy.context.active_object
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.delete(type="ONLY_FACE")
bpy.ops.object.mode_set(mode="OBJECT")
try:
    ours.add_physics(physics="CLOTH")
except RuntimeError as error:
    assert "has no faces" in str(error), error
else:
    raise AssertionError("it was not refused")
assert not lines.modifiers and not lines.neural_physics.enabled
"""
    )


def test_of_an_armature_bones_are_chosen_that_are_near_or_selected(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
from inside_blender import ours, refused
cloth = start()
data = bpy.data.armatures.new("Rig")
rig = bpy.data.objects.new("Rig", data)
bpy.context.scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for number in range(4):
    bone = data.edit_bones.new(f"bone{number}")
    bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
bpy.ops.object.mode_set(mode="OBJECT")
limb = grid("Limb", 0.2)
limb.location.z = 3.0
limb.vertex_groups.new(name="bone3").add([v.index for v in limb.data.vertices], 1.0, "REPLACE")
limb.modifiers.new("Armature", "ARMATURE").object = rig
limb.modifiers.new("Collision", "COLLISION")
near = grid("Near", 0.2)
near.location.z = 0.2
near.vertex_groups.new(name="bone0").add([v.index for v in near.data.vertices], 1.0, "REPLACE")
near.modifiers.new("Armature", "ARMATURE").object = rig
bpy.context.view_layer.objects.active = cloth
item = found(cloth)["Rig"]
choose = ours.choose_bones
assert not item.bones
assert choose(bones="NEAR") == {"FINISHED"} and [bone.name for bone in item.bones] == ["bone0"]
refused("No deforming bone of Rig is selected", choose, bones="SELECTED")
assert [bone.name for bone in item.bones] == ["bone0"], "what was chosen stays"
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="POSE")
bpy.ops.pose.select_all(action="DESELECT")
for number in (1, 3):
    bone = rig.pose.bones[f"bone{number}"]
    holder = bone if hasattr(bone, "select") else bone.bone
    holder.select = True
selected = [rig.pose.bones["bone1"], rig.pose.bones["bone3"]]
with bpy.context.temp_override(object=cloth, active_object=cloth, selected_pose_bones=selected):
    assert choose(bones="SELECTED") == {"FINISHED"}
assert [bone.name for bone in item.bones] == ["bone1", "bone3"]
bpy.ops.object.mode_set(mode="OBJECT")
bpy.context.view_layer.objects.active = cloth
assert choose(bones="ALL") == {"FINISHED"} and not item.bones
item.object = near
refused("choose the line of one", choose, bones="ALL")
"""
    )


def test_what_modifiers_show_is_set_up_by_a_button_of_its_own(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import drawn_panels
from inside_blender import ours
cloth = start()
cloth.modifiers.clear()
cloth.modifiers.new("Wave", "WAVE")
cloth.modifiers.new("Smooth", "SMOOTH")
ball("Ball", (0, 0, 1.0))
bpy.context.view_layer.objects.active = cloth
bpy.context.view_layer.update()
assert "neural_physics.set_up_modifiers" in drawn_panels.all_drawn().operators
assert ours.set_up_modifiers() == {"FINISHED"}
simulation = cloth.neural_physics.simulation
assert (simulation.kind, simulation.last_modifier) == ("MODIFIERS", "Smooth")
assert [item.name for item in cloth.neural_physics.interactions] == ["Ball"]
assert "Its Modifiers" in drawn_panels.all_drawn().words
assert ours.bake.poll()
"""
    )
