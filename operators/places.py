"""Agreeing to the places outside of its own folder that a scene names."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.settings.named_places import agree
from ..neural_physics.blender.settings.paths import places_to_allow
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.errors import Problem
from .support import Button, OperatorReturnItems, set_up_target, target


class NEURALPHYSICS_OT_allow_places(Button, bpy.types.Operator):
    bl_idname = "neural_physics.allow_places"
    bl_label = "Allow"
    bl_description = (
        "Allow this scene to read and write its dataset and model at these locations, now and later"
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not places_to_allow(obj):
            raise Problem("places_allowed", object=obj.name)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        places = " and ".join(map(str, places_to_allow(target(context))))
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Do you trust this location?",
            message=f"The scene will read and write {places}",
            confirm_text="Allow",
        )

    def run(self, context: bpy.types.Context) -> None:
        for place in places_to_allow(target(context)):
            agree(place)


CLASSES = (NEURALPHYSICS_OT_allow_places,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
