"""Share: the model travels with the .blend, or as a file."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.playing import packing
from ..neural_physics.blender.settings.properties import method_of, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import verdicts
from ..neural_physics.wording import size
from ..operators.assets import NEURALPHYSICS_OT_mark_as_asset
from ..operators.exchange.motion import NEURALPHYSICS_OT_export_motion
from ..operators.exchange.poses import NEURALPHYSICS_OT_export_poses
from ..operators.share import (
    NEURALPHYSICS_OT_export_model,
    NEURALPHYSICS_OT_import_model,
    NEURALPHYSICS_OT_pack,
    NEURALPHYSICS_OT_unpack,
)
from ..operators.support import obstacle
from .support import Section, button, reasons, sentences


class NEURALPHYSICS_PT_share(Section, bpy.types.Panel):
    bl_label = "5  Share"
    step = "share"
    bl_order = 4

    def draw_for(self, layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        if settings_of(obj).model is None:
            button(layout, context, NEURALPHYSICS_OT_pack, icon="PACKAGE")
        else:
            layout.label(text=f"Packed in the .blend, {size(packing.packed_size(obj))}", icon="PACKAGE")
            button(layout, context, NEURALPHYSICS_OT_unpack, scale=1.0)
        credit = verdicts.credit_of(obj)
        if credit:
            sentences(layout, context, f"The model is {credit}", "USER")
        row = layout.row(align=True)
        row.operator(NEURALPHYSICS_OT_import_model.bl_idname, icon="IMPORT")
        row.operator(NEURALPHYSICS_OT_export_model.bl_idname, icon="EXPORT")
        reasons(layout, context, NEURALPHYSICS_OT_import_model)
        layout.operator(NEURALPHYSICS_OT_mark_as_asset.bl_idname, icon="ASSET_MANAGER")
        button(layout, context, NEURALPHYSICS_OT_export_motion, icon="EXPORT", scale=1.0)
        if method_of(obj).follows_bones:
            button(layout, context, NEURALPHYSICS_OT_export_poses, icon="EXPORT", scale=1.0)
        if not obstacle(NEURALPHYSICS_OT_pack, context):  # else the reason stands under Pack already
            reasons(layout, context, NEURALPHYSICS_OT_export_model)


CLASSES = (NEURALPHYSICS_PT_share,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
