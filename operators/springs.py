"""Learned springs, seen on the mesh."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.display import springs
from ..neural_physics.blender.scene.sources import check_mesh
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .support import Button, set_up_target, target


class NEURALPHYSICS_OT_show_springs(Button, bpy.types.Operator):
    bl_idname = "neural_physics.show_springs"
    bl_label = "Show Springs"
    bl_description = (
        "Add color attributes to the mesh for the learned stiffness and damping, and for which "
        "vertices swing (dark) or creep back (bright); view them with Viewport Shading > "
        "Attribute"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        springs.show_springs(target(context))


class NEURALPHYSICS_OT_hide_springs(Button, bpy.types.Operator):
    bl_idname = "neural_physics.hide_springs"
    bl_label = "Hide"
    bl_description = "Remove the color attributes of the springs"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        springs.hide_springs(target(context))


CLASSES = (NEURALPHYSICS_OT_show_springs, NEURALPHYSICS_OT_hide_springs)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
