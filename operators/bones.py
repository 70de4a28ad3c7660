"""Of which bones of an armature an object learns where they are."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..neural_physics.blender.scene.rigs.reacting_bones import choose_bones, deforming_bones
from ..neural_physics.blender.scene.setting_up import bones_that_matter
from ..neural_physics.blender.scene.sources import check_shown_mesh
from ..neural_physics.blender.settings.properties import NEURALPHYSICS_PG_interaction, settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.errors import Problem
from ..neural_physics.wording import plural
from .support import EditingButton, target

NEAR, SELECTED, EVERY = "NEAR", "SELECTED", "ALL"
BONES = [
    (
        NEAR,
        "Near",
        "Bones that carry this object, or a part of a body near it, as the scene is now, without those "
        "that stand still in the actions to be played",
    ),
    (SELECTED, "Selected", "Bones that are selected in Pose Mode"),
    (EVERY, "All", "All deforming bones"),
]


class NEURALPHYSICS_OT_choose_bones(EditingButton, bpy.types.Operator):
    bl_idname = "neural_physics.choose_bones"
    bl_label = "Choose Bones"
    bl_description = "Choose of which bones of the armature this object learns where they are"
    bl_options = {"REGISTER", "UNDO"}

    bones: EnumProperty(name="Bones", items=BONES)

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        super().require(context)
        check_shown_mesh(target(context))
        line_of_armature(target(context))

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        return next(text for value, _, text in BONES if value == getattr(properties, "bones", NEAR))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        item = line_of_armature(obj)
        if self.bones == EVERY:
            item.bones.clear()
            return
        names = bones_that_matter(obj, item) if self.bones == NEAR else _selected(context, item.object)
        if not {bone.name for bone in deforming_bones(item.object)} & set(names):
            raise Problem("bones_none", object=obj.name, rig=item.object.name, which=self.bones.lower())
        choose_bones(item, names)
        chosen = plural(len(item.bones), "bone")
        self.report({"INFO"}, f"{obj.name} learns from {chosen} of {item.object.name}")


def line_of_armature(obj: bpy.types.Object) -> NEURALPHYSICS_PG_interaction:
    """The line of the list that is chosen. Raises Problem("bones_of_armature")."""
    settings = settings_of(obj)
    if settings.active_interaction < len(settings.interactions):
        item = settings.interactions[settings.active_interaction]
        if item.object is not None and item.object.type == "ARMATURE":
            return item
    raise Problem("bones_of_armature", object=obj.name)


def _selected(context: bpy.types.Context, rig: bpy.types.Object) -> list[str]:
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]


CLASSES = (NEURALPHYSICS_OT_choose_bones,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
