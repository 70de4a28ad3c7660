"""Set Up: what is simulated, and what it reacts to."""

from __future__ import annotations

import bpy

from ..neural_physics.blender import setting_up, tasks
from ..neural_physics.blender.properties import settings_of
from ..neural_physics.blender.registration import register_classes, unregister_classes
from ..neural_physics.blender.sources import check_target
from ..neural_physics.blender.targets import check_set_up, target_of
from ..neural_physics.errors import Problem
from .support import Button, scene_of, target


class NEURALPHYSICS_OT_set_up(Button, bpy.types.Operator):
    bl_idname = "neural_physics.set_up"
    bl_label = "Set Up"
    bl_description = "Find what this cloth or soft body reacts to: colliders, pins, armatures and winds"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_target(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        added = setting_up.set_up(obj, scene_of(context))
        if added:
            self.report({"INFO"}, f"{obj.name} reacts to: {', '.join(added)}")
        elif not settings_of(obj).interactions:
            self.report({"WARNING"}, f"Nothing was found that moves {obj.name}: add it with the + button")


class NEURALPHYSICS_OT_remove(Button, bpy.types.Operator):
    bl_idname = "neural_physics.remove"
    bl_label = "Remove Neural Physics"
    bl_description = "Show the simulation again and forget these settings; dataset and model stay"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        _check_set_up(context)

    def run(self, context: bpy.types.Context) -> None:
        tasks.remove(target(context))


class NEURALPHYSICS_OT_add_interaction(Button, bpy.types.Operator):
    bl_idname = "neural_physics.add_interaction"
    bl_label = "Add Interaction"
    bl_description = "Let it react to one more object: the other selected one, or choose it in the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        _check_set_up(context)

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        known = {item.object for item in settings_of(obj).interactions}
        others = [o for o in context.selected_objects if o != obj and o not in known]
        for other in others:
            setting_up.add_interaction(obj, other)
        if not others:
            setting_up.add_empty_interaction(obj)


class NEURALPHYSICS_OT_remove_interaction(Button, bpy.types.Operator):
    bl_idname = "neural_physics.remove_interaction"
    bl_label = "Remove Interaction"
    bl_description = "Take the chosen object off the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = check_set_up(target_of(context))
        if not settings_of(obj).interactions:
            raise Problem("no_interactions", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        settings = settings_of(target(context))
        settings.interactions.remove(settings.active_interaction)
        settings.active_interaction = max(0, min(settings.active_interaction, len(settings.interactions) - 1))


class NEURALPHYSICS_OT_suggest_motion(Button, bpy.types.Operator):
    bl_idname = "neural_physics.suggest_motion"
    bl_label = "Suggest Motion"
    bl_description = "Set the box and the speed of the chosen object's training motion from the scene"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        _check_set_up(context)

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        settings = settings_of(obj)
        if settings.active_interaction < len(settings.interactions):
            setting_up.suggest_motion(obj, settings.interactions[settings.active_interaction])


def _check_set_up(context: bpy.types.Context) -> None:
    check_set_up(target_of(context))


CLASSES = (
    NEURALPHYSICS_OT_set_up,
    NEURALPHYSICS_OT_remove,
    NEURALPHYSICS_OT_add_interaction,
    NEURALPHYSICS_OT_remove_interaction,
    NEURALPHYSICS_OT_suggest_motion,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
