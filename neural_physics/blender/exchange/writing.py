"""Playing objects written as Alembic or USD: recorded here, written by another Blender, shown here again."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...errors import Problem
from ...files.atomic import writing
from ...files.looking import has_folder
from ...plain_text import one_line
from ..jobs import programs
from ..jobs.scratch_job import ScratchJob
from ..playing.handlers import PLAYED
from ..playing.mesh_cache import bake_steps
from ..playing.playback import detach
from ..scene.modifiers.cache_modifier import remove_cache
from ..scene.modifiers.sequence_cache import show_sequence
from ..settings.own_folders import EXTENSION_ROOT
from .formats import check_built_in, files_of, format_of
from .landing import Landing
from .recorded_file import write_recorded
from .recording import Recorded, Sampling, record_steps, remove
from .textures.texture_checks import check_texture, is_texture_of_ours
from .textures.texture_shown import show_texture

KIND = "write_motion"  # of job
WORKER = EXTENSION_ROOT / "neural_physics" / "blender" / "exchange" / "worker.py"
SHARE = 100  # steps of the progress for the other Blender, of as many for recording

Steps = Generator[tuple[int, int], None, str]


def motion_steps(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], path: Path, sampling: Sampling, *, show: bool
) -> Steps:
    """What `write_steps` does, or `mesh_cache.bake_steps` where the file is to be PC2, which is shown always.

    Raises what these do, and Problem("export_pc2_alone" | "format_not_built_in").
    """
    if has_folder(path):
        raise Problem("file_is_folder", path=path)
    check_built_in(path)
    if format_of(path) != "PC2":
        return write_steps(scene, objects, path, sampling, show=show)
    if sampling.samples > 1 or len(objects) != 1:
        raise Problem("export_pc2_alone", path=path)
    return _quiet(bake_steps(scene, objects[0], path, sampling.first, last=sampling.last))


def write_steps(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], path: Path, sampling: Sampling, *, show: bool
) -> Steps:
    """Write playing objects to one file, as they look with all their modifiers, and where they are.

    Yields how much is done, of how much, and returns what else there is to say of the file; closing the
    iterator leaves everything as it was. show: whether
    they show the file from now on, in place of playing. Times in the file are those of the scene: of
    sub-frames USD has as many more frames a second.
    glTF has shape keys (morph targets) with keyed values, within `sampling.error`. A vertex animation texture
    comes with its meshes and its data beside it, and is shown by another object beside the one that plays on.
    Raises what `check` and `record_steps` do, and Problem("export_failed" | "job_not_started").
    """
    check(objects, path, sampling)
    if show and format_of(path) == "GLTF":
        raise Problem("export_not_shown", path=path)
    job, began = ScratchJob(KIND), list[Recorded]()
    landing = Landing(files_of(path), job.folder, known=is_texture_of_ours(path))

    def begin(recorded: list[Recorded]) -> None:
        began.extend(recorded)
        scratch = landing.scratch
        plan = _planned(scene, job.folder, recorded, sampling, scratch=scratch, name=path.name, show=show)
        job.start([*programs.background_blender(WORKER), str(plan)])

    try:
        job.make_folder()
        landing.begin()
        # The other Blender starts, and writes what is there already, while the rest is recorded.
        for done, total in record_steps(scene, objects, sampling, job.folder, begun=begin):
            yield round(SHARE * done / total), 2 * SHARE
        for share in job.shares():
            yield SHARE + round(SHARE * share), 2 * SHARE
        result = job.state.result
        landing.land()
        if show and format_of(path) == "TEXTURE":
            show_texture(scene, objects[0], began[0], path, data=result["texture"])
    finally:
        remove([one.mesh for one in began])
        job.close()
    if show and format_of(path) != "TEXTURE":
        places = result.get("paths", [])
        for obj, place in zip(objects, places, strict=True):
            detach(obj)
            remove_cache(obj)
            if place:
                show_sequence(obj, path, place, sampling.samples if format_of(path) == "USD" else 1)
    return str(result.get("said", ""))


def _quiet(steps: Generator[tuple[int, int], None, None]) -> Steps:
    yield from steps
    return ""


def check(objects: Sequence[bpy.types.Object], path: Path, sampling: Sampling) -> None:
    """Raise what keeps objects from being written.

    Problem("export_format_unknown" | "frames_reversed" | "file_is_folder" | "nothing_plays" | "not_playing" |
    "export_loop_of_texture"), and what `check_texture` does.
    """
    format_of(path)
    if not objects:
        raise Problem("nothing_plays")
    if sampling.first > sampling.last:
        raise Problem("frames_reversed", object=objects[0].name, first=sampling.first, last=sampling.last)
    for each in files_of(path):
        if has_folder(each):
            raise Problem("file_is_folder", path=each)
    for obj in objects:
        PLAYED.sound_session(obj)
    if format_of(path) == "TEXTURE":
        check_texture(objects, path, sampling)
    elif sampling.overlap:
        raise Problem("export_loop_of_texture", path=path)


def playing_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """All of a scene's that play, in the scene's order."""
    return [obj for obj in scene.objects if PLAYED.session_of(obj) is not None]


def _planned(
    scene: bpy.types.Scene,
    folder: Path,
    recorded: Sequence[Recorded],
    sampling: Sampling,
    *,
    scratch: Path,
    name: str,
    show: bool,
) -> Path:
    """The other Blender's work, as a file."""
    first = sampling.first * sampling.samples
    materials = write_recorded(recorded, first, folder / "recorded.blend")
    plan: dict[str, Any] = {
        "task": "write",
        "recorded": str(folder / "recorded.blend"),
        "path": str(scratch),
        "name": name,
        "show": show,
        "names": [(one_line(one.name), one_line(one.data_name)) for one in recorded],
        "materials": materials,
        "places": [str(one.places) for one in recorded],
        "shapes": [str(one.shapes) for one in recorded],
        "first": first,
        "last": sampling.last * sampling.samples,
        "fps": scene.render.fps * sampling.samples,
        "fps_base": scene.render.fps_base,
        "error": sampling.error,
        "samples": sampling.samples,
        "overlap": sampling.overlap * sampling.samples,
    }
    with writing(folder):
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return folder / "plan.json"
