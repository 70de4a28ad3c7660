"""Set Up: what is simulated, what it reacts to, and how that moves while takes are baked."""

from __future__ import annotations

from typing import Any

import bpy

from ..neural_physics.blender.baking.motion.training_motion import location_curves
from ..neural_physics.blender.modelling.cloth_subdividing import offers_subdivide
from ..neural_physics.blender.scene.rigs.reacting_bones import deforming_bones, reacting_bones
from ..neural_physics.blender.scene.rigs.skins import is_skinned_by
from ..neural_physics.blender.scene.sources import physics_modifier
from ..neural_physics.blender.settings.motions import is_wind, motion_in_short
from ..neural_physics.blender.settings.properties import NEURALPHYSICS_PG_interaction, method_of, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.edition import FULL
from ..neural_physics.methods.registry import TRAINED_HERE
from ..neural_physics.wording import plural
from ..operators.bones import BONES, NEURALPHYSICS_OT_choose_bones
from ..operators.set_up import (
    NEURALPHYSICS_OT_add_interaction,
    NEURALPHYSICS_OT_remove,
    NEURALPHYSICS_OT_remove_interaction,
    NEURALPHYSICS_OT_set_up,
    NEURALPHYSICS_OT_suggest_motion,
)
from ..operators.subdividing import NEURALPHYSICS_OT_subdivide_cloth
from .answers import answer_of
from .support import Details, Section, button, reasons, sentences, settings_column

KIND_ICONS: dict[str, Any] = {
    "SOLID": "META_BALL",
    "SHELL": "MESH_GRID",
    "ROD": "CURVES",
    "SPRINGS": "MOD_CLOTH",
    "MODIFIERS": "MODIFIER",
}
NAME_SHARE = 0.66  # of the width of a line of the list
ICONS: dict[str, Any] = {"ARMATURE": "ARMATURE_DATA", "EMPTY": "EMPTY_AXIS", "MESH": "MESH_DATA"}


class NEURALPHYSICS_UL_interactions(bpy.types.UIList):
    """The objects a simulation reacts to."""

    def draw_item(  # type: ignore[override]  # noqa: PLR0917 (Blender passes them in a row)
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: object,
        item: NEURALPHYSICS_PG_interaction,
        icon: int | None,
        active_data: object,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        mover = item.object
        if mover is None:
            layout.prop(item, "object", text=item.name, icon="ERROR")
            return
        picture: Any = "FORCE_WIND" if is_wind(mover) else ICONS.get(mover.type, "OBJECT_DATA")
        row = layout.split(factor=NAME_SHARE, align=True)
        row.prop(item, "name", text="", emboss=False, icon=picture)
        row.label(text=motion_in_short(mover, item.motion))


class NEURALPHYSICS_PT_set_up(Section, bpy.types.Panel):
    bl_label = "1  Set Up"
    step = "set_up"
    bl_order = 0

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings, modifier = settings_of(obj), physics_modifier(obj)
        row = layout.row()
        kind = settings.simulation.kind
        if kind != "BLENDER":
            row.label(text=answer_of(obj), icon=KIND_ICONS[kind])
        elif modifier:
            row.label(text=modifier.name, icon="MOD_CLOTH" if modifier.type == "CLOTH" else "MOD_SOFT")
        else:
            row.label(text=obj.name, icon="MESH_DATA")
        row.operator(NEURALPHYSICS_OT_remove.bl_idname, text="", icon="X")
        self._draw_method(layout, context, obj)
        if offers_subdivide(obj):
            button(layout, context, NEURALPHYSICS_OT_subdivide_cloth, icon="MOD_SUBSURF", scale=1.0)
        layout.label(text="Reacts to:")
        row = layout.row()
        row.template_list(
            "NEURALPHYSICS_UL_interactions",
            "",
            settings,
            "interactions",
            settings,
            "active_interaction",
            rows=3,
        )
        column = row.column(align=True)
        column.operator(NEURALPHYSICS_OT_add_interaction.bl_idname, text="", icon="ADD")
        column.operator(NEURALPHYSICS_OT_remove_interaction.bl_idname, text="", icon="REMOVE")
        column.separator()
        column.operator(NEURALPHYSICS_OT_set_up.bl_idname, text="", icon="FILE_REFRESH")
        reasons(layout, context, NEURALPHYSICS_OT_remove_interaction, NEURALPHYSICS_OT_set_up)

    def _draw_method(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        """The methods that this edition trains; of another, which a file may have chosen, what it is here."""
        settings, method = settings_of(obj), method_of(obj)
        if FULL:
            settings_column(layout).prop(settings, "method")
            return
        column = layout.column(align=True)
        for name in TRAINED_HERE:
            column.prop_enum(settings, "method", name)
        if method.id not in TRAINED_HERE:
            text = (
                f"{method.label} is trained in the full edition of Neural Physics; its models play here, too"
            )
            sentences(layout, context, text, "INFO")


class NEURALPHYSICS_PT_motion(Details, bpy.types.Panel):
    bl_label = "Training Motion"
    step = "set_up"
    bl_parent_id = "NEURALPHYSICS_PT_set_up"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        settings = settings_of(obj)
        if settings.active_interaction >= len(settings.interactions):
            layout.label(text="The list above is empty")
            return
        item = settings.interactions[settings.active_interaction]
        column = settings_column(layout)
        column.prop(item, "object")
        column.prop(item, "motion", text="Motion")
        if item.object is not None and item.object.type == "ARMATURE":
            self._draw_bones(layout, obj, item)
        moves_frame = settings.moving_frame and item.object == (settings.frame_object or obj)
        may_turn = item.object is not None and item.object.type != "ARMATURE" and not is_wind(item.object)
        if may_turn and not moves_frame:
            column.prop(item, "turning")
        if item.object is None or item.motion == "KEEP":
            return
        if item.motion == "ACTIONS":
            column.prop(item, "variation")
            column.prop_search(item, "test_action", bpy.data, "actions")
            return
        if is_wind(item.object):
            column.prop(item, "strength_low")
            column.prop(item, "strength_high", text="Max")
        else:
            column.separator()
            column.prop(item, "box_low")
            column.separator()
            column.prop(item, "box_high", text="Box Max")
            column.separator()
            column.prop(item, "fastest")
            if location_curves(item.object):
                column.prop(item, "own_motion")
        if is_wind(item.object) or moves_frame or (may_turn and item.turning):
            column.prop(item, "turn")
            column.prop(item, "turn_axis")
        column.prop(item, "shortest")
        column.prop(item, "longest")
        row = layout.row(align=True)
        row.operator(NEURALPHYSICS_OT_suggest_motion.bl_idname, icon="SHADERFX")
        row.prop(settings, "show_boxes", text="", icon="CUBE")

    def _draw_bones(
        self, layout: bpy.types.UILayout, obj: bpy.types.Object, item: NEURALPHYSICS_PG_interaction
    ) -> None:
        """Of which bones it learns; a method that follows bones follows all that have weights."""
        if method_of(obj).follows_bones and is_skinned_by(obj, item.object):
            return
        read, all_bones = len(reacting_bones(item)), len(deforming_bones(item.object))
        chosen = "all" if read == all_bones else f"{read} of"
        layout.label(text=f"Learns from {chosen} {plural(all_bones, 'bone')}")
        row = layout.row(align=True)
        for bones, name, _ in BONES:
            operator = row.operator(NEURALPHYSICS_OT_choose_bones.bl_idname, text=name)
            operator.bones = bones


class NEURALPHYSICS_PT_frame(Details, bpy.types.Panel):
    bl_label = "Reference Frame"
    step = "set_up"
    bl_parent_id = "NEURALPHYSICS_PT_set_up"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        column, settings = settings_column(layout), settings_of(obj)
        column.prop(settings, "frame_object", text="Object")
        frame = settings.frame_object
        if frame is not None and frame.type == "ARMATURE":
            column.prop_search(settings, "frame_bone", frame.data, "bones")
        column.prop(settings, "moving_frame")
        column.prop(settings, "use_ground")
        row = column.row()
        row.active = settings.use_ground
        row.prop(settings, "ground_height")


CLASSES = (
    NEURALPHYSICS_UL_interactions,
    NEURALPHYSICS_PT_set_up,
    NEURALPHYSICS_PT_motion,
    NEURALPHYSICS_PT_frame,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
