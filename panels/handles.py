"""Handles: the points of a body that the artist places, and holds while it plays."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.handles import NEURALPHYSICS_PG_handle
from ..neural_physics.blender.settings.properties import method_of, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..operators.handles import NEURALPHYSICS_OT_add_handle, NEURALPHYSICS_OT_remove_handle
from .support import Details, reasons, settings_column


class NEURALPHYSICS_UL_handles(bpy.types.UIList):
    """The handles of a body, each with the switch that holds it."""

    def draw_item(  # type: ignore[override]  # noqa: PLR0917 (Blender passes them in a row)
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: object,
        item: NEURALPHYSICS_PG_handle,
        icon: int | None,
        active_data: object,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        if item.object is None:
            layout.prop(item, "object", text=item.name, icon="ERROR")
            return
        row = layout.row(align=True)
        bone = item.object.type == "ARMATURE"
        row.prop(item, "name", text="", emboss=False, icon="BONE_DATA" if bone else "EMPTY_AXIS")
        row.prop(item, "hold")


class NEURALPHYSICS_PT_handles(Details, bpy.types.Panel):
    bl_label = "Handles"
    step = "set_up"
    bl_parent_id = "NEURALPHYSICS_PT_set_up"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = target_of(context)
        # A model that was imported may have brought handles to bind, whatever the method is.
        if obj is None or not (method_of(obj).has_handles or settings_of(obj).handles):
            return False
        return bool(super().poll(context))

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings = settings_of(obj)
        row = layout.row()
        row.template_list(
            "NEURALPHYSICS_UL_handles", "", settings, "handles", settings, "active_handle", rows=3
        )
        column = row.column(align=True)
        column.operator(NEURALPHYSICS_OT_add_handle.bl_idname, text="", icon="ADD")
        column.operator(NEURALPHYSICS_OT_remove_handle.bl_idname, text="", icon="REMOVE")
        reasons(layout, context, NEURALPHYSICS_OT_remove_handle)
        if settings.active_handle < len(settings.handles):
            self._draw_chosen(settings_column(layout), settings.handles[settings.active_handle])

    def _draw_chosen(self, column: bpy.types.UILayout, item: NEURALPHYSICS_PG_handle) -> None:
        column.prop(item, "object")
        if item.object is not None and item.object.type == "ARMATURE":
            column.prop_search(item, "bone", item.object.data, "bones")
        column.prop(item, "radius")


CLASSES = (NEURALPHYSICS_UL_handles, NEURALPHYSICS_PT_handles)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
