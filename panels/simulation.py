"""Simulated By: Blender's physics or the bundled solver, and what that takes the object for."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.settings.simulation import NOT_SOLVED
from ..neural_physics.edition import FULL
from ..operators.set_up import NEURALPHYSICS_OT_use_material
from .answers import KIND_NAMES
from .support import Details, sentences, settings_column

# The settings of a material, by the kind of body.
QUANTITIES = {
    "SOLID": ("young", "poisson", "density"),
    "SHELL": ("young", "poisson", "thickness", "area_density", "bending"),
    "ROD": ("young", "shear", "density", "radius"),
    "SPRINGS": ("stretch_low", "stretch_high", "bending_low", "bending_high", "area_density", "thickness"),
}


class NEURALPHYSICS_PT_simulation(Details, bpy.types.Panel):
    bl_label = "Simulation"
    step = "set_up"
    bl_parent_id = "NEURALPHYSICS_PT_set_up"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, simulation = settings_column(layout), settings_of(obj).simulation
        if FULL:
            column.prop(simulation, "kind")
        if simulation.kind == "MODIFIERS":
            column.prop_search(simulation, "last_modifier", obj, "modifiers")
            return
        if simulation.kind == "BLENDER":
            sentences(layout, context, "Its settings are in the Physics properties", "PHYSICS")
            return
        if not FULL:
            text = (
                f"{obj.name} is simulated by the bundled solver ({KIND_NAMES[simulation.kind]}), which is in "
                "the full edition of Neural Physics; its model plays here, too"
            )
            sentences(layout, context, text, "INFO")
            layout.prop_enum(simulation, "kind", "BLENDER")
            return
        column.prop_search(simulation, "pins", obj, "vertex_groups")
        if simulation.kind == "SOLID" and any(modifier.type == "ARMATURE" for modifier in obj.modifiers):
            column.prop(simulation, "bone_radius")
        column.separator()
        column.operator_menu_enum(NEURALPHYSICS_OT_use_material.bl_idname, "name", text="Material")
        for quantity in QUANTITIES[simulation.kind]:
            column.prop(simulation, quantity)
            if quantity == "young" and simulation.kind == "SOLID":
                column.prop_search(simulation, "softer", obj, "vertex_groups")
                if simulation.softer:
                    column.prop(simulation, "softest")
        column.prop(simulation, "friction")
        if simulation.kind == "SPRINGS":
            return
        column.prop(simulation, "damping")
        column.prop(simulation, "self_contact")


class NEURALPHYSICS_PT_simulation_advanced(Details, bpy.types.Panel):
    bl_label = "Advanced"
    step = "set_up"
    bl_parent_id = "NEURALPHYSICS_PT_simulation"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = target_of(context)
        if not FULL or obj is None or settings_of(obj).simulation.kind in (*NOT_SOLVED, "SPRINGS"):
            return False
        return bool(super().poll(context))

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, simulation = settings_column(layout), settings_of(obj).simulation
        if simulation.kind == "SOLID":
            column.prop(simulation, "elasticity")
            column.prop(simulation, "filling")
            column.prop(simulation, "tetrahedra")
        if simulation.kind == "SHELL":
            column.prop(simulation, "bending_model")
        column.prop(simulation, "steps")


CLASSES = (NEURALPHYSICS_PT_simulation, NEURALPHYSICS_PT_simulation_advanced)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
