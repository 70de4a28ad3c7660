"""Baking one take in a Blender of its own, so that a kill at any moment costs nothing but time.

What is on disk is the truth: the take's whole frames, its scene with the motion keyed, and the last
few frames of Blender's own cache. A resumed take is the same, bit for bit, as an uninterrupted one.
"""

from __future__ import annotations

import re
import shutil
from typing import Any

import numpy as np

from ...arrays import Doubles, Floats
from ...baking.handing_over import CACHE, Workplace
from ...baking.plan import BakePlan
from ...datasets.dataset_info import Exclusion, TakeInfo
from ...datasets.frame_checks import BEFORE, NOT_FINITE, RESUMED, find_bad_frames, merge
from ...errors import Problem
from ...files.atomic import writing
from ...files.links import check_no_link, is_own_file
from ...jobs.events import Emit, Progress, StopRequest
from ..scene.sampling import ChannelSampler, reference_frame_of
from ..scene.sources import read_positions
from .scene_copy import first_frame, simulates_alone
from .seals import Trust
from .take_scenes import open_scene, write_take_scene

CACHED = re.compile(r".+_(\d+)_\d+\.bphys")  # a frame of Blender's cache
CACHES_KEPT = 8  # frames of Blender's cache on disk
CHECKED = 2  # frames simulated again on resuming, and compared with the take
WARM_UP = 3  # frames read from the cache before that: colliders and velocities look back


def bake_take(
    plan: BakePlan, place: Workplace, trust: Trust, *, emit: Emit, stop: StopRequest
) -> dict[str, Any]:
    """Bake a take, or the rest of it; returns what the "result" event says.

    Raises Problem("stopped" | "taken_over" | "vertex_count_changes" | "place_is_link" | "disk_full" |
    "folder_not_writable" | ...).
    """
    if not place.scene.exists():
        write_take_scene(place.scene, plan, plan.take(place.name), trust)
    bake = _TakeBake(plan, place, trust)
    bake.run(emit, stop)
    return {"take": place.name, "frames": bake.writer.count}


class _TakeBake:
    """The simulation and the take on disk, kept in step."""

    def __init__(self, plan: BakePlan, place: Workplace, trust: Trust) -> None:
        take = plan.take(place.name)
        self._plan, self._scene_path, self._trust = plan, place.scene, trust
        self._cache = place.folder / CACHE
        self.dataset = place.under_way()
        info = TakeInfo(frames=take.frames, role=take.role, seed=take.seed)
        self.writer = self.dataset.writer(take.name, info, may_write=place.may_write)
        self._done = self.dataset.take(take.name)
        self._breaks = [e for e in self.writer.info.excluded if e.reason == RESUMED]
        self._clear_cache_of_others()
        self._open()

    def run(self, emit: Emit, stop: StopRequest) -> None:
        """Simulate and write all frames that are not there yet."""
        with self.writer:
            frames = self.writer.info.frames
            next_index = self._resume() if self.writer.count < frames else frames
            emit({"event": "log", "text": f"{self._done.name} continues at frame {next_index}"})
            if next_index == 0:
                shutil.rmtree(self._cache, ignore_errors=True)
                self._open()
            progress = Progress(emit, self._done.name, frames, self.writer.count)
            for index in range(next_index, frames):
                stop.check()
                if not self._step(index):
                    self._end_early()
                    break
                progress.at(self.writer.count)
            self.writer.exclude(self._exclusions())

    def _open(self) -> None:
        self._scene, self._obj = open_scene(self._scene_path, self._plan, self._trust)
        self._first = first_frame(self._obj)
        info = self.dataset.info
        self._sampler = ChannelSampler(
            self._obj, info.channels, reference_frame_of(self._obj), {}, fps=info.fps
        )
        self._positions = np.empty((info.vertex_count, 3), np.float32)

    def _clear_cache_of_others(self) -> None:
        """Blender writes its cache through what stands for another file, and waits for a pipe."""
        check_no_link(self._cache)
        with writing(self._cache):
            for path in self._cache.iterdir() if self._cache.is_dir() else ():
                if not is_own_file(path) and not path.is_dir():
                    path.unlink()

    def _step(self, index: int) -> bool:
        """Simulate one frame and add it to the take; False if it has no numbers."""
        positions, y, object_from_frame = self._simulate(index)
        if not np.isfinite(positions).all():
            return False
        if index >= self.writer.count:
            self.writer.append(positions, y, object_from_frame)
        elif not np.array_equal(positions, self._done.positions[index]):
            self._mark_seam()
        with writing(self._cache):
            for old in self._cache.glob(f"*_{self._first + index - CACHES_KEPT:06d}_*"):
                old.unlink(missing_ok=True)
        return True

    def _simulate(self, index: int) -> tuple[Floats, Floats, Doubles | None]:
        """Positions (V, 3) in the reference frame, y (e,), and the frame (4, 4) or None."""
        frame = self._first + index
        self._scene.frame_set(frame)
        depsgraph = self._scene.view_layers[0].depsgraph
        assert depsgraph is not None  # the frame was just set
        mesh: Any = self._obj.evaluated_get(depsgraph).data
        if len(mesh.vertices) != len(self._positions):
            raise Problem(
                "vertex_count_changes",
                object=self._obj.name,
                found=len(mesh.vertices),
                expected=len(self._positions),
            )
        positions = read_positions(mesh, self._positions)
        y = self._sampler.sample(depsgraph, frame)
        object_from_frame = self._sampler.object_from_frame(depsgraph)
        if object_from_frame is not None:
            to_frame = np.linalg.inv(object_from_frame)
            positions = (positions @ to_frame[:3, :3].T + to_frame[:3, 3]).astype(np.float32)
        return positions, y, object_from_frame

    def _resume(self) -> int:
        """Continue from Blender's cache; the index of the next frame, 0 if it must be simulated from the
        start.

        The newest cached frame may be torn, which Blender does not notice; so the last frames of
        the take are simulated again from older ones, and must come out the same.
        """
        count = self.writer.count
        if not count or not simulates_alone(self._scene, self._obj):
            return 0
        restart = count - 1 - CHECKED
        cached = {
            int(found[1]) - self._first: path
            for path in self._cache.glob("*.bphys")
            if (found := CACHED.fullmatch(path.name))
        }
        with writing(self._cache):
            for index, path in cached.items():
                if index > restart or index == max(cached):
                    path.unlink(missing_ok=True)
        restart = min(restart, max(cached, default=0) - 1)
        warm_up = range(restart - WARM_UP + 1, restart + 1)
        if warm_up[0] < 1 or not all(index in cached for index in warm_up):
            return 0
        # The first frame is visited too: springs are as long as they are there.
        for index in [0, *warm_up, *range(restart + 1, count)]:
            positions, y, _ = self._simulate(index)
            same = np.array_equal(positions, self._done.positions[index])
            if not same or (index > restart and not np.array_equal(y, self._done.interaction[index])):
                return 0
        return count

    def _end_early(self) -> None:
        """End the take: nothing finite follows, and the frames before are left out, too."""
        self.writer.end_here()
        count = self.writer.count
        self._breaks.append(Exclusion(max(0, count - BEFORE), count, NOT_FINITE))

    def _mark_seam(self) -> None:
        """The frames that follow are another motion than those that are there."""
        seam = Exclusion(self.writer.count - 1, self.writer.count, RESUMED)
        if seam not in self._breaks:
            self._breaks.append(seam)
            self.writer.exclude(merge(self._breaks))

    def _exclusions(self) -> tuple[Exclusion, ...]:
        take, info = self.dataset.take(self._done.name), self.dataset.info
        about = take.positions, self.dataset.mesh, info.channels, take.interaction
        bad = find_bad_frames(*about, gravity=info.gravity)
        return merge([*self._breaks, *bad])
