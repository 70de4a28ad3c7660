"""Baking one take in a Blender of its own, so that a kill at any moment costs nothing but time.

What is on disk is the truth: the take's whole frames, its scene with the motion keyed, and the last
few frames of Blender's own cache. A resumed take is the same, bit for bit, as an uninterrupted one.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ...baking.handing_over import Workplace
from ...baking.own_files import CACHE
from ...baking.plan import AlsoBaked, BakePlan
from ...baking.together import check_within, within_take
from ...datasets.dataset_info import TakeInfo
from ...datasets.take_folders import TAKES
from ...files.atomic import writing
from ...files.below import clear_below
from ...files.links import check_no_link, make_way
from ...jobs.events import Emit, Progress, StopRequest
from .caches_below import PREFIX
from .recording import Frame, Recording
from .scene_copy import first_frame, simulates_alone, switch_off_after_physics
from .seals import Trust
from .take_scenes import found_in, notes_on_scripts, open_scene, write_take_scene

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
    return {"take": place.name, "frames": bake.count, "notes": notes_on_scripts(plan, place.scene, trust)}


class _TakeBake:
    """The simulation and the take on disk, kept in step; of other objects, too, that are baked together."""

    def __init__(self, plan: BakePlan, place: Workplace, trust: Trust) -> None:
        take = plan.take(place.name)
        self._plan, self._scene_path, self._trust = plan, place.scene, trust
        self._cache = place.folder / CACHE
        info = TakeInfo(frames=take.frames, role=take.role, seed=take.seed)
        under_way = place.under_way()
        self._main = Recording(under_way, take.name, info, may_write=place.may_write)
        self._also = [
            self._recording_of(also, under_way.path / TAKES / take.name, place, info)
            for also in plan.together
        ]
        self._open()

    def _recording_of(self, also: AlsoBaked, take: Path, place: Workplace, info: TakeInfo) -> Recording:
        """Of what is baked together with the object, in the take's folder."""

        def may_write() -> None:
            place.may_write()
            check_within(take, also)

        within = within_take(self._plan.dataset, take, also)
        return Recording(within, take.name, info, may_write=may_write)

    @property
    def count(self) -> int:
        """How many frames of the take are there."""
        return self._main.writer.count

    def run(self, emit: Emit, stop: StopRequest) -> None:
        """Simulate and write all frames that are not there yet."""
        name, writer = self._main.done.name, self._main.writer
        with ExitStack() as writers:
            # The take is complete when its own writer is left, which is the last of them.
            for recording in self._recordings:
                writers.enter_context(recording.writer)
            frames = writer.info.frames
            counts = [recording.writer.count for recording in self._recordings]
            next_index = self._resume() if min(counts) < frames else frames
            emit({"event": "log", "text": f"{name} continues at frame {next_index}"})
            if next_index == 0:
                clear_below(self._plan.dataset, self._cache)
                self._open()
            progress = Progress(emit, name, frames, self.count)
            for index in range(next_index, frames):
                stop.check()
                if not self._step(index):
                    for recording in self._recordings:
                        recording.end_early()
                    break
                progress.at(self.count)
            for recording in self._recordings:
                recording.exclude()

    @property
    def _recordings(self) -> list[Recording]:
        return [self._main, *self._also]

    def _open(self) -> None:
        self._scene, obj, _ = open_scene(self._scene_path, self._plan, self._trust)
        self._first, self._alone = first_frame(obj), simulates_alone(self._scene, obj)
        self._main.open(obj)
        for recording, also in zip(self._also, self._plan.together, strict=True):
            other = found_in(self._scene, also.object, self._scene_path)
            switch_off_after_physics(other, collides=True)  # the take may have begun without it
            recording.open(other)

    def _step(self, index: int) -> bool:
        """Simulate one frame and add it to the take; False if it has no numbers."""
        frames = self._simulate(index)
        if not all(np.isfinite(positions).all() for positions, _, _ in frames):
            return False
        for recording, frame in reversed(list(zip(self._recordings, frames, strict=True))):
            recording.put(index, frame)
        with writing(self._cache):
            for old in self._cached(self._first + index - CACHES_KEPT):
                old.unlink(missing_ok=True)
        return True

    def _cached(self, frame: int) -> list[Path]:
        """What there is of a frame in Blender's cache, which others may have exchanged by now."""
        check_no_link(self._cache)
        return list(self._cache.glob(f"{PREFIX}*_{frame:06d}_*"))

    def _simulate(self, index: int) -> list[Frame]:
        """A frame of each recording."""
        frame = self._first + index
        with writing(self._cache):
            for place in self._cached(frame):
                make_way(place)  # Blender writes through what stands there
        self._scene.frame_set(frame)
        depsgraph = self._scene.view_layers[0].depsgraph
        assert depsgraph is not None  # the frame was just set
        return [recording.read(depsgraph, frame) for recording in self._recordings]

    def _resume(self) -> int:
        """Continue from Blender's cache; the index of the next frame, 0 if it must be simulated from the
        start.

        The newest cached frame may be torn, which Blender does not notice; so the last frames of
        the take are simulated again from older ones, and must come out the same.
        """
        count = self.count
        if not count or not self._alone:
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
            again = self._simulate(index)[0]
            if not self._main.is_as_recorded(index, again, with_interaction=index > restart):
                return 0
        return count
