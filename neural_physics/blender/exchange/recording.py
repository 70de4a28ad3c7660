"""What objects look like while they play, sampled frame by frame: shapes to files, places to arrays."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import bpy
import numpy as np

from ...arrays import Doubles
from ...datasets.point_caches import pc2_header
from ...errors import Problem
from ...files.atomic import writing
from ..playing.handlers import PLAYED, settle_previews
from ..scene.sources import read_positions

MOST_SAMPLES = 16  # of a frame


@dataclass(frozen=True)
class Sampling:
    """Which moments of a scene: the frames first..last, and so many samples from one to the next.

    error: how far off shape keys may be, metres, where a file has nothing else.
    """

    first: int
    last: int
    samples: int = 1
    error: float = 0.001

    @property
    def times(self) -> Doubles:
        """In frames of the scene."""
        return self.first + np.arange((self.last - self.first) * self.samples + 1) / self.samples


@dataclass
class Recorded:
    """One object: its shape in each sample is in a PC2 file, in its own axes, metres.

    mesh: a copy of what it looked like first, with all its layers and materials; the caller removes it.
    worlds: (n, 4, 4), where the object was.
    """

    name: str
    data_name: str
    mesh: bpy.types.Mesh
    shapes: Path
    worlds: list[Doubles] = field(default_factory=list)


def record_steps(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], sampling: Sampling, folder: Path
) -> Generator[tuple[int, int], None, list[Recorded]]:
    """Record playing objects, all in one go; yields how many frames are done, of how many.

    Frames that lead up to the first one are stepped through before. The scene is left at the frame it was
    at, and what is not whole is removed, also where the generator is closed. Raises Problem("not_playing" |
    "export_without_faces" | "export_topology_changes" | "folder_not_writable" | "disk_full"), and what keeps
    an object from playing on the way.
    """
    timelines = [PLAYED.sound_session(obj).timeline for obj in objects]
    before = sorted({number for timeline in timelines for number in timeline.missing(sampling.first)})
    settle_previews(playing=False)  # recorded is what the meshes show
    times, frame = sampling.times, (scene.frame_current, scene.frame_subframe)
    total = len(before) + len(times)
    recorded: list[Recorded] = []
    try:
        for done, number in enumerate(before, 1):
            scene.frame_set(number)
            yield done, total
        with writing(folder), ExitStack() as open_files:
            files: list[IO[bytes]] = []
            for done, time in enumerate(times.tolist(), 1):
                scene.frame_set(math.floor(time), subframe=time - math.floor(time))
                depsgraph = bpy.context.evaluated_depsgraph_get()
                if not recorded:
                    for number, obj in enumerate(objects):
                        recorded.append(_begun(obj, depsgraph, folder / f"{number}.pc2"))
                        files.append(open_files.enter_context(recorded[-1].shapes.open("xb")))
                        count = len(recorded[-1].mesh.vertices)
                        files[-1].write(pc2_header(count, len(times), sampling.first * sampling.samples))
                for obj, one, file in zip(objects, recorded, files, strict=True):
                    PLAYED.sound_session(obj)
                    evaluated = obj.evaluated_get(depsgraph)
                    mesh = cast(bpy.types.Mesh, evaluated.data)
                    if len(mesh.vertices) != len(one.mesh.vertices):
                        raise Problem("export_topology_changes", object=one.name, frame=math.floor(time))
                    file.write(read_positions(mesh).tobytes())
                    one.worlds.append(np.array(evaluated.matrix_world, np.float64))
                yield len(before) + done, total
    except BaseException:
        remove(recorded)
        raise
    finally:
        scene.frame_set(frame[0], subframe=frame[1])
    return recorded


def remove(recorded: Sequence[Recorded]) -> None:
    """Take away what was recorded."""
    for one in recorded:
        with suppress(ReferenceError):  # somebody has opened another file
            bpy.data.meshes.remove(one.mesh)
        with suppress(OSError):
            one.shapes.unlink(missing_ok=True)


def _begun(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, shapes: Path) -> Recorded:
    evaluated = obj.evaluated_get(depsgraph)
    mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=depsgraph)
    if not len(mesh.polygons):
        bpy.data.meshes.remove(mesh)
        raise Problem("export_without_faces", object=obj.name)
    return Recorded(obj.name, cast(bpy.types.Mesh, obj.data).name, mesh, shapes)
