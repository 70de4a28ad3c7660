"""Buttons of what a file says is set up and cannot be: no meshes, empty ones, being edited, or overridden."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_buttons import SCENE
from test_linked_characters import SHOT

pytestmark = pytest.mark.blender

ODD = (
    SCENE
    + """
from drawn_panels import all_drawn

def set_up(name, data):
    obj = add(name, data)
    obj.neural_physics.enabled = True
    for other in (hand, sheet):
        obj.neural_physics.interactions.add().object = other
    for other in bpy.context.selected_objects:
        other.select_set(False)
    activate(obj)
    return obj
"""
)


def test_what_is_no_mesh_is_drawn_refused_and_removed(in_blender: Callable[..., str]) -> None:
    in_blender(
        ODD
        + """
KINDS = {
    "Curve": bpy.data.curves.new("Curve", "CURVE"),
    "Text": bpy.data.curves.new("Text", "FONT"),
    "Rig": bpy.data.armatures.new("Rig"),
    "Lattice": bpy.data.lattices.new("Lattice"),
    "Metaball": bpy.data.metaballs.new("Metaball"),
    "Nothing": None,
}
for name, data in KINDS.items():
    obj = set_up(name, data)
    for method in ("subspace_physics", "hierarchical_cloth", "contact_corrections"):
        obj.neural_physics.method = method
        all_drawn()
        refused("not a mesh", ours.bake)
    for button in (ours.fit_capsules, ours.add_interaction, ours.suggest_motion, ours.play):
        refused("not a mesh", button)
    obj.neural_physics.playing = True
    obj["neural_physics_coefficients"] = [1.0]
    assert ours.remove() == {"FINISHED"}
    assert not obj.neural_physics.enabled and not obj.neural_physics.playing
    assert "neural_physics_coefficients" not in obj
"""
    )


def test_a_mesh_without_vertices_is_drawn_and_refused(in_blender: Callable[..., str]) -> None:
    in_blender(
        ODD
        + """
empty = set_up("Empty", bpy.data.meshes.new("Empty"))
empty.modifiers.new("Cloth", "CLOTH")
for kind in ("BLENDER", "SOLID", "SPRINGS"):
    for method in ("subspace_physics", "hierarchical_cloth", "contact_corrections"):
        empty.neural_physics.simulation.kind = kind
        empty.neural_physics.method = method
        all_drawn()
        refused("", ours.bake)
assert ours.suggest_motion() == {"FINISHED"}
hand.select_set(True)
sheet.select_set(True)
empty.neural_physics.interactions.clear()
assert ours.add_interaction() == {"FINISHED"} and len(empty.neural_physics.interactions) == 2
assert ours.fit_capsules() == {"FINISHED"}  # around the sheet
sheet.select_set(False)
refused("", ours.fit_capsules)
"""
    )


def test_buttons_that_are_searched_for_say_what_they_need(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
settings.enabled = True
refused("is not simulated by the bundled solver", ours.use_material)
refused("is a folder: name a file in it", ours.import_take)
settings.enabled = False
assert ours.add_physics(physics="CLOTH") == {"FINISHED"}
assert [m.type for m in sheet.modifiers] == ["CLOTH"] and settings.enabled
"""
    )


def test_what_is_being_edited_is_refused_before_its_mesh_is_read(in_blender: Callable[..., str]) -> None:
    in_blender(
        ODD
        + """
rig = add("Rig", bpy.data.armatures.new("Rig"))
activate(rig)
bpy.ops.object.mode_set(mode="EDIT")
rig.data.edit_bones.new("bone").tail = (0.0, 0.0, 1.0)
bpy.ops.object.mode_set(mode="OBJECT")
activate(sheet)
settings.enabled = True
settings.interactions.add().object = rig
bpy.ops.object.mode_set(mode="EDIT")
all_drawn()
refused("is in Edit Mode", ours.choose_bones, bones="NEAR")
for button in (ours.fit_capsules, ours.suggest_motion, ours.add_interaction):
    refused("is in Edit Mode", button)
bpy.ops.object.mode_set(mode="OBJECT")
for button in (ours.suggest_motion, ours.add_interaction):
    assert button() == {"FINISHED"}
"""
    )


def test_the_lists_of_an_override_are_not_changed(in_blender: Callable[..., str]) -> None:
    in_blender(
        SHOT
        + """
wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
(sheet,) = characters()
bpy.context.view_layer.objects.active = sheet
assert len(sheet.neural_physics.interactions) == 1
for button in (ours.add_interaction, ours.remove_interaction, ours.suggest_motion, ours.choose_bones,
               ours.add_handle, ours.remove_handle, ours.use_material, ours.use_as_pins):
    refused("is a library override", button)
assert len(sheet.neural_physics.interactions) == 1
"""
    )
