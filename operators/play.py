"""Play: show the learned motion in place of the simulation, or the simulation again."""

from __future__ import annotations

import bpy

from ..neural_physics.blender import playback, tasks
from ..neural_physics.blender.registration import register_classes, unregister_classes
from ..neural_physics.blender.targets import target_of
from .support import Button, OperatorReturnItems, scene_of, target


class NEURALPHYSICS_OT_play(Button, bpy.types.Operator):
    bl_idname = "neural_physics.play"
    bl_label = "Play"
    bl_description = "Show the learned motion in place of the simulation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        tasks.check_play(target_of(context))

    def run(self, context: bpy.types.Context) -> None:
        playback.attach(target(context))


class NEURALPHYSICS_OT_stop_playing(Button, bpy.types.Operator):
    bl_idname = "neural_physics.stop_playing"
    bl_label = "Show Simulation"
    bl_description = "Stop playing and switch the simulation on again"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        playback.detach(target(context))


class NEURALPHYSICS_OT_catch_up(Button, bpy.types.Operator):
    bl_idname = "neural_physics.catch_up"
    bl_label = "Catch Up"
    bl_description = "Visit the frames before this one, from which its motion follows; Esc stops"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        manager = context.window_manager
        self._frames = playback.catch_up(scene_of(context))
        self._timer = manager.event_timer_add(0.01, window=context.window)
        manager.progress_begin(0.0, 1.0)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if event.type == "ESC":
            return self._end(context, {"CANCELLED"})
        if event.type == "TIMER":
            step = next(self._frames, None)
            if step is None:
                return self._end(context, {"FINISHED"})
            context.window_manager.progress_update(step[0] / step[1])
        return {"RUNNING_MODAL"}

    def run(self, context: bpy.types.Context) -> None:
        for _ in playback.catch_up(scene_of(context)):
            pass

    def _end(self, context: bpy.types.Context, result: set[OperatorReturnItems]) -> set[OperatorReturnItems]:
        self._frames.close()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        return result


class NEURALPHYSICS_OT_lock_interface(Button, bpy.types.Operator):
    bl_idname = "neural_physics.lock_interface"
    bl_label = "Lock Interface"
    bl_description = "Lock Blender's interface while it renders, so that every frame is rendered as it plays"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        scene_of(context).render.use_lock_interface = True


CLASSES = (
    NEURALPHYSICS_OT_play,
    NEURALPHYSICS_OT_stop_playing,
    NEURALPHYSICS_OT_catch_up,
    NEURALPHYSICS_OT_lock_interface,
)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)
