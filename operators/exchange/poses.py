"""Baked poses, as training data for other programs."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...neural_physics.blender.exchange.poses.pose_exporting import pose_steps, shapes_beside
from ...neural_physics.blender.scene.sources import check_mesh
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.files.names import portable
from ...neural_physics.plain_text import displayable
from ..stepping import FileButton, Steps
from ..support import OperatorReturnItems, set_up_target, target


class NEURALPHYSICS_OT_export_poses(FileButton, bpy.types.Operator):
    bl_idname = "neural_physics.export_poses"
    bl_label = "Export Poses"
    bl_description = (
        "Write the baked poses as training data for Unreal's ML Deformer: a skeletal mesh with one frame for "
        "each (FBX), and the simulated shapes beside it (Alembic); Esc stops"
    )

    filepath: StringProperty(
        name="File", subtype="FILE_PATH", options={"SKIP_SAVE", "PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: StringProperty(default="*.fbx", options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})  # the dialog says what is there

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(set_up_target(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if not self.filepath:
            beside = "//" if bpy.data.filepath else ""
            self.filepath = f"{beside}{portable(target(context).name)}.fbx"
        return super().invoke(context, event)

    def steps(self, context: bpy.types.Context) -> Steps:
        path = Path(bpy.path.abspath(self.filepath))
        said = yield from pose_steps(target(context), path)
        self.report({"INFO"}, f"{displayable(path)} and {shapes_beside(path).name} have {said}")


CLASSES = (NEURALPHYSICS_OT_export_poses,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
