"""Files of a scene that had no file yet, moved beside its .blend once it has one. Links are not followed."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import bpy

from ...datasets.status import forget
from ...errors import Problem
from ...files.atomic import writing
from ...files.below import clear_below, rename_below
from ...files.copying import copy_whole_folder
from ...files.links import check_no_link, is_link, resolved
from ...files.looking import is_folder
from ...files.replacing import rename
from ...jobs.process import is_written
from ...jobs.wording import job_name
from ..jobs import host
from ..scene.targets import check_editable, check_set_up
from ..settings.having_settings import having_settings
from ..settings.named_places import check_place
from ..settings.own_folders import unsaved_folder
from ..settings.paths import DATASET_SETTING, check_places, home_folder
from ..settings.properties import settings_of
from . import facts, object_tasks

SETTINGS = ("dataset_folder", "model_path")


def left_behind(obj: bpy.types.Object) -> Path | None:
    """The folder that an object's files have been in since its scene had no file; None if there is none.

    Only for an object whose places have been checked.
    """
    if not bpy.data.filepath:
        return None
    folders = (_folder_of(getattr(settings_of(obj), name)) for name in SETTINGS)
    return next((folder for folder in folders if folder is not None and is_folder(folder)), None)


def check_move(obj: bpy.types.Object | None) -> Path:
    """Raise the Problem that keeps an object's files from being moved beside the .blend; where they are.

    What `check_set_up`, `check_editable` and `check_places` raise, and Problem("nothing_left_behind" |
    "place_is_link" | "object_busy").
    """
    obj = check_set_up(obj)
    check_editable(obj)
    check_places(obj)
    folder = left_behind(obj)
    if folder is None:
        raise Problem("nothing_left_behind", object=obj.name)
    check_no_link(folder)
    for user in _users(folder):
        busy = object_tasks.running(user)
        if busy:
            raise Problem("object_busy", object=user.name, job=job_name(busy))
    return folder


def move_files(obj: bpy.types.Object) -> Path:
    """Move an object's files beside the .blend, and name them there in all settings; returns their folder.

    Raises what `check_move` does, and Problem("place_elsewhere" | "folder_not_writable" | "disk_full"); then
    nothing has changed.
    """
    folder = check_move(obj)
    if any(is_written(log) for log in folder.rglob("*.jsonl") if not is_link(log)):
        # What another Blender has started, or has outlived the bake that started it.
        raise Problem("object_busy", object=obj.name, job=job_name(object_tasks.BAKE))
    target = check_place(_free_place(obj), obj, DATASET_SETTING)
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        copied = not _renamed(folder, target)
        if copied:
            _copy(folder, target)
    for user in _users(folder):
        for name in SETTINGS:
            _name_anew(settings_of(user), name, folder, target)
    for modifier in _caches():
        _name_anew(modifier, "filepath", folder, target)
    if copied:
        shutil.rmtree(folder, ignore_errors=True)
    host.let_go(folder)
    forget()
    facts.forget_facts()
    return target


def _folder_of(named: str) -> Path | None:
    """The folder directly below that of unsaved scenes that a place is in."""
    place, root = _whole(named), unsaved_folder()
    if not named or place == root or not place.is_relative_to(root):
        return None
    return root / place.relative_to(root).parts[0]


def _users(folder: Path) -> list[bpy.types.Object]:
    """The objects of this file whose files are in a folder."""
    having = having_settings(bpy.data.objects)
    own = (obj for obj in having if obj.library is None and obj.override_library is None)
    return [
        obj for obj in own if any(_folder_of(getattr(settings_of(obj), name)) == folder for name in SETTINGS)
    ]


def _caches() -> Iterator[bpy.types.MeshCacheModifier]:
    """What shows files in the scene: takes, evaluations and baked playback."""
    for obj in bpy.data.objects:
        if obj.library is None:
            for modifier in obj.modifiers:
                if isinstance(modifier, bpy.types.MeshCacheModifier):
                    yield modifier


def _free_place(obj: bpy.types.Object) -> Path:
    """Where an object's files belong, or beside that where something is there already."""
    home = home_folder(obj)
    places = (home if number == 1 else home.with_name(f"{home.name} {number}") for number in count(1))
    return next(place for place in places if not os.path.lexists(place))


def _renamed(folder: Path, target: Path) -> bool:
    """Whether it could be moved without copying, which only goes on one disk."""
    try:
        rename(folder, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _copy(folder: Path, target: Path) -> None:
    """All or nothing."""
    needed = sum(path.lstat().st_size for path in folder.rglob("*"))
    if shutil.disk_usage(target.parent).free < needed:
        raise Problem("disk_full", path=target.parent)
    target = resolved(target.parent) / target.name
    scratch = target.with_name(f"{target.name} {uuid.uuid4().hex}")  # which nobody has
    try:
        copy_whole_folder(resolved(folder), scratch, target_below=target.parent)
        rename_below(target.parent, scratch, target)
    except BaseException:
        clear_below(target.parent, scratch)
        raise


def _name_anew(owner: bpy.types.bpy_struct, setting: str, folder: Path, target: Path) -> None:
    """Let a setting that names a place in a folder name it where that is now, relative to the .blend."""
    named: str = getattr(owner, setting)
    place = _whole(named)
    if named and place.is_relative_to(folder):
        now = (target / place.relative_to(folder)).relative_to(Path(bpy.data.filepath).parent)
        setattr(owner, setting, f"//{now.as_posix()}")


def _whole(named: str) -> Path:
    """The absolute path without `..`, found without looking at the disk."""
    return Path(os.path.abspath(bpy.path.abspath(named)))  # noqa: PTH100 (`resolve` would look)
