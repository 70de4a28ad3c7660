"""The list of handles that the artist places in a body."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.scene.artist_handles import add_handles, remove_handle
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.errors import Problem
from .support import EditingButton, target


class NEURALPHYSICS_OT_add_handle(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.add_handle"
    bl_label = "Add Handle"
    bl_description = (
        "Add the other selected Empties, or the active bone of a selected armature, as handles; "
        "if none are selected, an empty line"
    )
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        add_handles(obj, [other for other in context.selected_objects if other != obj])


class NEURALPHYSICS_OT_remove_handle(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.remove_handle"
    bl_label = "Remove Handle"
    bl_description = "Remove the active handle from the list; the Empty stays in the scene"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        obj = target(context)
        if not settings_of(obj).handles:
            raise Problem("contact_no_handles", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        remove_handle(target(context))


CLASSES = (NEURALPHYSICS_OT_add_handle, NEURALPHYSICS_OT_remove_handle)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
