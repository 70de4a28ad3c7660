"""Share: the model inside the .blend, or as a file."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ..neural_physics.blender.playing import packing
from ..neural_physics.blender.scene.sources import check_mesh
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.paths import keep_together, model_path
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import object_tasks
from ..neural_physics.blender.tasks.verdicts import credit_of
from ..neural_physics.errors import Problem
from ..neural_physics.files.looking import has_file
from ..neural_physics.files.names import portable
from ..neural_physics.plain_text import displayable, one_line
from .support import Button, OperatorReturnItems, set_up_target, target

MODEL_FILES = "*.safetensors"


class NEURALPHYSICS_OT_pack(Button, bpy.types.Operator):
    bl_idname = "neural_physics.pack"
    bl_label = "Pack into .blend"
    bl_description = "Store the trained model in the .blend, so that it plays wherever the file is opened"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not has_file(model_path(obj)):
            raise Problem("model_missing", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        object_tasks.use_model(obj, model_path(obj))


class NEURALPHYSICS_OT_unpack(Button, bpy.types.Operator):
    bl_idname = "neural_physics.unpack"
    bl_label = "Unpack"
    bl_description = "Write the packed model to its file and remove it from the .blend"
    bl_options = {"REGISTER", "UNDO"}

    overwrite: BoolProperty(
        name="Overwrite",
        description="Overwrite the file even if it holds a different model, which is lost",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        _require_packed(context)
        model_path(target(context))  # which the scene may not name everywhere

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        obj = target(context)
        if not packing.is_another(obj, model_path(obj)):
            return self.execute(context)
        self.overwrite = True
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Overwrite the model file?",
            message=one_line(f"{model_path(obj)} holds a different model"),
            confirm_text="Overwrite",
        )

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        keep_together(obj)
        packing.unpack(obj, model_path(obj), overwrite=self.overwrite)
        packing.remove_packed(obj)
        self.report({"INFO"}, displayable(f"Saved to {model_path(obj)}"))


class NEURALPHYSICS_OT_export_model(Button, bpy.types.Operator):
    bl_idname = "neural_physics.export_model"
    bl_label = "Export Model"
    bl_description = "Write the packed model to a file"

    filepath: StringProperty(subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: StringProperty(default=MODEL_FILES, options={"HIDDEN"})

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        _require_packed(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        self.filepath = f"{portable(target(context).name)}.safetensors"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context: bpy.types.Context) -> bool:
        """Called while the file is chosen: so the browser asks about the file that is written."""
        chosen, self.filepath = self.filepath, bpy.path.ensure_ext(self.filepath, ".safetensors")
        return self.filepath != chosen

    def run(self, context: bpy.types.Context) -> None:
        path = Path(bpy.path.abspath(bpy.path.ensure_ext(self.filepath, ".safetensors")))
        packing.unpack(target(context), path, overwrite=True)


class NEURALPHYSICS_OT_import_model(Button, bpy.types.Operator):
    bl_idname = "neural_physics.import_model"
    bl_label = "Import Model"
    bl_description = "Load a model file that was trained on this mesh, and pack it into the .blend"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"})
    filter_glob: StringProperty(default=MODEL_FILES, options={"HIDDEN"})

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(target_of(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        object_tasks.use_model(obj, Path(bpy.path.abspath(self.filepath)))
        credit = credit_of(obj)
        if credit:
            self.report({"INFO"}, f"The model is {credit}")


def _require_packed(context: bpy.types.Context) -> None:
    obj = set_up_target(context)
    if settings_of(obj).model is None:
        raise Problem("model_not_packed", object=obj.name)


CLASSES = (
    NEURALPHYSICS_OT_pack,
    NEURALPHYSICS_OT_unpack,
    NEURALPHYSICS_OT_export_model,
    NEURALPHYSICS_OT_import_model,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
