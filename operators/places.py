"""Where a scene keeps its files: agreeing to places elsewhere, and moving files beside the .blend."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.named_places import LONGEST, agree, said
from ..neural_physics.blender.settings.paths import places_to_allow
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks.moving_files import check_move, move_files
from ..neural_physics.errors import Problem
from ..neural_physics.plain_text import displayable, one_line
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
        places = " and ".join(map(said, places_to_allow(target(context))))
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Do you trust this location?",
            message=one_line(f"The scene will read and write {places}", LONGEST),
            confirm_text="Allow",
        )

    def run(self, context: bpy.types.Context) -> None:
        for place in places_to_allow(target(context)):
            agree(place)


class NEURALPHYSICS_OT_move_files(Button, bpy.types.Operator):
    bl_idname = "neural_physics.move_files"
    bl_label = "Move Beside the .blend"
    bl_description = (
        "Move the takes and the model of this object from the folder for scenes without a file to the "
        "folder of this .blend; save it afterwards"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_move(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        folder = move_files(target(context))
        self.report(
            {"INFO"},
            displayable(f"The files are in {folder} now: save the .blend, so that it finds them there"),
        )


CLASSES = (NEURALPHYSICS_OT_allow_places, NEURALPHYSICS_OT_move_files)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
