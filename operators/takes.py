"""What a bake left: its takes, beside the object, or the places of the mesh that stood in its way."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ..neural_physics.blender.display import takes, unsuitable_places
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import trial_takes
from ..neural_physics.errors import Problem
from .support import Button, scene_of, set_up_target, target


class NEURALPHYSICS_OT_show_take(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_take"
    bl_label = "Show Take"
    bl_description = "Show the baked takes beside the object, one after the other"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(
        name="Take", description="If empty, the take after the one shown", options={"SKIP_SAVE"}
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        takes.check_takes(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        name = takes.show_take(scene_of(context), target(context), self.name)
        self.report({"INFO"}, f"{name} is shown beside {target(context).name}")


class NEURALPHYSICS_OT_hide_take(Button, bpy.types.Operator):
    bl_idname = "neural_physics.hide_take"
    bl_label = "Hide"
    bl_description = "Remove the take that is shown"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        trial_takes.hide_take(target(context))


class NEURALPHYSICS_OT_show_places(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_places"
    bl_label = "Select Problem Areas"
    bl_description = "Enter Edit Mode and select the parts of the mesh that prevent it from being filled"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if unsuitable_places.places_of(obj) is None:
            raise Problem("places_unknown", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        places = unsuitable_places.show_places(target(context))
        self.report({"INFO"}, f"{len(places.indices)} {places.kind} are selected")


CLASSES = (NEURALPHYSICS_OT_show_take, NEURALPHYSICS_OT_hide_take, NEURALPHYSICS_OT_show_places)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
