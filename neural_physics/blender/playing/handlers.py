"""Blender's calls: a frame has changed, something was edited, undone or loaded."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..jobs import host
from ..jobs.main_thread import in_main_thread
from ..settings.overridden import misdirected, redirect
from .collision_suspension import resume_collisions
from .grabbing import grab_what_is_moved
from .played_objects import PlayedObjects, animation_plays

PLAYED = PlayedObjects()


@persistent
def before_frame_change(scene: bpy.types.Scene, *_: object) -> None:
    """Predict what objects will show; what the artist moves by hand leaves its keys."""
    grab_what_is_moved(PLAYED.movers)
    PLAYED.predict(scene)


@persistent
def before_other_handlers(*_: object) -> None:
    """Note where a hand has left things, before another add-on moves them for the new frame."""
    PLAYED.note_places()


@persistent
def on_frame_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Show the frame of the evaluated scene."""
    PLAYED.visit(scene, depsgraph)
    _stay_first()


@persistent
def on_edit(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Follow what was edited."""
    if in_main_thread():
        PLAYED.edited(scene, depsgraph)


@persistent
def on_undo(*_: object) -> None:
    """Rebuild what is played and mark it stale: an undo or redo may have changed anything."""
    # The scene is evaluated after this, and `on_edit` called then.
    PLAYED.undone()


@persistent
def before_load(*_: object) -> None:
    """Whatever goes wrong on the way, nothing of the file that is opened moves by itself."""
    PLAYED.consent.forget()
    host.forget_begun()  # and of what is delivered somebody here has begun it


@persistent
def on_load_failed(*_: object) -> None:
    """The file that was open still is."""
    PLAYED.consent.decide()


@persistent
def on_import(*_: object) -> None:
    """What the artist has asked for was not asked for what has come."""
    PLAYED.consent.ask_anew()


@persistent
def on_load(*_: object) -> None:
    """Begin again with the file that was opened."""
    PLAYED.clear()
    PLAYED.consent.decide()
    wrong = misdirected()
    if wrong and not PLAYED.consent.is_needed:
        redirect(wrong)
    PLAYED.rebuild()
    PLAYED.settle_previews(False)  # a file saved by itself while it played
    resume_collisions()  # something else may simulate since, for all that is known
    show_current_frame()


@persistent
def on_playback(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Begin a run: what is dragged from now on belongs to it."""
    PLAYED.begin_run(scene, depsgraph)


@persistent
def on_pause(*_: object) -> None:
    """Show the meshes again that a preview stood for."""
    settle_previews(playing=False)


@persistent
def before_save(*_: object) -> None:
    """Whoever opens the file without the extension shall see the mesh."""
    settle_previews(playing=False)


@persistent
def after_save(*_: object) -> None:
    """Go on with the previews that `before_save` ended."""
    settle_previews()


@persistent
def on_render(scene: bpy.types.Scene, *_: object) -> None:
    """A script may have edited what the render shows without notice."""
    if bpy.app.background and PLAYED.sessions() and PLAYED.consent.may_visit:
        for layer in scene.view_layers:
            if layer.use:
                layer.update()


def show_current_frame() -> None:
    """Show all objects of the current scene at its frame; opening a file calls no frame handler."""
    context = bpy.context
    if context.scene is not None and not PLAYED.waits:
        PLAYED.visit(context.scene, context.evaluated_depsgraph_get())


def settle_previews(playing: bool | None = None) -> None:
    """Preview what should be, and nothing else, and show all as it is now.

    playing: whether the animation plays; None: look.
    """
    if any(session.output.preview.on for session in PLAYED.sessions()) or PLAYED.previews_unsettled():
        PLAYED.settle_previews(animation_plays() if playing is None else playing)
        show_current_frame()


def _lists() -> list[tuple[list[Any], Any]]:
    handlers = bpy.app.handlers
    return [
        (handlers.frame_change_pre, before_other_handlers),
        (handlers.frame_change_pre, before_frame_change),
        (handlers.frame_change_post, on_frame_change),
        (handlers.depsgraph_update_post, on_edit),
        (handlers.undo_post, on_undo),
        (handlers.redo_post, on_undo),
        (handlers.load_pre, before_load),
        (handlers.load_post, on_load),
        (handlers.load_post_fail, on_load_failed),
        (handlers.blend_import_post, on_import),
        (handlers.animation_playback_pre, on_playback),
        (handlers.animation_playback_post, on_pause),
        (handlers.save_pre, before_save),
        (handlers.save_post, after_save),
        (handlers.render_init, on_render),
    ]


def register() -> None:
    """Append the handlers to Blender's lists, and show the current frame if a file is open."""
    for handlers, handler in _lists():
        handlers.append(handler)
    _stay_first()
    # While an add-on is being enabled at startup, there is no file to look at yet: `on_load` follows.
    if isinstance(bpy.data, bpy.types.BlendData):
        PLAYED.consent.decide()
        PLAYED.rebuild()
        show_current_frame()


def unregister() -> None:
    """Remove the handlers from Blender's lists and end all playback."""
    for handlers, handler in _lists():
        handlers.remove(handler)
    PLAYED.clear()


def _stay_first() -> None:
    """Let `before_other_handlers` come before those that other add-ons have put in front of it."""
    handlers = bpy.app.handlers.frame_change_pre
    if before_other_handlers in handlers[1:]:
        handlers.remove(before_other_handlers)
        handlers.insert(0, before_other_handlers)
