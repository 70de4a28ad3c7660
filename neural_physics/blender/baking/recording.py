"""One object of a bake, from the evaluated scene into its take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from ...arrays import Doubles, Floats
from ...datasets.dataset_info import Exclusion, TakeInfo
from ...datasets.frame_checks import BEFORE, NOT_FINITE, RESUMED, find_bad_frames, merge
from ...datasets.takes import Dataset
from ...errors import Problem
from ..scene.sampling import ChannelSampler, reference_frame_of
from ..scene.sources import read_positions

Frame = tuple[Floats, Floats, Doubles | None]  # positions (V, 3) in the reference frame, y (e,), frame (4, 4)


class Recording:
    """What is recorded of one object. writer: of its take; done: the take as it is on disk."""

    def __init__(self, dataset: Dataset, take: str, info: TakeInfo, *, may_write: Callable[[], None]) -> None:
        """dataset: with the take that is under way. Raises what `Dataset.writer` does."""
        self.dataset = dataset
        self.writer = dataset.writer(take, info, may_write=may_write)
        self.done = dataset.take(take)
        self._breaks = [e for e in self.writer.info.excluded if e.reason == RESUMED]
        self._positions = np.empty((dataset.info.vertex_count, 3), np.float32)
        self._object: bpy.types.Object
        self._sampler: ChannelSampler

    def open(self, obj: bpy.types.Object) -> None:
        """Record this object, of a scene that was opened. Raises Problem("dataset_damaged")."""
        info, self._object = self.dataset.info, obj
        frame = reference_frame_of(obj)
        if frame != info.reference_frame:
            reason = f"its reference frame is “{info.reference_frame}”, and that of {obj.name} “{frame}”"
            raise Problem("dataset_damaged", path=self.dataset.path, reason=reason)
        self._sampler = ChannelSampler(obj, info.channels, frame, {}, fps=info.fps)

    def read(self, depsgraph: bpy.types.Depsgraph, frame: int) -> Frame:
        """The frame that is evaluated. Raises Problem("vertex_count_changes")."""
        mesh: Any = self._object.evaluated_get(depsgraph).data
        found, expected = len(mesh.vertices), len(self._positions)
        if found != expected:
            raise Problem("vertex_count_changes", object=self._object.name, found=found, expected=expected)
        positions = read_positions(mesh, self._positions)
        y = self._sampler.sample(depsgraph, frame)
        object_from_frame = self._sampler.object_from_frame(depsgraph)
        if object_from_frame is not None:
            to_frame = np.linalg.inv(object_from_frame)
            positions = (positions @ to_frame[:3, :3].T + to_frame[:3, 3]).astype(np.float32)
        return positions, y, object_from_frame

    def put(self, index: int, frame: Frame) -> None:
        """Add a frame that is not there yet, or compare it with the one that is."""
        if index >= self.writer.count:
            self.writer.append(*frame)
        elif not np.array_equal(frame[0], self.done.positions[index]):
            self._mark_seam()

    def is_as_recorded(self, index: int, frame: Frame, *, with_interaction: bool) -> bool:
        """Whether a frame that is there has come out the same."""
        if not np.array_equal(frame[0], self.done.positions[index]):
            return False
        return not with_interaction or np.array_equal(frame[1], self.done.interaction[index])

    def end_early(self) -> None:
        """End the take: nothing finite follows, and the frames before are left out, too."""
        self.writer.end_here()
        count = self.writer.count
        self._breaks.append(Exclusion(max(0, count - BEFORE), count, NOT_FINITE))

    def exclude(self) -> None:
        """Note which frames must not be learned from."""
        take, info = self.dataset.take(self.done.name), self.dataset.info
        about = take.positions, self.dataset.mesh, info.channels, take.interaction
        bad = find_bad_frames(*about, gravity=info.gravity)
        self.writer.exclude(merge([*self._breaks, *bad]))

    def _mark_seam(self) -> None:
        """The frames that follow are another motion than those that are there."""
        seam = Exclusion(self.writer.count - 1, self.writer.count, RESUMED)
        if seam not in self._breaks:
            self._breaks.append(seam)
            self.writer.exclude(merge(self._breaks))
