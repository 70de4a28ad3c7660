"""Layers: what a garment is worn over, and pushed out of while it plays."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.scene.layers import layers_problem
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.layers import NEURALPHYSICS_PG_layer
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..operators.layers import NEURALPHYSICS_OT_add_layer, NEURALPHYSICS_OT_remove_layer
from .support import Details, reasons, sentences, settings_column


class NEURALPHYSICS_UL_layers(bpy.types.UIList):
    """What an object is worn over, the innermost first."""

    def draw_item(  # type: ignore[override]  # noqa: PLR0917 (Blender passes them in a row)
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: object,
        item: NEURALPHYSICS_PG_layer,
        icon: int | None,
        active_data: object,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        row = layout.row(align=True)
        row.active = item.enabled
        row.prop(item, "enabled", text="")
        row.prop(item, "object", text="", emboss=False)


class NEURALPHYSICS_PT_layers(Details, bpy.types.Panel):
    bl_label = "Layers Below"
    step = "play"
    bl_parent_id = "NEURALPHYSICS_PT_play"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        obj = target_of(context)
        if obj is not None:
            self.layout.prop(settings_of(obj), "use_layers", text="")

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings = settings_of(obj)
        layout.active = settings.use_layers
        row = layout.row()
        row.template_list(
            "NEURALPHYSICS_UL_layers", "", settings, "layers_below", settings, "active_layer", rows=3
        )
        column = row.column(align=True)
        column.operator(NEURALPHYSICS_OT_add_layer.bl_idname, text="", icon="ADD")
        column.operator(NEURALPHYSICS_OT_remove_layer.bl_idname, text="", icon="REMOVE")
        reasons(layout, context, NEURALPHYSICS_OT_add_layer)
        problem = layers_problem(obj)
        if problem is not None:
            sentences(layout, context, problem.message, "ERROR")
        column = settings_column(layout)
        column.prop(settings, "layer_gap")
        column.prop(settings.projection, "depth_limit")


CLASSES = (NEURALPHYSICS_UL_layers, NEURALPHYSICS_PT_layers)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
