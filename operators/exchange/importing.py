"""Takes that another program has simulated."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...neural_physics.blender.exchange.formats import glob_of
from ...neural_physics.blender.exchange.reading import Chosen
from ...neural_physics.blender.scene.sources import check_mesh
from ...neural_physics.blender.scene.targets import target_of
from ...neural_physics.blender.settings.registration import register_classes, unregister_classes
from ...neural_physics.blender.tasks import object_tasks
from ..stepping import FileButton, Steps
from ..support import scene_of, target

ROLES = [
    ("training", "Training", "Learn from this take"),
    ("validation", "Validation", "Choose the best model with this take"),
    ("test", "Test", "Evaluate the model on this take"),
]


class NEURALPHYSICS_OT_import_take(FileButton, bpy.types.Operator):
    bl_idname = "neural_physics.import_take"
    bl_label = "Import Take"
    bl_description = (
        "Add a simulation from another program: Alembic or USD with what it reacts to, or a point cache "
        "(PC2 or MDD) and its interaction (CSV, .npy, or from this scene)"
    )

    filepath: StringProperty(
        name="Point Cache", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: StringProperty(
        default=f"{glob_of('PC2', 'ALEMBIC', 'USD')};*.mdd;*.csv;*.npy", options={"HIDDEN"}
    )
    interaction: StringProperty(
        name="Interaction",
        description="One row per frame; if empty, the file of the same name beside the cache",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
    )
    from_scene: BoolProperty(
        name="Interaction from This Scene",
        description=(
            "Step through the scene's frames from Start, reading the objects that this one reacts "
            "to; Esc stops"
        ),
    )
    mesh: StringProperty(
        name="Mesh in the File",
        description="The object's name in an Alembic or USD file; if empty, the only one that fits",
        options={"SKIP_SAVE"},
    )
    rest: BoolProperty(
        name="First Shape Is at Rest",
        description="Of an Alembic or USD file: take the first shape there for the shape at rest",
        options={"SKIP_SAVE"},
    )
    role: EnumProperty(name="Use", items=ROLES)

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_mesh(target_of(context))

    def steps(self, context: bpy.types.Context) -> Steps:
        cache = Path(bpy.path.abspath(self.filepath))
        chosen = bpy.path.abspath(self.interaction)
        obj = target(context)
        source = object_tasks.interaction_of(obj, cache, Path(chosen) if chosen else None, self.from_scene)
        wanted = Chosen(self.mesh, self.rest, shapes_alone=self.from_scene)
        name = yield from object_tasks.import_steps(
            scene_of(context), obj, cache, source, role=self.role, chosen=wanted
        )
        self.report({"INFO"}, f"Imported as {name}")


CLASSES = (NEURALPHYSICS_OT_import_take,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
