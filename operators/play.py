"""Play: show the learned motion in place of the simulation, or the simulation again."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ..neural_physics.blender.playing import grabbing, playback
from ..neural_physics.blender.playing.played_objects import animation_plays
from ..neural_physics.blender.scene.modifiers.cache_modifier import remove_cache, shown_file
from ..neural_physics.blender.scene.rigs.main_control import hold_main_control
from ..neural_physics.blender.scene.selecting import select_only
from ..neural_physics.blender.scene.targets import channel_objects, keep_target, target_of
from ..neural_physics.blender.settings.having_settings import having_settings
from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import object_tasks
from ..neural_physics.errors import Problem
from .stepping import SteppedButton, Steps
from .support import Button, scene_of, set_up_target, target


def start_animation() -> None:
    """Play the animation, where there is a window, it does not play yet, and nothing waits for Play."""
    manager = bpy.context.window_manager
    if bpy.app.background or animation_plays() or manager is None or playback.waits():
        return
    with bpy.context.temp_override(window=bpy.context.window or manager.windows[0]):  # a timer has none
        bpy.ops.screen.animation_play()


class NEURALPHYSICS_OT_play(Button, bpy.types.Operator):
    bl_idname = "neural_physics.play"
    bl_label = "Play"
    bl_description = "Show the learned motion in place of the simulation, and start the animation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_play(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        playback.go_on()
        playback.attach(target(context))
        start_animation()


class NEURALPHYSICS_OT_stop_playing(Button, bpy.types.Operator):
    bl_idname = "neural_physics.stop_playing"
    bl_label = "Stop"
    bl_description = "Stop playing the model, turn the simulation back on, and pause the animation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        obj = set_up_target(context)
        if not settings_of(obj).playing and not shown_file(obj):
            raise Problem("not_playing", object=obj.name)

    def run(self, context: bpy.types.Context) -> None:
        obj = target(context)
        waited, left = playback.waits(), playback.detach(obj)
        remove_cache(obj)
        for modifier in left:
            said = Problem("physics_stays_off", object=obj.name, modifier=modifier.name)
            self.report({"WARNING"}, said.message)
        for mover in channel_objects(obj) if not waited else ():  # to move them would be an edit
            try:
                grabbing.release(mover)
            except Problem as problem:
                self.report({"WARNING"}, problem.message)
        if animation_plays() and not any(
            settings_of(other).playing for other in having_settings(scene_of(context).objects)
        ):
            bpy.ops.screen.animation_cancel(restore_frame=False)


class NEURALPHYSICS_OT_grab(Button, bpy.types.Operator):
    bl_idname = "neural_physics.grab"
    bl_label = "Grab"
    bl_description = "Select it and put its keys aside until it is released: G then moves it while all plays"
    bl_options = {"REGISTER", "UNDO"}

    mover: StringProperty(name="Object", description="What to grab, of what the object reacts to")

    def run(self, context: bpy.types.Context) -> None:
        obj, mover = set_up_target(context), _mover(context, self.mover)
        grabbing.check_grab(obj, mover)
        keep_target(mover, obj)
        grabbing.grab(mover)
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        select_only(mover)
        held = hold_main_control(mover) if mover.type == "ARMATURE" else None
        if held is not None:
            bpy.ops.object.mode_set(mode="POSE")
        name = mover.name if held is None else f"{held.name} of {mover.name}"
        self.report({"INFO"}, f"Press G to move {name}, or R to turn it")


class NEURALPHYSICS_OT_release(Button, bpy.types.Operator):
    bl_idname = "neural_physics.release"
    bl_label = "Release"
    bl_description = "Let it follow its keys again"
    bl_options = {"REGISTER", "UNDO"}

    mover: StringProperty(name="Object", description="What to release")

    def run(self, context: bpy.types.Context) -> None:
        grabbing.release(_mover(context, self.mover))


def _mover(context: bpy.types.Context, name: str) -> bpy.types.Object:
    """One of what the object reacts to. Raises Problem("interaction_unknown")."""
    obj = set_up_target(context)
    found = [mover for mover in channel_objects(obj) if mover.name == name]
    if not found:
        raise Problem("interaction_unknown", object=obj.name, interaction=name)
    return found[0]


class NEURALPHYSICS_OT_catch_up(SteppedButton, bpy.types.Operator):
    bl_idname = "neural_physics.catch_up"
    bl_label = "Catch Up"
    bl_description = (
        "Step through the frames that lead up to this one, since the motion depends on them; Esc stops"
    )

    def steps(self, context: bpy.types.Context) -> Steps:
        return playback.catch_up(scene_of(context))


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
    NEURALPHYSICS_OT_grab,
    NEURALPHYSICS_OT_release,
    NEURALPHYSICS_OT_catch_up,
    NEURALPHYSICS_OT_lock_interface,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
