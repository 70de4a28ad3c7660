"""Simulating one take to its files, so that a kill at any moment costs nothing but time.

What is on disk is the truth: the take's whole frames, its tracks, and the simulation's state every few
frames. A resumed take is the same, bit for bit, as an uninterrupted one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ml_backend.simulation.body_checks import checked_body
from ml_backend.simulation.motions import check_tracks
from ml_backend.simulation.simulation import SavedState, Simulation
from ml_backend.simulation.spring_cloth import SpringSimulation
from neural_physics.arrays import Doubles, Floats
from neural_physics.baking.handing_over import Workplace
from neural_physics.baking.own_files import STATE
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.body import Body
from neural_physics.datasets.dataset_info import Exclusion, TakeInfo
from neural_physics.datasets.frame_checks import BEFORE, NOT_FINITE, RESUMED, find_bad_frames, merge
from neural_physics.datasets.keyed_mesh import KeyedMesh
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.files.links import check_no_link
from neural_physics.jobs.events import Emit, Progress, StopRequest

UNSETTLED = "the solver did not find where the body goes"
SQUEEZED = "the body was squeezed into a collider or into itself"
MARKED = (RESUMED, UNSETTLED)  # reasons that are found while a take is simulated, and not afterwards
SAVE_EVERY = 20  # frames

TakeSimulation = Simulation | SpringSimulation


def simulate_take(plan: BakePlan, place: Workplace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Simulate a take, or the rest of it; returns what the "result" event says.

    Raises what `Simulation` and `SpringSimulation` do, and Problem("stopped" | "taken_over" |
    "dataset_damaged" | "disk_full" | "folder_not_writable").
    """
    recording = _Recording(plan, place)
    recording.run(emit, stop)
    return {"take": place.name, "frames": recording.writer.count}


class _Recording:
    """The simulation and the take on disk, kept in step."""

    def __init__(self, plan: BakePlan, place: Workplace) -> None:
        self._dataset = place.under_way()
        # No files of anybody else's: they come into the dataset.
        self._request = SimulationRequest.read(check_no_link(plan.request))
        self._tracks = Tracks.read(check_no_link(place.tracks))
        self._body = require_body(self._dataset) if self._request.settings.kind != "springs" else None
        take = plan.take(place.name)
        try:
            check_tracks(self._tracks, self._request, take.frames, self._dataset.info.channels.size)
        except ValueError as error:
            raise Problem("dataset_damaged", path=place.folder, reason=error) from error
        self._state_path = place.folder / STATE
        info = TakeInfo(take.frames, role=take.role, seed=take.seed)
        self.writer = self._dataset.writer(take.name, info, may_write=place.may_write)
        self._keyed = KeyedMesh(self._dataset.mesh, self._dataset.info.channels)
        self._done = self._dataset.take(take.name)
        self._marks = [e for e in self.writer.info.excluded if e.reason in MARKED]

    def run(self, emit: Emit, stop: StopRequest) -> None:
        """Simulate and write all frames that are not there yet."""
        with self.writer:
            # Before the first frame: what is learned from a take, however short, may need them.
            self._dataset.keep_surroundings(self._done.name, self._request, self._tracks)
            frames = self.writer.info.frames
            if self.writer.count < frames:
                simulation = self._simulation()
                first = self._resume(simulation)
                emit({"event": "log", "text": f"{self._done.name} continues at frame {first}"})
                progress = Progress(emit, self._done.name, frames, self.writer.count)
                for index in range(first, frames):
                    stop.check()
                    if not self._step(simulation, index):
                        break
                    progress.at(self.writer.count)
            self.writer.exclude(self._exclusions())

    def _simulation(self) -> TakeSimulation:
        if self._body is None:
            return SpringSimulation(self._request, self._tracks, self._dataset.info.channels)
        return Simulation(self._request, self._body, self._tracks)

    def _resume(self, simulation: TakeSimulation) -> int:
        """Take up the saved state, if it belongs to the take; the index of the frame that follows."""
        saved = SavedState.read(check_no_link(self._state_path))
        # After a power failure the state may have reached the disk, and the frames before it not.
        if saved is None or saved.frame >= self.writer.count or not simulation.fits(saved):
            return 0
        simulation.take_up(saved)
        return saved.frame + 1

    def _step(self, simulation: TakeSimulation, index: int) -> bool:
        """Simulate one frame and add it to the take; False if nothing follows it."""
        try:
            converged = simulation.advance() if index else True
        except ValueError:
            return self._end_early(SQUEEZED)
        to_frame = self._tracks.frame_from_world[index]
        positions, body_positions = stored(self._body, simulation.positions, to_frame)
        self._keyed.add_to(positions, self._tracks.interaction[index], to_frame)
        if not np.isfinite(body_positions).all():
            return self._end_early(NOT_FINITE)
        if index >= self.writer.count:
            frames = self._tracks.object_from_frame
            self.writer.append(
                positions,
                self._tracks.interaction[index],
                None if frames is None else frames[index],
                None if self._body is None else body_positions,
            )
        elif not np.array_equal(positions, self._done.positions[index]):
            # The frames that follow are another motion than those that are there.
            self._mark(Exclusion(self.writer.count - 1, self.writer.count, RESUMED))
        if not converged:
            self._mark(Exclusion(index, index, UNSETTLED))
        if index % SAVE_EVERY == 0:
            simulation.save().write(self._state_path)
        return True

    def _mark(self, mark: Exclusion) -> None:
        if mark not in self._marks:
            self._marks.append(mark)
            self.writer.exclude(merge(self._marks))

    def _end_early(self, reason: str) -> bool:
        """End the take: nothing usable follows, and the frames before are left out, too."""
        self.writer.end_here()
        count = self.writer.count
        self._marks.append(Exclusion(max(0, count - BEFORE), count, reason))
        return False

    def _exclusions(self) -> tuple[Exclusion, ...]:
        take, info = self._dataset.take(self._done.name), self._dataset.info
        about = take.positions, self._dataset.mesh, info.channels, take.interaction
        bad = find_bad_frames(*about, gravity=info.gravity)
        return merge([*self._marks, *bad])


def require_body(dataset: Dataset) -> Body:
    """What all takes of a dataset are simulated with. Raises Problem("dataset_damaged")."""
    body = dataset.body
    if body is None:
        raise Problem("dataset_damaged", path=dataset.path, reason="body.npz is not there")
    return checked_body(dataset, body)


def stored(body: Body | None, positions: Doubles, frame_from_world: Doubles) -> tuple[Floats, Floats]:
    """The mesh (V, 3) and the body (B, 3), the same for springs, in the axes that takes are stored in.

    positions (B, 3): of the body's vertices in the world, m; body: None for springs.
    """
    there = positions @ frame_from_world[:3, :3].T + frame_from_world[:3, 3]
    with np.errstate(over="ignore"):
        mesh = there if body is None else body.carried(there)
        return mesh.astype(np.float32), there.astype(np.float32)
