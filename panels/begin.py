"""Before anything is set up: see it move, and say what the object is."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy

from ..neural_physics.blender.examples.trained import TRAINED
from ..neural_physics.blender.scene.setting_up import NEW_PHYSICS, Physics
from ..neural_physics.blender.scene.sources import physics_modifier
from ..neural_physics.blender.scene.targets import set_up_objects, target_of
from ..neural_physics.blender.settings.from_files.readable_names import readable_name
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.edition import FULL
from ..operators.examples import NEURALPHYSICS_OT_try_it
from ..operators.set_up import (
    NEURALPHYSICS_OT_add_physics,
    NEURALPHYSICS_OT_set_up,
    NEURALPHYSICS_OT_set_up_modifiers,
    NEURALPHYSICS_OT_set_up_solver,
)
from .answers import SOLVED
from .gallery import NEURALPHYSICS_PT_gallery
from .set_up import KIND_ICONS
from .support import button, dropped_asset, reasons, sentences

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems as Icon


PHYSICS_ICONS: dict[Physics, Icon] = {"CLOTH": "MOD_CLOTH", "SOFT_BODY": "MOD_SOFT"}


class NEURALPHYSICS_PT_begin(bpy.types.Panel):
    bl_label = "Neural Physics"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Neural Physics"
    bl_options = {"HIDE_HEADER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = target_of(context)
        return obj is None or not settings_of(obj).enabled

    def draw(self, context: bpy.types.Context) -> None:
        layout, obj = self.layout, target_of(context)
        assert layout is not None  # a panel that draws has one
        if context.scene is None or not set_up_objects(context.scene):
            self._draw_card(layout)
        if obj is None or obj.type != "MESH":
            sentences(layout, context, "Or select a mesh of your own, and say what it is.", "INFO")
        else:
            dropped_asset(layout, context, obj)
            self._draw_kinds(layout, context, obj)
        layout.separator()
        layout.popover(NEURALPHYSICS_PT_gallery.__name__, text="More Examples", icon="MOD_CLOTH")

    def _draw_card(self, layout: bpy.types.UILayout) -> None:
        card = layout.box().column()
        card.label(text="See it move", icon="PLAY")
        row = card.row(align=True)
        row.scale_y = 1.6
        for name, each in TRAINED.items():
            row.operator(NEURALPHYSICS_OT_try_it.bl_idname, text=each.title).name = name

    def _draw_kinds(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object
    ) -> None:
        simulated = physics_modifier(obj)
        if simulated is not None:
            physics = cast(Physics, simulated.type)
            sentences(
                layout,
                context,
                f"{readable_name(obj)} has {NEW_PHYSICS[physics]} physics.",
                PHYSICS_ICONS[physics],
            )
            button(layout, context, NEURALPHYSICS_OT_set_up)
            return
        sentences(layout, context, f"What is {readable_name(obj)}?", "MESH_DATA")
        column = layout.column(align=True)
        for physics, name in NEW_PHYSICS.items():
            operator = column.operator(
                NEURALPHYSICS_OT_add_physics.bl_idname, text=name, icon=PHYSICS_ICONS[physics]
            )
            operator.physics = physics
        for each in SOLVED if FULL else ():
            operator = column.operator(
                NEURALPHYSICS_OT_set_up_solver.bl_idname, text=each.label, icon=KIND_ICONS[each.kind]
            )
            operator.kind, operator.method = each.kind, each.method
        if len(obj.modifiers):
            column.operator(NEURALPHYSICS_OT_set_up_modifiers.bl_idname, icon=KIND_ICONS["MODIFIERS"])
        reasons(layout, context, NEURALPHYSICS_OT_add_physics)


CLASSES = (NEURALPHYSICS_PT_begin,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
