"""Layers: what a garment is worn over, and pushed out of while it plays."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.modelling import layer_editing
from ..neural_physics.blender.scene.targets import check_editable
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .support import Button, set_up_target, target


class NEURALPHYSICS_OT_add_layer(Button, bpy.types.Operator):
    bl_idname = "neural_physics.add_layer"
    bl_label = "Add Layer"
    bl_description = (
        "Push this object out of the other selected meshes while it plays; if none is selected, add an entry "
        "to choose one in"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_editable(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        layer_editing.add_layers(target(context), context.selected_objects)


class NEURALPHYSICS_OT_remove_layer(Button, bpy.types.Operator):
    bl_idname = "neural_physics.remove_layer"
    bl_label = "Remove Layer"
    bl_description = "Remove the active layer from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        layer_editing.check_has_layers(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        layer_editing.remove_layer(target(context))


CLASSES = (NEURALPHYSICS_OT_add_layer, NEURALPHYSICS_OT_remove_layer)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
