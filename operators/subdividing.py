"""Finer levels for a coarse cloth."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..neural_physics.blender.modelling import cloth_subdividing
from ..neural_physics.blender.scene.sources import mesh_data
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.subdivision.levels import MOST_LEVELS
from ..neural_physics.subdivision.usual_levels import USUAL_LEVELS
from .support import Button, target


class NEURALPHYSICS_OT_subdivide_cloth(Button, bpy.types.Operator):
    bl_idname = "neural_physics.subdivide_cloth"
    bl_label = "Subdivide Cloth"
    bl_description = (
        "Add finer levels to this coarse mesh, for Hierarchical Cloth: each triangle or quad is "
        "split into four, and pins, UVs and weights are kept"
    )
    bl_options = {"REGISTER", "UNDO"}

    levels: IntProperty(
        name="Levels", description="Number of subdivisions", default=USUAL_LEVELS, min=1, max=MOST_LEVELS
    )

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        cloth_subdividing.check_subdivide(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        coarse = len(mesh_data(obj).vertices)
        cloth_subdividing.subdivide_cloth(obj, self.levels)
        fine = len(mesh_data(obj).vertices)
        self.report({"INFO"}, f"{obj.name} has {fine} vertices, and {coarse} at its coarsest level")


CLASSES = (NEURALPHYSICS_OT_subdivide_cloth,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
