"""Takes from Alembic and USD files: read by another Blender, and made a take of here."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...arrays import Doubles, Floats
from ...datasets.importing import Sampled
from ...errors import Problem
from ...files.atomic import writing
from ...files.blenders_places import check_blenders
from ...files.looking import is_file
from ..jobs import programs
from ..jobs.scratch_job import ScratchJob
from ..scene.sampling import FRAME_BINDING, ChannelSampler, layout_of, reference_frame_of
from ..scene.sources import mesh_data
from ..settings.frame_rate import frame_rate_of
from .file_reading import PLACES, REST, SHAPES
from .formats import FORMATS, check_built_in
from .writing import WORKER

KIND = "read_motion"  # of job
SHARE = 100  # steps of the progress for the other Blender
MOVED = ("position", "orientation")  # kinds of channels that are read from places in the file


@dataclass(frozen=True)
class Chosen:
    """What of a file is meant. mesh: the object's name there, or "" for the only one that fits. rest: whether
    its first shape is the shape at rest, too. others: names in the file, by those of the scene's objects.
    shapes_alone: whether what the object reacts to is read from elsewhere.
    """

    mesh: str = ""
    rest: bool = False
    others: Mapping[str, str] = field(default_factory=dict)
    shapes_alone: bool = False


@dataclass(frozen=True)
class Read:
    """shapes: a PC2 file, which is gone with the job's folder. rest (V, 3), if asked for."""

    shapes: Path
    sampled: Sampled | None
    rest: Floats | None


def holds_scenes(path: Path) -> bool:
    """Whether a file is one of those that are read so."""
    return FORMATS.get(path.suffix.lower()) in ("ALEMBIC", "USD")


def read_steps(
    scene: bpy.types.Scene, obj: bpy.types.Object, path: Path, chosen: Chosen, *, job: ScratchJob
) -> Generator[tuple[int, int], None, Read]:
    """Read what an object did in a file, and how what it reacts to moved there, at the scene's frame rate.

    What the file has an object for, it is read from that, by the object's own name or as `chosen.others` say;
    wind, handles and values are as they are in the scene now. job: whose folder it is written to, and which
    the caller closes. Yields how much is done, of how much.
    Raises what `file_reading.read_file`, `layout_of` and `ChannelSampler` do, and
    Problem("format_not_built_in" | "place_not_blenders" | "import_needs_places" | "frame_rate_missing" |
    "job_not_started").
    """
    check_built_in(path)
    if not is_file(path):
        raise Problem("file_missing", path=path)
    check_blenders(path)  # which reads it
    others = [] if chosen.shapes_alone else _others(obj, path)
    job.make_folder()
    plan: dict[str, Any] = {
        "task": "read",
        "path": str(path),
        "folder": str(job.folder),
        "object": obj.name,
        "mesh": chosen.mesh,
        "vertices": len(mesh_data(obj).vertices),
        "others": [chosen.others.get(name, name) for name in others],
        "scale": obj.matrix_world.to_scale().to_tuple(),
        "fps": scene.render.fps,
        "fps_base": scene.render.fps_base,
    }
    with writing(job.folder):
        (job.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    job.start([*programs.background_blender(WORKER), str(job.folder / "plan.json")])
    for share in job.shares():
        yield round(SHARE * share), SHARE
    places = np.load(job.folder / PLACES, allow_pickle=False)
    rest = np.load(job.folder / REST, allow_pickle=False) if chosen.rest else None
    sampled = None if chosen.shapes_alone else _sampled(scene, obj, others, places)
    return Read(job.folder / SHAPES, sampled, rest)


def _others(obj: bpy.types.Object, path: Path) -> list[str]:
    """The names of what is to be in the file beside the object."""
    layout, own_frame = layout_of(obj), reference_frame_of(obj)
    bones = [channel.name for channel in layout.channels if channel.kind in ("joints", "pose")]
    if "/" in own_frame:
        bones.append(own_frame)
    if bones:
        raise Problem("import_needs_places", path=path, object=obj.name, name=bones[0])
    sources = {channel.source for channel in layout.channels if channel.kind in MOVED}
    return sorted((sources | {own_frame}) - {""})


def _sampled(scene: bpy.types.Scene, obj: bpy.types.Object, others: list[str], places: Doubles) -> Sampled:
    """y in each frame, read from stand-ins that are put where everything was (T, 1 + others, 4, 4)."""
    layout, own_frame = layout_of(obj), reference_frame_of(obj)
    stand_ins = [bpy.data.objects.new("Stand-In", None) for _ in range(1 + len(others))]
    try:
        by_name = {name: stand_in.name for name, stand_in in zip(others, stand_ins[1:], strict=True)}
        bindings = {c.name: by_name[c.source] for c in layout.channels if c.kind in MOVED}
        bindings[FRAME_BINDING] = by_name[own_frame] if own_frame else stand_ins[0].name
        sampler = ChannelSampler(obj, layout, own_frame, bindings, fps=frame_rate_of(scene))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        rows = np.empty((len(places), layout.size), np.float32)
        for index, stand in enumerate(places):
            for stand_in, matrix in zip(stand_ins, stand, strict=True):
                stand_in.matrix_world = Matrix(matrix.tolist())
            rows[index] = sampler.sample(depsgraph, index)
    finally:
        bpy.data.batch_remove(ids=stand_ins)
    frames = np.linalg.inv(places[:, 0]) @ places[:, 1 + others.index(own_frame)] if own_frame else None
    return Sampled(layout, rows, own_frame, frames)
