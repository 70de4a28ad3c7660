"""The bake job: runs one process per take, several at once, and reports on all of them as one.

Blender simulates a take, or it only records what moves in it and the bundled solver simulates it then.

`python -I launch.py neural_physics.baking.coordinator [--digest DIGEST] PLAN [--stop-file FILE]` needs no
Blender itself. It keeps nothing important in memory: killed at any moment and started again, it continues
from what is on disk.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.dataset_info import read_take_info
from ..datasets.frame_checks import FALLING
from ..datasets.pace import write_pace
from ..datasets.simulation_request import SimulationRequest
from ..datasets.takes import Dataset, TakeOutline, left_out, left_out_in_all
from ..errors import Problem
from ..jobs.events import Emit, Progress, StopRequest, error_event, print_event
from ..jobs.process import JobFiles, JobProcess
from .choice import choose
from .plan import EXCHANGED, BakePlan, PlannedTake
from .workers import POLL_EVERY, RETRIES, at_once, cores, end, start_worker

BODY = "body"  # the solver's first job, which the takes wait for


@dataclass
class _Worker:
    """One process for a take. simulates: it makes frames, other than one that records tracks."""

    take: PlannedTake
    process: JobProcess
    core: int
    simulates: bool

    def frames(self) -> int:
        """How many frames of its take are there, as far as it has said."""
        return int(self.process.state.done) if self.simulates else 0

    def moves(self) -> bool:
        """Whether it is simulating motion now, and not preparing for it."""
        return self.take.kind == "dynamic" and self.frames() > 0


class Coordinator:
    """All workers of one bake."""

    def __init__(self, plan: BakePlan, emit: Emit, stop: StopRequest) -> None:
        self._plan, self._emit, self._stop = plan, emit, stop
        self._dataset = Dataset.open(Path(plan.dataset))
        self._cores = cores()
        self._frames = {take.name: self._frames_on_disk(take.name) for take in plan.takes}
        self._complete = {take.name for take in plan.takes if self._is_complete(take.name)}
        missing = [take for take in plan.takes if take.name not in self._complete]
        # Those that a model is judged by come first, so that a bake that is stopped early has some.
        self._waiting = sorted(missing, key=lambda take: take.role == "training")
        self._running: list[_Worker] = []
        self._crashes: Counter[JobFiles] = Counter()
        self._worked = 0.0  # seconds of all workers together, since each made its first frame of motion
        self._lost: dict[str, Path] = {}  # logs of takes that crashed too often

    def run(self) -> dict[str, Any]:
        """Bake what is missing; returns what the "result" event says.

        Raises Problem("stopped" | "bake_crashed" | "simulation_unusable" | "solver_unusable" |
        "springs_unusable" | "simulation_falls" | "poses_unusable"), or what a worker reported.
        """
        if self._plan.solver and self._waiting:
            self._make_body()
        started, already = time.monotonic(), sum(self._frames.values())
        moved, looked = self._moving_frames(), started
        progress = Progress(self._emit, self._stage(), self._total(), already)
        try:
            while self._waiting or self._running:
                self._stop.check()
                self._start_workers()
                time.sleep(POLL_EVERY)
                self._poll()
                now = time.monotonic()
                self._worked += (now - looked) * sum(worker.moves() for worker in self._running)
                looked = now
                progress.stage, progress.total = self._stage(), self._total()
                progress.at(sum(self._frames.values()))
        finally:
            end([worker.process for worker in self._running])
            moved = self._moving_frames() - moved
            if self._worked > 0.0 and moved > 0:
                write_pace(Path(self._plan.dataset), self._worked / moved)
        self._report_crashes()
        seconds = time.monotonic() - started
        made = sum(self._frames.values()) - already
        # A clock may not resolve so short a time.
        rate = made / seconds if seconds else 0.0
        return {**self._result(), "frames_per_second": rate, "seconds": seconds}

    def _moving_frames(self) -> int:
        """How many frames of motion there are, held poses aside."""
        return sum(self._frames[take.name] for take in self._plan.takes if take.kind == "dynamic")

    def _start_workers(self) -> None:
        most = at_once(self._plan)
        while self._waiting and len(self._running) < most:
            take = self._waiting.pop(0)
            busy = [worker.core for worker in self._running]
            core = min(self._cores, key=busy.count)
            self._running.append(self._start_worker(take, core))

    def _start_worker(self, take: PlannedTake, core: int) -> _Worker:
        """Let Blender bake the take or record its tracks; where these are there, let the solver simulate."""
        by_solver = bool(self._plan.solver) and self._plan.tracks(take.name).exists()
        program = self._plan.solver if by_solver else self._plan.worker
        files = JobFiles(self._plan.folder, f"{take.name}_solver" if by_solver else take.name)
        process = start_worker(self._plan, program, files, take.name, core=core)
        return _Worker(take, process, core, by_solver or not self._plan.solver)

    def _make_body(self) -> None:
        """Let the solver make the body that all takes share, or check the one that is there."""
        files = JobFiles(self._plan.folder, BODY)
        for _ in range(RETRIES + 1):
            process = start_worker(self._plan, self._plan.solver, files, BODY, core=self._cores[0])
            stage = ""
            try:
                while process.state.active:
                    self._stop.check()
                    time.sleep(POLL_EVERY)
                    process.poll()
                    if process.state.stage != stage:
                        stage = process.state.stage
                        Progress(self._emit, stage, process.state.total)
            finally:
                process.stop()
                end([process])  # asked twice it ends at once: filling hears nothing, and nothing is lost
            if process.state.phase == "finished":
                return
            # That of a coordinator that was killed may just have stopped: then it is started again.
            if process.state.code not in ("ended_unexpectedly", "stopped", EXCHANGED):
                raise Problem.reported(process.state.code, process.state.message)
        raise Problem("bake_crashed", take=f"the body of {self._plan.object}", path=files.log)

    def _poll(self) -> None:
        for worker in list(self._running):
            worker.process.poll()
            name, state = worker.take.name, worker.process.state
            self._frames[name] = max(self._frames[name], worker.frames())
            if state.active:
                continue
            self._running.remove(worker)
            if state.phase == "finished" and worker.simulates:
                self._complete.add(name)
                self._frames[name] = self._frames_on_disk(name)
            elif state.phase == "finished" and self._plan.tracks(name).exists():
                self._waiting.insert(0, worker.take)
            elif state.phase in ("stopped", "idle"):
                # A worker of a coordinator that was killed has just ended, or has yet to notice: try again.
                self._waiting.insert(0, worker.take)
            elif state.phase == "finished" or state.code in ("ended_unexpectedly", EXCHANGED):
                # One of a coordinator that was killed may find a later plan than its own.
                self._crashed(worker)
            else:
                raise Problem.reported(state.code, state.message)

    def _crashed(self, worker: _Worker) -> None:
        files = worker.process.files
        self._crashes[files] += 1
        if self._crashes[files] <= RETRIES:
            self._waiting.append(worker.take)
        else:
            self._lost[worker.take.name] = files.log

    def _report_crashes(self) -> None:
        if self._lost:
            log = next(iter(self._lost.values()))
            raise Problem("bake_crashed", take=", ".join(sorted(self._lost)), path=log)

    def _result(self) -> dict[str, Any]:
        takes = self._dataset.outlines()
        usable = sum(take.usable_frames for take in takes)
        posed = [take for take in takes if take.info.kind == "quasistatic"]
        moving = [take for take in takes if take not in posed]
        if not any(take.usable_frames for take in moving):
            raise self._unusable(moving)
        if posed and not any(take.usable_frames for take in posed):
            count, reason = sum(take.frame_count for take in posed), _reasons(posed)
            raise Problem("poses_unusable", object=self._plan.object, count=count, reason=reason)
        if all(take.info.complete for take in takes):  # others may be begun that were not asked for now
            shutil.rmtree(self._plan.folder, ignore_errors=True)
        for take in takes:
            if take.info.excluded:
                self._emit({"event": "log", "text": left_out(take)})
        frames = sum(take.frame_count for take in takes)
        return {
            "dataset": self._plan.dataset,
            "takes": len(takes),
            "frames": frames,
            "excluded": frames - usable,
            "notes": [*self._plan.notes, *left_out_in_all(takes)],
        }

    def _unusable(self, takes: list[TakeOutline]) -> Problem:
        """What there is to do about takes without a usable frame."""
        reasons = {e.reason for take in takes for e in take.info.excluded}
        if reasons == {FALLING}:
            return Problem("simulation_falls", object=self._plan.object)
        code = "simulation_unusable"
        if self._plan.solver:
            springs = SimulationRequest.read(self._plan.request).settings.kind == "springs"
            code = "springs_unusable" if springs else "solver_unusable"
        return Problem(code, object=self._plan.object, reason=_reasons(takes))

    def _stage(self) -> str:
        return f"Baked {len(self._complete)} of {len(self._plan.takes)} takes"

    def _total(self) -> int:
        return sum(take.frames for take in self._plan.takes)

    def _is_complete(self, name: str) -> bool:
        folder = self._dataset.path / "takes" / name
        return (folder / "take.json").is_file() and read_take_info(folder).complete

    def _frames_on_disk(self, name: str) -> int:
        return self._dataset.outline(name).frame_count if name in self._dataset.take_names() else 0


def _reasons(takes: list[TakeOutline]) -> str:
    return ", ".join(sorted({e.reason for take in takes for e in take.info.excluded}))


def main() -> int:
    """The job; its exit status."""
    parser = argparse.ArgumentParser(description="Bake the takes of a plan.")
    parser.add_argument("plan", type=Path)
    parser.add_argument("--digest", default="", help="of the plan that it must be")
    parser.add_argument("--stop-file", type=Path)
    arguments = parser.parse_args()
    stop = StopRequest(arguments.stop_file)
    stop.listen()
    try:
        plan = choose(BakePlan.read(arguments.plan, arguments.digest), print_event, stop)
        result = Coordinator(plan, print_event, stop).run()
    except Exception as error:  # noqa: BLE001 (a job reports whatever ends it)
        print_event(error_event(error, arguments.plan.parent))
        return 1
    print_event({"event": "result", **result})
    return 0


if __name__ == "__main__":
    sys.exit(main())
