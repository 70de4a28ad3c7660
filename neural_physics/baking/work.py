"""Baking the takes of a dataset, on one computer or on many that share its folder.

`python -I launch.py neural_physics.baking.work DATASET --programs TEXT [--take NAME] [--at-once N]` takes
what nobody holds, one process for each take, and goes on until nothing is left; it needs no Blender itself.
What it must not lose is on disk: killed at any moment and started again, here or on another computer, it
continues.

Blender simulates a take, or it only records what moves in it and the bundled solver simulates it then. That
one's takes share a body, which one computer makes at first: tracks are recorded beside it, by whoever has a
core left.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.pace import write_pace
from ..datasets.take_folders import holders_folder, side_folder
from ..datasets.takes import Dataset, check_there, is_there
from ..errors import Problem
from ..jobs.cores import core_for_another
from ..jobs.events import Emit, Progress, StopRequest, error_event, print_event
from ..jobs.leases import Observer
from ..jobs.process import JobFiles, JobProcess
from .body import SharedBody
from .choice import choose
from .failures import failures, note_failure
from .finishing import result_of
from .handing_over import Workplace, frames_there, is_complete
from .plan import BakePlan, PlannedTake
from .programs import Programs
from .workers import (
    LOOK_EVERY,
    POLL_EVERY,
    TRIES,
    end,
    most_at_once,
    number_of_takes,
    start_blender,
    start_solver,
)

OTHER_KIND = (
    "This computer ({here}) is another kind than the one that prepared the bake ({planned}): takes that it "
    "bakes are as good, and not the same to the bit."
)


@dataclass
class _Worker:
    """One process for a take. simulates: it makes frames, other than one that records tracks."""

    take: PlannedTake
    place: Workplace
    process: JobProcess
    core: int
    simulates: bool

    def frames(self) -> int:
        """How many frames of its take are there, as far as it has said."""
        return int(self.process.state.done) if self.simulates else 0

    def moves(self) -> bool:
        """Whether it is simulating motion now, and not preparing for it."""
        return self.take.kind == "dynamic" and self.frames() > 0


class Work:
    """What one computer does of a bake."""

    def __init__(
        self,
        plan: BakePlan,
        programs: Programs,
        emit: Emit,
        stop: StopRequest,
        *,
        at_once: int = 0,
        take: str = "",
    ) -> None:
        """at_once: takes at the same time, 0 for as many as the plan says. take: this one alone.

        Raises what `Dataset.open` does, and Problem("take_not_planned").
        """
        self._plan, self._programs, self._emit, self._stop = plan, programs, emit, stop
        self._dataset = Dataset.open(plan.dataset)
        self._most = most_at_once(plan, at_once)
        self._observer = Observer()
        self._body: SharedBody | None = None
        self._recorded: set[str] = set()  # takes whose tracks are there, and which wait for the body
        asked = [each for each in plan.takes if take in ("", each.name)]
        if not asked:
            raise Problem("take_not_planned", take=take, path=plan.dataset)
        self._takes = asked
        # Those that a model is judged by come first, so that a bake that is stopped early has some.
        self._waiting = sorted(asked, key=_for_training)
        self._running: list[_Worker] = []
        self._notes: dict[str, None] = {}  # what its workers have to say
        self._lost: dict[str, str] = {}  # logs of takes that crashed too often
        self._frames = {each.name: 0 for each in asked}
        self._looked = float("-inf")
        self._worked = 0.0  # seconds of all workers together, since each made its first frame of motion

    def run(self) -> dict[str, Any]:
        """Bake what is missing, and wait for what others bake; returns what the "result" event says.

        Raises Problem("stopped" | "bake_crashed" | "dataset_missing"), what `result_of` does, or what a
        worker reported.
        """
        self._look()
        if self._plan.makes not in ("", self._programs.makes):
            here = OTHER_KIND.format(here=self._programs.makes, planned=self._plan.makes)
            self._emit({"event": "log", "text": here})
        if self._plan.by_solver and self._waiting:
            self._body = SharedBody(self._plan, self._programs, self._emit, observer=self._observer)
        started, already = time.monotonic(), sum(self._frames.values())
        moved, looked = self._moving_frames(), started
        progress = Progress(self._emit, self._stage(), self._total(), already)
        try:
            while self._waiting or self._running:
                self._stop.check()
                if self._body is not None and self._body.poll(self._taken(), has_room=self._has_room()):
                    self._begin_to_simulate()
                    started = time.monotonic()
                    progress = Progress(self._emit, self._stage(), self._total(), sum(self._frames.values()))
                self._start_workers()
                time.sleep(POLL_EVERY)
                self._poll()
                now = time.monotonic()
                self._worked += (now - looked) * sum(worker.moves() for worker in self._running)
                looked = now
                progress.stage, progress.total = self._stage(), self._total()
                progress.at(sum(self._frames.values()))
        finally:
            self._leave()
            moved = self._moving_frames() - moved
            if self._worked > 0.0 and moved > 0 and is_there(self._plan.dataset):
                write_pace(self._plan.dataset, self._worked / moved)
        if self._lost:
            log = next(iter(self._lost.values()))
            raise Problem("bake_crashed", take=", ".join(sorted(self._lost)), path=log)
        seconds = time.monotonic() - started
        made = sum(self._frames.values()) - already
        # A clock may not resolve so short a time.
        rate = made / seconds if seconds else 0.0
        result = result_of(self._plan, self._emit)
        result["notes"] += self._notes
        return {**result, "frames_per_second": rate, "seconds": seconds}

    def _begin_to_simulate(self) -> None:
        """The body is there: what was recorded meanwhile goes on, again in the order of `__init__`."""
        self._recorded.clear()
        self._waiting.sort(key=_for_training)
        self._looked = float("-inf")

    def _has_room(self) -> bool:
        return len(self._taken()) < self._most

    def _taken(self) -> list[int]:
        """The core of each process of this bake here."""
        body = self._body.cores if self._body is not None else []
        return [*body, *(worker.core for worker in self._running)]

    def _may_simulate(self) -> bool:
        return self._body is None or self._body.ready

    def _start_workers(self) -> None:
        """Begin with what nobody holds: when a process has ended, and else once in a while, as it is many
        questions to a folder that may be far away.
        """
        if not self._has_room() or time.monotonic() - self._looked < LOOK_EVERY:
            return
        self._looked = time.monotonic()
        self._look()
        for take in list(self._waiting):
            if not self._has_room():
                return
            self._stop.check()  # each take is many questions
            if take.name in self._recorded:
                continue
            failed = failures(holders_folder(self._plan.dataset, take.name))
            if len(failed) >= TRIES:
                self._waiting.remove(take)
                self._lost[take.name] = str(failed[-1].log)
                continue
            place = self._claimed(take)
            if place is None:
                continue
            if place.has_tracks() and not self._may_simulate():
                self._wait_for_body(take, place)
            else:
                self._waiting.remove(take)
                self._running.append(self._worker(take, place, core_for_another(self._taken())))

    def _look(self) -> None:
        """At what is complete, and how far the rest is. Raises Problem("dataset_missing").

        Where the shared folder is gone, a folder may be there on which it is mounted: nothing is made in it.
        """
        check_there(self._plan.dataset)
        for take in list(self._waiting):
            if is_complete(self._plan.dataset, take.name):
                self._waiting.remove(take)
                self._frames[take.name] = self._dataset.outline(take.name).frame_count
                continue
            self._frames[take.name] = frames_there(self._dataset, take.name)

    def _wait_for_body(self, take: PlannedTake, place: Workplace) -> None:
        """Let whoever is free first go on with a take that is recorded."""
        self._recorded.add(take.name)
        place.leave()

    def _claimed(self, take: PlannedTake) -> Workplace | None:
        lease = self._observer.claim(holders_folder(self._plan.dataset, take.name), platform.node())
        if lease is None:
            return None
        place = Workplace(self._dataset, take.name, lease, self._programs.makes)
        return place if place.take_up() else None

    def _worker(self, take: PlannedTake, place: Workplace, core: int) -> _Worker:
        """Let Blender bake the take or record its tracks; where these are there, let the solver simulate."""
        by_solver = self._plan.by_solver and place.has_tracks()
        files = JobFiles(place.folder, "simulation" if by_solver else "blender")
        start = start_solver if by_solver else start_blender
        process = start(self._plan, self._programs, files, take.name, core=core, holder=place.lease.number)
        return _Worker(take, place, process, core, by_solver or not self._plan.by_solver)

    def _poll(self) -> None:
        for worker in list(self._running):
            name = worker.take.name
            worker.process.poll()
            self._frames[name] = max(self._frames[name], worker.frames())
            try:
                worker.place.lease.renew()
                if not worker.process.state.active:
                    self._looked = float("-inf")  # there is room for another one
                    self._ended(worker)
            except Problem as problem:
                if problem.code != "taken_over":
                    raise
                end([worker.process])
                self._running.remove(worker)
                self._waiting.append(worker.take)

    def _ended(self, worker: _Worker) -> None:
        take, place, state = worker.take, worker.place, worker.process.state
        self._notes.update(dict.fromkeys(state.result.get("notes", ())))
        if state.phase != "finished":
            place.lease.check()  # it may have failed because another one has the take, or had it
        if state.phase == "finished" and worker.simulates:
            place.hand_in()
            self._frames[take.name] = self._dataset.outline(take.name).frame_count
        elif state.phase == "finished" and place.has_tracks() and not self._may_simulate():
            self._waiting.append(take)
            self._wait_for_body(take, place)
        elif state.phase == "finished" and place.has_tracks():
            self._running[self._running.index(worker)] = self._worker(take, place, worker.core)
            return
        elif state.code == "taken_over":
            raise Problem.reported(state.code, state.message)
        elif state.phase == "finished" or state.code == "ended_unexpectedly":
            note_failure(
                self._dataset.path,
                place.lease.folder,
                place.lease.number,
                reason=state.message or "it left nothing",
                log=worker.process.files.log,
            )
            self._waiting.append(take)
            place.leave()
        elif state.phase in ("stopped", "idle"):  # somebody else has ended it
            self._waiting.append(take)
            place.leave()
        else:
            raise Problem.reported(state.code, state.message)
        self._running.remove(worker)

    def _leave(self) -> None:
        """Let all that runs end, and give the dataset what there is of it."""
        if self._body is not None:
            self._body.leave()
        end([worker.process for worker in self._running])
        for worker in self._running:
            worker.place.leave()

    def _moving_frames(self) -> int:
        """How many frames of motion there are, held poses aside."""
        return sum(self._frames[take.name] for take in self._takes if take.kind == "dynamic")

    def _stage(self) -> str:
        if self._body is not None and self._body.stage:
            return self._body.stage
        left = len(self._waiting) + len(self._running) + len(self._lost)
        return f"Baked {len(self._takes) - left} of {len(self._takes)} takes"

    def _total(self) -> int:
        return sum(take.frames for take in self._takes)


def _for_training(take: PlannedTake) -> bool:
    return take.role == "training"


def bake_rest(
    plan: BakePlan, programs: Programs, emit: Emit, stop: StopRequest, *, at_once: int = 0, take: str = ""
) -> dict[str, Any]:
    """Choose what moves, where that is asked for, and bake what is left; see `Work`."""
    chosen = choose(plan, programs, emit, stop)
    return Work(chosen, programs, emit, stop, at_once=at_once, take=take).run()


def main() -> int:
    """The job; its exit status."""
    parser = argparse.ArgumentParser(description="Bake what is left of the takes of a dataset.")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--programs", type=Programs.of_text, required=True, help="see `Programs.to_text`")
    parser.add_argument("--take", default="", metavar="NAME", help="this one alone")
    parser.add_argument("--at-once", type=number_of_takes, default=0, metavar="N", help="how many takes")
    parser.add_argument("--stop-file", type=Path)
    arguments = parser.parse_args()
    stop = StopRequest(arguments.stop_file)
    stop.listen()
    folder = side_folder(arguments.dataset)
    try:
        plan, programs = BakePlan.of_dataset(arguments.dataset), arguments.programs
        result = bake_rest(plan, programs, print_event, stop, at_once=arguments.at_once, take=arguments.take)
    except Exception as error:  # noqa: BLE001 (a job reports whatever ends it)
        print_event(error_event(error, folder))
        return 1
    print_event({"event": "result", **result})
    return 0


if __name__ == "__main__":
    sys.exit(main())
