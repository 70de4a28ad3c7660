"""Play: show the learned motion in place of the simulation, or the simulation again."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import IntProperty, StringProperty

from ..neural_physics.blender.playing import mesh_cache, playback
from ..neural_physics.blender.scene.cache_modifier import find_cache, remove_cache
from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.paths import playback_path
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import object_tasks
from ..neural_physics.errors import Problem
from .stepping import SteppedButton, Steps
from .support import Button, scene_of, set_up_target, target


class NEURALPHYSICS_OT_play(Button, bpy.types.Operator):
    bl_idname = "neural_physics.play"
    bl_label = "Play"
    bl_description = "Show the learned motion in place of the simulation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_play(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        playback.attach(target(context))


class NEURALPHYSICS_OT_stop_playing(Button, bpy.types.Operator):
    bl_idname = "neural_physics.stop_playing"
    bl_label = "Show Simulation"
    bl_description = "Stop playing the model and turn the simulation back on"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not settings_of(obj).playing and find_cache(obj) is None:
            raise Problem("not_playing", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        playback.detach(target(context))
        remove_cache(target(context))


class NEURALPHYSICS_OT_catch_up(SteppedButton, bpy.types.Operator):
    bl_idname = "neural_physics.catch_up"
    bl_label = "Catch Up"
    bl_description = (
        "Step through the frames that lead up to this one, since the motion depends on them; Esc stops"
    )

    def steps(self, context: bpy.types.Context) -> Steps:
        return playback.catch_up(scene_of(context))


class NEURALPHYSICS_OT_bake_playback(SteppedButton, bpy.types.Operator):
    bl_idname = "neural_physics.bake_playback"
    bl_label = "Bake Playback"
    bl_description = (
        "Write the motion to a PC2 file and show that instead, for rendering and sharing; Esc stops"
    )

    filepath: StringProperty(
        name="File",
        description="If empty, beside the model",
        subtype="FILE_PATH",
        options={"SKIP_SAVE", "PATH_SUPPORTS_BLEND_RELATIVE"},
    )
    filter_glob: StringProperty(default="*.pc2", options={"HIDDEN"})
    first: IntProperty(name="First Frame", description="If not set, the scene's", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="If not set, the scene's", options={"SKIP_SAVE"})

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not settings_of(obj).playing:
            raise Problem("not_playing", object=obj.name)

    def steps(self, context: bpy.types.Context) -> Steps:
        """What was not given is the scene's range, and a file beside the model."""
        scene, given = scene_of(context), self.properties.is_property_set
        first = self.first if given("first") else scene.frame_start
        last = self.last if given("last") else scene.frame_end
        path = Path(bpy.path.abspath(self.filepath)) if self.filepath else playback_path(target(context))
        return mesh_cache.bake_steps(scene, target(context), path, first, last=last)


class NEURALPHYSICS_OT_lock_interface(Button, bpy.types.Operator):
    bl_idname = "neural_physics.lock_interface"
    bl_label = "Lock Interface"
    bl_description = "Lock Blender's interface while rendering, so that every frame renders as it plays"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        scene_of(context).render.use_lock_interface = True


CLASSES = (
    NEURALPHYSICS_OT_play,
    NEURALPHYSICS_OT_stop_playing,
    NEURALPHYSICS_OT_catch_up,
    NEURALPHYSICS_OT_bake_playback,
    NEURALPHYSICS_OT_lock_interface,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
