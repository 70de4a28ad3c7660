"""Playing baked to a PC2 file: for final renders, and for people without the extension."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import bpy

from ...datasets.point_caches import pc2_header
from ...errors import Problem
from ...files.atomic import writing
from ...files.looking import has_folder
from ...files.replacing import replace
from ..scene.modifiers.cache_modifier import show_cache
from ..scene.simulation_caches import check_visits
from .handlers import PLAYED, settle_previews
from .output.geometry_nodes import read_positions
from .output.position_places import positions_mesh
from .playback import detach

Report = Callable[[int, int], None]


def bake_playback(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    path: Path,
    first: int,
    *,
    last: int,
    progress: Report | None = None,
) -> None:
    """Write the frames first..last of a playing object to a PC2 file, and show that file from now on.

    progress: called with the frames done and how many there are. Raises what `bake_steps` does.
    """
    for done, total in bake_steps(scene, obj, path, first, last=last):
        if progress is not None:
            progress(done, total)


def bake_steps(
    scene: bpy.types.Scene, obj: bpy.types.Object, path: Path, first: int, *, last: int
) -> Generator[tuple[int, int], None, None]:
    """What `bake_playback` does, one frame at a time; closing the iterator leaves everything as it was.

    Raises Problem("not_playing" | "frames_reversed" | "file_is_folder" | "folder_not_writable" |
    "disk_full"), and what keeps the object from playing on the way.
    """
    if first > last:
        raise Problem("frames_reversed", object=obj.name, first=first, last=last)
    if has_folder(path):
        raise Problem("file_is_folder", path=path)
    check_visits()
    session = PLAYED.sound_session(obj)
    settle_previews(playing=False)  # the file is made of what the mesh shows
    before = session.timeline.missing(first)
    total = len(before) + last - first + 1
    frame, subframe = scene.frame_current, scene.frame_subframe
    scratch = path.with_name(path.name + ".new")
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with writing(path.parent):
            scratch.unlink(missing_ok=True)
            with scratch.open("xb") as file:
                file.write(pc2_header(session.method.vertex_count, last - first + 1, first))
                for done, number in enumerate(chain(before, range(first, last + 1)), 1):
                    scene.frame_set(number)
                    PLAYED.sound_session(obj)
                    if number >= first:
                        file.write(read_positions(positions_mesh(obj)).tobytes())
                    yield done, total
            replace(scratch, path)
    finally:
        scene.frame_set(frame, subframe=subframe)
        with suppress(OSError):  # in a folder that has become read-only; why the bake ended is said already
            scratch.unlink(missing_ok=True)
    detach(obj)
    show_cache(obj, path, first)
