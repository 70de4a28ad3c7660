"""Capsules: what the learned shape is pushed out of while it plays."""

from __future__ import annotations

from typing import Any

import bpy

from ..neural_physics.blender.modelling.capsule_editing import lost
from ..neural_physics.blender.playing.playback import status_of
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.capsules import NEURALPHYSICS_PG_capsule
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..operators.capsules import (
    NEURALPHYSICS_OT_add_capsule,
    NEURALPHYSICS_OT_clear_capsules,
    NEURALPHYSICS_OT_fit_capsules,
    NEURALPHYSICS_OT_remove_capsule,
)
from .set_up import ICONS
from .support import Details, button, reasons, sentences, settings_column

COLLIDES = "Cloth that is simulated during playback collides with the capsules at any depth"


class NEURALPHYSICS_UL_capsules(bpy.types.UIList):
    """The capsules of an object."""

    def draw_item(  # type: ignore[override]  # noqa: PLR0917 (Blender passes them in a row)
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: object,
        item: NEURALPHYSICS_PG_capsule,
        icon: int | None,
        active_data: object,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        row = layout.row(align=True)
        row.active = item.enabled
        row.prop(item, "enabled", text="")
        row.prop(item, "name", text="", emboss=False, icon=_picture(item))
        if item.source is None:
            row.label(text="Nothing")


class NEURALPHYSICS_PT_capsules(Details, bpy.types.Panel):
    bl_label = "Capsules"
    step = "play"
    bl_parent_id = "NEURALPHYSICS_PT_play"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        obj = target_of(context)
        if obj is not None:
            self.layout.prop(settings_of(obj).projection, "enabled", text="")

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings = settings_of(obj)
        layout.active = settings.projection.enabled
        row = layout.row()
        row.template_list(
            "NEURALPHYSICS_UL_capsules", "", settings, "capsules", settings, "active_capsule", rows=4
        )
        column = row.column(align=True)
        column.operator(NEURALPHYSICS_OT_add_capsule.bl_idname, text="", icon="ADD")
        column.operator(NEURALPHYSICS_OT_remove_capsule.bl_idname, text="", icon="REMOVE")
        column.separator()
        column.operator(NEURALPHYSICS_OT_clear_capsules.bl_idname, text="", icon="TRASH")
        reasons(layout, context, NEURALPHYSICS_OT_remove_capsule)
        column = settings_column(layout)
        column.prop(settings.projection, "share")
        button(layout, context, NEURALPHYSICS_OT_fit_capsules, icon="MESH_CAPSULE", scale=1.0)
        if settings.active_capsule < len(settings.capsules):
            self._draw_capsule(layout, context, obj, settings.capsules[settings.active_capsule])
        if status_of(obj).collides:
            sentences(layout, context, COLLIDES, "INFO")
        column = settings_column(layout)
        column.prop(settings.projection, "depth_limit")
        column.prop(settings.projection, "show")

    def _draw_capsule(
        self,
        layout: bpy.types.UILayout,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        item: NEURALPHYSICS_PG_capsule,
    ) -> None:
        problem = lost(obj, item)
        if problem is not None:
            sentences(layout, context, problem.message, "ERROR")
        column = settings_column(layout)
        column.prop(item, "source")
        if item.source is not None and item.source.type == "ARMATURE":
            column.prop_search(item, "bone", item.source.data, "bones")
        column.separator()
        column.prop(item, "start")
        column.separator()
        column.prop(item, "end")
        column.separator()
        column.prop(item, "start_radius")
        column.prop(item, "end_radius")
        column.separator()


def _picture(item: NEURALPHYSICS_PG_capsule) -> Any:  # noqa: ANN401 (the name of an icon)
    if item.source is None:
        return "ERROR"
    return "BONE_DATA" if item.bone else ICONS.get(item.source.type, "OBJECT_DATA")


CLASSES = (NEURALPHYSICS_UL_capsules, NEURALPHYSICS_PT_capsules)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
