"""Noticing that a model asset has been dropped on a mesh.

A drop adds a modifier, and a depsgraph update reports its object. Data must not be changed in that handler: a
timer does it, as soon as Blender is back in its main loop. In the background there are no timers, and scripts
call the operator.

Only what is dropped is acted on. A file is opened as it was saved, what is appended comes as it is, and an
undo or redo leads to what was there, or nobody could undo a drop: such a modifier passes geometry through
until the artist says Play Model Asset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import bpy
from bpy.app.handlers import persistent

from ..jobs.main_thread import in_main_thread
from ..jobs.timers import in_window
from .dropped_models import dropped_on
from .marking import holds_model

WAIT = 0.5  # seconds, while a render reads the scene
Play = Callable[[list[bpy.types.Object]], None]
Drop = tuple[int, int]  # the session_uid of an object, and the persistent_uid of a modifier of it

_left_alone: set[Drop] = set()
_known: set[int] = set()  # the session_uid of objects that were seen before
_waiting: set[int] = set()  # the session_uid of objects that something was dropped on
_plays: list[Play] = []


def on_drop(play: Play) -> None:
    """Call `play(objects)` when model assets have been dropped on them."""
    _plays[:] = [play]


@persistent
def notice(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Look for drops on what an update reports."""
    if not in_main_thread() or depsgraph.mode == "RENDER":
        return
    for update in depsgraph.updates:
        if update.is_updated_geometry and isinstance(update.id, bpy.types.Object):
            obj = cast(bpy.types.Object, update.id.original)
            if obj.session_uid not in _known:  # it has just been made, of another one with all that is on it
                _known.add(obj.session_uid)
                _left_alone.update(_drops_on(obj))
            if not _left_alone.issuperset(_drops_on(obj)):
                _waiting.add(obj.session_uid)
    if _waiting and not bpy.app.timers.is_registered(play_waiting):
        bpy.app.timers.register(play_waiting, first_interval=0.0)


@persistent
def leave_alone(*_: object) -> None:
    """Act on no drop that is there now: a file was opened, or an undo or redo has led here."""
    _waiting.clear()
    _left_alone.clear()
    _known.clear()
    _known.update(obj.session_uid for obj in bpy.data.objects)
    if any(map(holds_model, bpy.data.node_groups)):
        _left_alone.update(drop for obj in bpy.data.objects for drop in _drops_on(obj))


@persistent
def leave_imported_alone(*_: object) -> None:
    """Act on nothing that has come with an object: a drop brings a node group, then adds a modifier."""
    if any(map(holds_model, bpy.data.node_groups)):
        others = (obj for obj in bpy.data.objects if obj.session_uid not in _waiting)
        _left_alone.update(drop for obj in others for drop in _drops_on(obj))


@in_window
def play_waiting() -> float | None:
    """Play what was dropped; Blender's timer. Returns the seconds until it is to be called again."""
    if bpy.app.is_job_running("RENDER"):
        return WAIT
    objects = [obj for obj in bpy.data.objects if obj.session_uid in _waiting and dropped_on(obj)]
    _waiting.clear()
    if objects:
        for play in _plays:
            play(objects)
    return None


def register() -> None:
    """Append the handlers to Blender's lists; what was dropped before is left alone."""
    for handlers, handler in _lists():
        handlers.append(handler)
    # While an add-on is being enabled at startup, there is no file to look at yet.
    if isinstance(bpy.data, bpy.types.BlendData):
        leave_alone()


def unregister() -> None:
    """Remove the handlers from Blender's lists, and forget all drops."""
    for handlers, handler in _lists():
        handlers.remove(handler)
    if bpy.app.timers.is_registered(play_waiting):
        bpy.app.timers.unregister(play_waiting)
    _waiting.clear()
    _left_alone.clear()
    _plays.clear()


def _drops_on(obj: bpy.types.Object) -> Iterator[Drop]:
    return ((obj.session_uid, modifier.persistent_uid) for modifier in dropped_on(obj))


def _lists() -> list[tuple[list[Any], Any]]:
    handlers = bpy.app.handlers
    return [
        (handlers.depsgraph_update_post, notice),
        (handlers.undo_post, leave_alone),
        (handlers.redo_post, leave_alone),
        (handlers.load_post, leave_alone),
        (handlers.blend_import_post, leave_imported_alone),
    ]
