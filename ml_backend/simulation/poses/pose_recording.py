"""Settling a body in the poses of one take, to its files, so that a kill costs nothing but time.

Each frame is a pose of its own. One for which no equilibrium was found is NaN in the files, and left
out with its reason. A resumed take is the same, bit for bit, as an uninterrupted one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ml_backend.simulation.motions import check_tracks
from ml_backend.simulation.poses.posing import PosedBody
from ml_backend.simulation.recording import require_body, stored
from neural_physics.baking.handing_over import Workplace
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.dataset_info import Exclusion, TakeInfo
from neural_physics.datasets.frame_checks import find_bad_poses, with_bad_poses
from neural_physics.datasets.keyed_mesh import KeyedMesh
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.errors import Problem
from neural_physics.files.links import check_no_link
from neural_physics.interaction.poses import pose_channel, pose_in
from neural_physics.jobs.events import Emit, Progress, StopRequest


def settle_poses(plan: BakePlan, place: Workplace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Settle the poses of a take, or the rest of them; returns what the "result" event says.

    Raises what `PosedBody` does, and Problem("stopped" | "taken_over" | "dataset_damaged" |
    "skin_not_baked" | "disk_full" | "folder_not_writable").
    """
    recording = _PoseRecording(plan, place)
    recording.run(emit, stop)
    return {"take": place.name, "frames": recording.writer.count}


class _PoseRecording:
    """The poses of a take, and what of them is on disk."""

    def __init__(self, plan: BakePlan, place: Workplace) -> None:
        self._dataset, take = place.under_way(), plan.take(place.name)
        # No files of anybody else's: they come into the dataset.
        self._request = SimulationRequest.read(check_no_link(plan.request))
        self._tracks = Tracks.read(check_no_link(place.tracks))
        self._body = require_body(self._dataset)
        try:
            check_tracks(self._tracks, self._request, take.frames, self._dataset.info.channels.size)
        except ValueError as error:
            raise Problem("dataset_damaged", path=place.folder, reason=error) from error
        info = TakeInfo(take.frames, take.kind, take.role, take.seed)
        self._name = take.name
        self._keyed = KeyedMesh(self._dataset.mesh, self._dataset.info.channels)
        self.writer = self._dataset.writer(take.name, info, may_write=place.may_write)
        self._failed = {e.first: e for e in self.writer.info.excluded}

    def run(self, emit: Emit, stop: StopRequest) -> None:
        """Settle and write all poses that are not there yet."""
        with self.writer:
            self._dataset.keep_surroundings(self._name, self._request, self._tracks)
            frames = self.writer.info.frames
            if self.writer.count < frames:
                emit({"event": "log", "text": f"{self._name} continues at pose {self.writer.count}"})
                posed, progress = self._posed(), Progress(emit, self._name, frames, self.writer.count)
                for index in range(self.writer.count, frames):
                    stop.check()
                    self._settle(posed, index)
                    progress.at(self.writer.count)
            self._check()

    def _posed(self) -> PosedBody:
        info, skin = self._dataset.info, self._dataset.mesh.skin
        channel = pose_channel(info.channels)
        if skin is None or channel is None:
            raise Problem("skin_not_baked", path=self._dataset.path, object=info.object)
        moves = pose_in(self._tracks.interaction[:, channel[1]]).moves
        try:
            return PosedBody(self._request, self._body, self._tracks, skin, moves=moves)
        except ValueError as error:
            raise Problem("skin_unusable", object=info.object, reason=str(error).rstrip(".")) from error

    def _settle(self, posed: PosedBody, index: int) -> None:
        """Solve for one pose and add it to the take."""
        positions, settled = posed.settle(index)
        if settled.failure:
            self._failed[index] = Exclusion(index, index, settled.failure)
            # Before the pose itself, so that it is left out where only one of the two is there.
            self.writer.exclude(with_bad_poses(self._failed.values(), ()))
            positions = np.full_like(positions, np.nan)
        to_frame = self._tracks.frame_from_world[index]
        mesh, body = stored(self._body, positions, to_frame)
        self._keyed.add_to(mesh, self._tracks.interaction[index], to_frame)
        frames = self._tracks.object_from_frame
        self.writer.append(
            mesh, self._tracks.interaction[index], None if frames is None else frames[index], body
        )

    def _check(self) -> None:
        take, info = self._dataset.take(self._name), self._dataset.info
        bad = find_bad_poses(take.positions, self._dataset.mesh, info.channels, take.interaction)
        self.writer.exclude(with_bad_poses(self._failed.values(), bad))
