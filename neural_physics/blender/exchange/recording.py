"""What objects look like while they play, and where they are, sampled frame by frame into files."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...arrays import Doubles
from ...datasets.point_caches import pc2_header
from ...errors import Problem
from ...files.atomic import writing
from ..playing.handlers import PLAYED, settle_previews
from ..scene.simulation_caches import check_visits
from ..scene.sources import read_positions
from .plain_meshes import make_bare

MOST_SAMPLES = 16  # of a frame
PLACE = struct.Struct("<10d")  # location, metres; quaternion, w first; scale
ROUNDING = 1e-9


@dataclass(frozen=True)
class Sampling:
    """Which moments of a scene: the frames first..last, and so many samples from one to the next.

    error: how far off shape keys may be, metres, where a file has nothing else.
    overlap: frames after the last one, over which a loop is closed.
    """

    first: int
    last: int
    samples: int = 1
    error: float = 0.001
    overlap: int = 0

    @property
    def times(self) -> Doubles:
        """In frames of the scene."""
        return self.first + np.arange(self.count + self.overlap * self.samples) / self.samples

    @property
    def count(self) -> int:
        """How many there are without the overlap."""
        return (self.last - self.first) * self.samples + 1


@dataclass(frozen=True)
class Recorded:
    """One object, whose files grow from sample to sample.

    mesh: a copy of what it looked like first, with all its layers and materials; the caller removes it.
    shapes: PC2, in axes that move as places says, metres. places: `PLACE` for each sample, float64.
    """

    name: str
    data_name: str
    mesh: bpy.types.Mesh
    shapes: Path
    places: Path


def record_steps(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object],
    sampling: Sampling,
    folder: Path,
    *,
    begun: Callable[[list[Recorded]], None],
) -> Generator[tuple[int, int], None, None]:
    """Record playing objects, all in one go; yields how many frames are done, of how many.

    Frames that lead up to the first one are stepped through before. begun: called once, before anything is
    in the files, with what is recorded from then on, whose meshes it takes over. The scene is left at the
    frame it was at, also where the generator is closed. Raises Problem("not_playing" |
    "export_without_faces" | "export_topology_changes" | "folder_not_writable" | "disk_full"), and what keeps
    an object from playing on the way.
    """
    check_visits()
    timelines = [PLAYED.sound_session(obj).timeline for obj in objects]
    before = sorted({number for timeline in timelines for number in timeline.missing(sampling.first)})
    settle_previews(playing=False)  # recorded is what the meshes show
    times, frame = sampling.times, (scene.frame_current, scene.frame_subframe)
    total = len(before) + len(times)
    try:
        for done, number in enumerate(before, 1):
            scene.frame_set(number)
            yield done, total
        with writing(folder), ExitStack() as files:
            tapes: list[_Tape] = []
            for done, time in enumerate(times.tolist(), 1):
                scene.frame_set(math.floor(time), subframe=time - math.floor(time))
                depsgraph = bpy.context.evaluated_depsgraph_get()
                if not tapes:
                    recorded = _meshes(objects, depsgraph, folder)
                    begun(recorded)
                    first = sampling.first * sampling.samples
                    tapes = [_Tape(files, one, len(times), first) for one in recorded]
                for obj, tape in zip(objects, tapes, strict=True):
                    PLAYED.sound_session(obj)
                    tape.add(obj.evaluated_get(depsgraph), math.floor(time))
                yield len(before) + done, total
    finally:
        scene.frame_set(frame[0], subframe=frame[1])


def remove(meshes: Sequence[bpy.types.Mesh]) -> None:
    """Take away meshes of what was recorded."""
    with suppress(ReferenceError):  # somebody has opened another file
        bpy.data.batch_remove(ids=list(meshes))


class _Tape:
    """The files of one object while they grow; whoever reads them knows by their sizes how far they are."""

    def __init__(self, files: ExitStack, recorded: Recorded, count: int, first: int) -> None:
        self._recorded, self._vertices = recorded, len(recorded.mesh.vertices)
        self._shapes: IO[bytes] = files.enter_context(recorded.shapes.open("xb", buffering=0))
        self._places: IO[bytes] = files.enter_context(recorded.places.open("xb", buffering=0))
        self._shapes.write(pc2_header(self._vertices, count, first))
        self._stands: Matrix | None = None  # where it was in the sample before,
        self._place, self._left = b"", cast(Doubles | None, None)  # and what was made of that
        self._turn: Quaternion | None = None

    def add(self, evaluated: bpy.types.Object, frame: int) -> None:
        """Raises Problem("export_topology_changes")."""
        mesh = cast(bpy.types.Mesh, evaluated.data)
        if len(mesh.vertices) != self._vertices:
            raise Problem("export_topology_changes", object=self._recorded.name, frame=frame)
        if evaluated.matrix_world != self._stands:
            self._stand(evaluated.matrix_world.copy())
        positions = read_positions(mesh)
        if self._left is not None:
            positions = (positions @ self._left[:3, :3].T + self._left[:3, 3]).astype(np.float32)
        self._shapes.write(positions.tobytes())
        self._places.write(self._place)

    def _stand(self, world: Matrix) -> None:
        location, turn, scale = world.decompose()
        turn.normalize()
        if self._turn is not None and turn.dot(self._turn) < 0.0:
            turn.negate()
        self._stands, self._turn = world, turn
        self._place = PLACE.pack(*location.to_tuple(), *turn[:], *scale.to_tuple())
        # What location, rotation and scale cannot say: shear, and the rounding of a quaternion.
        left = np.linalg.pinv(np.array(Matrix.LocRotScale(location, turn, scale))) @ np.array(world)
        self._left = left if np.abs(left - np.eye(4)).max() > ROUNDING else None


def _meshes(
    objects: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph, folder: Path
) -> list[Recorded]:
    found: list[Recorded] = []
    for number, obj in enumerate(objects):
        mesh = bpy.data.meshes.new_from_object(
            obj.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph
        )
        make_bare(mesh)
        files = folder / f"{number}.pc2", folder / f"{number}.places"
        found.append(Recorded(obj.name, cast(bpy.types.Mesh, obj.data).name, mesh, *files))
        if not len(mesh.polygons):
            remove([one.mesh for one in found])
            raise Problem("export_without_faces", object=obj.name)
    return found
