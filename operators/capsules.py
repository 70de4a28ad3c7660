"""Capsules: what the learned shape is pushed out of."""

from __future__ import annotations

import bpy

from ..neural_physics.blender.modelling import capsule_editing, capsule_fitting
from ..neural_physics.blender.scene.targets import check_editable
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from .stepping import SteppedButton, Steps
from .support import Button, scene_of, set_up_target, target


class NEURALPHYSICS_OT_fit_capsules(SteppedButton, bpy.types.Operator):
    bl_idname = "neural_physics.fit_capsules"
    bl_label = "Fit Capsules"
    bl_description = (
        "Fit a capsule around every limb of the other selected armatures and meshes, or of those "
        "found around this object if nothing else is selected; Esc stops"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        capsule_fitting.check_may_fit(set_up_target(context))

    def steps(self, context: bpy.types.Context) -> Steps:
        obj = target(context)
        chosen = capsule_fitting.chosen_sources(obj, context.selected_objects)
        sources = chosen or capsule_fitting.capsule_sources(obj, scene_of(context))
        names = yield from capsule_fitting.fitting_capsules(obj, sources)
        self.report({"INFO"}, capsule_fitting.summary(obj, names))


class NEURALPHYSICS_OT_add_capsule(Button, bpy.types.Operator):
    bl_idname = "neural_physics.add_capsule"
    bl_label = "Add Capsule"
    bl_description = (
        "Add a capsule to the bone selected in Pose Mode or to the other selected object; if "
        "nothing else is selected, at the 3D cursor, with an Empty to move it"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_editable(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        carriers = capsule_editing.chosen_carriers(obj, context)
        if carriers:
            capsule_editing.add_capsules(obj, carriers)
        else:
            capsule_editing.add_capsule_at_cursor(obj, scene_of(context))


class NEURALPHYSICS_OT_remove_capsule(Button, bpy.types.Operator):
    bl_idname = "neural_physics.remove_capsule"
    bl_label = "Remove Capsule"
    bl_description = "Remove the active capsule from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        capsule_editing.check_capsules(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        capsule_editing.remove_capsule(target(context))


class NEURALPHYSICS_OT_clear_capsules(Button, bpy.types.Operator):
    bl_idname = "neural_physics.clear_capsules"
    bl_label = "Clear Capsules"
    bl_description = "Remove all capsules from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        capsule_editing.check_capsules(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        capsule_editing.clear_capsules(target(context))


CLASSES = (
    NEURALPHYSICS_OT_fit_capsules,
    NEURALPHYSICS_OT_add_capsule,
    NEURALPHYSICS_OT_remove_capsule,
    NEURALPHYSICS_OT_clear_capsules,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
