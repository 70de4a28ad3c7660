"""Model assets: made of the model that an object plays, and played on what they are dropped on."""

from __future__ import annotations

import textwrap
from contextlib import suppress

import bpy

from ..neural_physics.blender.assets import drops
from ..neural_physics.blender.assets.dropped_models import check_dropped, play_dropped
from ..neural_physics.blender.assets.marking import mark
from ..neural_physics.blender.playing import playback
from ..neural_physics.blender.scene.selecting import select_only
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks import object_tasks
from ..neural_physics.errors import Problem
from .play import start_animation
from .support import Button, remember_in_undo, set_up_target, target

WIDTH = 70  # characters of a line in a popup


class NEURALPHYSICS_OT_mark_as_asset(Button, bpy.types.Operator):
    bl_idname = "neural_physics.mark_as_asset"
    bl_label = "Mark as Asset"
    bl_description = (
        "Make the trained model an asset of this file, or replace it with the model as it is now. "
        "Dragged from the asset browser onto the mesh it was trained on, it plays there"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        object_tasks.check_play(set_up_target(context))

    def run(self, context: bpy.types.Context) -> None:
        group = mark(target(context))
        self.report({"INFO"}, f"{group.name} is an asset now: save this file in an asset library")


class NEURALPHYSICS_OT_play_asset(Button, bpy.types.Operator):
    bl_idname = "neural_physics.play_asset"
    bl_label = "Play Model Asset"
    bl_description = "Play the model of the asset that was dropped on it, and take the asset's modifier off"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_dropped(target(context))

    def run(self, context: bpy.types.Context) -> None:
        playback.go_on()
        play_dropped(target(context))
        start_animation()


def _dropped(objects: list[bpy.types.Object]) -> None:
    """Play what was dropped, as one step of undo; why some of it cannot is said in the window."""
    problems, playing = [], []
    for obj in objects:
        try:
            play_dropped(obj)
            playing.append(obj)
        except Problem as problem:
            problems.append(problem)
    if playing:
        _select(playing[-1])
        remember_in_undo(NEURALPHYSICS_OT_play_asset.bl_label)
        start_animation()
    if problems:
        _say(problems)


def _select(obj: bpy.types.Object) -> None:
    """As a click does: the tab then shows the object, and what may be missing to it."""
    context = bpy.context
    if context.mode == "OBJECT":
        with suppress(Problem):  # what was dropped is hidden, or excluded
            select_only(obj)


def _say(problems: list[Problem]) -> None:
    """A popup at the pointer, as Blender shows the errors of a button."""

    def draw(popup: bpy.types.UIPopupMenu, _context: bpy.types.Context) -> None:
        assert popup.layout is not None  # a popup that draws has one
        for problem in problems:
            for line in textwrap.wrap(problem.message, WIDTH):
                popup.layout.label(text=line)

    manager = bpy.context.window_manager
    if bpy.app.background or manager is None:
        return
    with bpy.context.temp_override(window=bpy.context.window or manager.windows[0]):  # a timer has none
        manager.popup_menu(draw, title=NEURALPHYSICS_OT_play_asset.bl_label, icon="ERROR")


CLASSES = (NEURALPHYSICS_OT_mark_as_asset, NEURALPHYSICS_OT_play_asset)


def register() -> None:
    register_classes(CLASSES)
    drops.on_drop(_dropped)


def unregister() -> None:
    unregister_classes(CLASSES)
