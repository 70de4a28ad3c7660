"""Set Up: what is simulated, and what it reacts to."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ..neural_physics.blender.baking import forewarnings
from ..neural_physics.blender.baking.preparing import BY_THE_SOLVER
from ..neural_physics.blender.jobs import programs
from ..neural_physics.blender.scene import setting_up
from ..neural_physics.blender.scene.sources import check_mesh, check_shown_mesh, check_target
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.settings.simulation import KINDS, NOT_SOLVED, preset_names
from ..neural_physics.blender.tasks import object_tasks
from ..neural_physics.errors import Problem
from .support import Button, EditingButton, SetUpButton, scene_of, target

_SOLVED = [kind for kind in KINDS if kind[0] not in NOT_SOLVED]
_MATERIALS = {kind: [(name, name.capitalize(), "") for name in preset_names(kind)] for kind, _, _ in KINDS}


def _materials(
    _operator: bpy.types.Operator, context: bpy.types.Context | None
) -> list[tuple[str, str, str]]:
    """The materials for what is simulated; kept, since Blender does not hold on to the texts."""
    obj = target_of(context) if context else None
    kind = settings_of(obj).simulation.kind if obj else "BLENDER"
    return _MATERIALS[kind]


def _report_found(operator: bpy.types.Operator, obj: bpy.types.Object, added: list[str]) -> None:
    if added:
        operator.report({"INFO"}, f"{obj.name} reacts to: {', '.join(added)}")
    elif not settings_of(obj).interactions:
        operator.report({"WARNING"}, f"Nothing was found that {obj.name} reacts to: add it with the + button")


class NEURALPHYSICS_OT_set_up(Button, bpy.types.Operator):
    bl_idname = "neural_physics.set_up"
    bl_label = "Set Up"
    bl_description = "Find what this cloth or soft body reacts to: colliders, pins, armatures and wind"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_target(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        _report_found(self, obj, setting_up.set_up(obj, scene_of(context)))


class NEURALPHYSICS_OT_add_physics(Button, bpy.types.Operator):
    bl_idname = "neural_physics.add_physics"
    bl_label = "Add Physics and Set Up"
    bl_description = "Add Blender's own physics to this mesh, and find what it reacts to"
    bl_options = {"REGISTER", "UNDO"}

    physics: EnumProperty(
        name="Physics", items=[(kind, name, "") for kind, name in setting_up.NEW_PHYSICS.items()]
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:  # noqa: ANN401 (Blender's)
        name = setting_up.NEW_PHYSICS[properties.physics]
        return f"Add Blender's {name} physics to this mesh, and find what it reacts to"

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        _report_found(self, obj, setting_up.set_up_with_physics(obj, scene_of(context), self.physics))


class NEURALPHYSICS_OT_set_up_solver(Button, bpy.types.Operator):
    bl_idname = "neural_physics.set_up_solver"
    bl_label = "Set Up for the Bundled Solver"
    bl_description = "Simulate this mesh with the bundled solver, and find what it reacts to"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", items=_SOLVED)
    method: StringProperty(
        name="Method", description="The method to learn it with; if empty, as it is", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:  # noqa: ANN401 (Blender's)
        return next(text for identifier, _, text in KINDS if identifier == properties.kind)

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        programs.require_full_edition(BY_THE_SOLVER)
        check_mesh(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        added = setting_up.set_up_as(obj, scene_of(context), self.kind)
        if self.method:
            settings_of(obj).method = self.method
        _report_found(self, obj, added)


class NEURALPHYSICS_OT_set_up_modifiers(Button, bpy.types.Operator):
    bl_idname = "neural_physics.set_up_modifiers"
    bl_label = "What Its Modifiers Show"
    bl_description = "Learn what this mesh's modifiers show, whatever they are, and find what it reacts to"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        _report_found(self, obj, setting_up.set_up_as(obj, scene_of(context), "MODIFIERS"))


class NEURALPHYSICS_OT_use_material(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.use_material"
    bl_label = "Material"
    bl_description = "Set stiffness, density and other properties from a material preset"
    bl_options = {"REGISTER", "UNDO"}

    name: EnumProperty(name="Material", items=_materials)

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        setting_up.check_materials(target(context))

    def run(self, context: bpy.types.Context) -> None:
        setting_up.use_material(target(context), self.name)


class NEURALPHYSICS_OT_use_as_pins(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.use_as_pins"
    bl_label = "Use as Pins"
    bl_description = "Let the simulation hold the vertices of this vertex group"
    bl_options = {"REGISTER", "UNDO"}

    group: StringProperty(name="Vertex Group")

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        if self.group not in obj.vertex_groups:
            raise Problem("pins_unknown", object=obj.name, group=self.group)
        forewarnings.use_as_pins(obj, self.group)


class NEURALPHYSICS_OT_remove(SetUpButton, bpy.types.Operator):
    bl_idname = "neural_physics.remove"
    bl_label = "Remove Neural Physics"
    bl_description = "Turn the simulation back on and discard these settings; the dataset and model are kept"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        object_tasks.remove(target(context))


class NEURALPHYSICS_OT_add_interaction(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.add_interaction"
    bl_label = "Add Interaction"
    bl_description = "Add an object to react to: the other selected object, or a line in which to choose one"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        check_shown_mesh(target(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        known = {item.object for item in settings_of(obj).interactions}
        others = [o for o in context.selected_objects if o != obj and o not in known]
        for other in others:
            setting_up.add_interaction(obj, other)
        if not others:
            setting_up.add_empty_interaction(obj)


class NEURALPHYSICS_OT_remove_interaction(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.remove_interaction"
    bl_label = "Remove Interaction"
    bl_description = "Remove the active object from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        obj = target(context)
        if not settings_of(obj).interactions:
            raise Problem("no_interactions", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        settings = settings_of(target(context))
        settings.interactions.remove(settings.active_interaction)
        settings.active_interaction = max(0, min(settings.active_interaction, len(settings.interactions) - 1))


class NEURALPHYSICS_OT_suggest_motion(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.suggest_motion"
    bl_label = "Suggest Motion"
    bl_description = "Set the box and speed of the active object's training motion from the scene"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        check_shown_mesh(target(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        settings = settings_of(obj)
        if settings.active_interaction < len(settings.interactions):
            setting_up.suggest_box(obj, settings.interactions[settings.active_interaction])


CLASSES = (
    NEURALPHYSICS_OT_set_up,
    NEURALPHYSICS_OT_add_physics,
    NEURALPHYSICS_OT_set_up_solver,
    NEURALPHYSICS_OT_set_up_modifiers,
    NEURALPHYSICS_OT_use_material,
    NEURALPHYSICS_OT_use_as_pins,
    NEURALPHYSICS_OT_remove,
    NEURALPHYSICS_OT_add_interaction,
    NEURALPHYSICS_OT_remove_interaction,
    NEURALPHYSICS_OT_suggest_motion,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
