"""The body that all takes of the bundled solver share: one computer makes it, the others record meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from ..datasets.take_folders import side_folder
from ..errors import Problem
from ..jobs.cores import core_for_another
from ..jobs.events import Emit, Progress
from ..jobs.leases import Lease, Observer
from ..jobs.process import JobFiles, JobProcess
from ..jobs.turns import claim_turn
from .plan import BakePlan
from .programs import Programs
from .workers import LOOK_EVERY, TRIES, end, start_solver

BODY = "body"  # the solver's first job, which simulating waits for


class SharedBody:
    """Sees to it that the body is there: makes it, or checks the one that is there, when nobody else does.

    ready: takes may be simulated.
    """

    def __init__(self, plan: BakePlan, programs: Programs, emit: Emit, *, observer: Observer) -> None:
        self._plan, self._programs, self._emit = plan, programs, emit
        self._observer = observer
        self._lease: Lease | None = None
        self._process: JobProcess | None = None
        self._tries, self._looked = 0, float("-inf")
        self._core = 0
        self.ready = False

    @property
    def cores(self) -> list[int]:
        """Those of this computer that it takes now."""
        return [] if self._process is None else [self._core]

    @property
    def stage(self) -> str:
        """What is being done here for it; empty where nothing is."""
        return "" if self._process is None else self._process.state.stage

    def poll(self, taken: Sequence[int], *, has_room: bool) -> bool:
        """Go on with it, or begin where there is room for a process; whether it has become ready now.

        taken: the cores of the other processes of the bake.
        Raises Problem("bake_crashed"), and what the solver reported.
        """
        if self.ready:
            return False
        if self._lease is None and has_room:
            self._lease = self._claimed()
        if self._lease is None:
            return False
        try:
            self._lease.renew()
        except Problem as problem:
            if problem.code != "taken_over":
                raise
            self.leave()  # this computer stood still, and another one makes it
            return False
        if self._process is None:
            self._core = core_for_another(taken)
            self._process = start_solver(self._plan, self._programs, self._files, BODY, core=self._core)
        before = self._process.state.stage
        self._process.poll()
        if self._process.state.stage != before:
            Progress(self._emit, self._process.state.stage, self._process.state.total)
        if not self._process.state.active:
            self._ended()
        return self.ready

    def leave(self) -> None:
        """Let what runs end, and the next one have its turn."""
        if self._process is not None:
            with suppress(Problem):  # what cannot be asked is ended
                self._process.stop()
            end([self._process])  # asked twice it ends at once: filling hears nothing, and nothing is lost
            self._process = None
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def _claimed(self) -> Lease | None:
        if time.monotonic() - self._looked < LOOK_EVERY:
            return None
        self._looked = time.monotonic()
        return claim_turn(side_folder(self._plan.dataset) / BODY, self._observer)

    @property
    def _files(self) -> JobFiles:
        assert self._lease is not None  # it is its turn
        return JobFiles(self._lease.folder / str(self._lease.number), BODY)

    def _ended(self) -> None:
        """Be ready, or try once more where the solver crashed or somebody ended it."""
        assert self._process is not None  # it ran until now
        state, log = self._process.state, self._process.files.log
        if state.phase == "finished":
            self.leave()
            self.ready = True
            return
        if state.code not in ("ended_unexpectedly", "stopped"):
            raise Problem.reported(state.code, state.message)
        self._process = None
        self._tries += 1
        if self._tries >= TRIES:
            raise Problem("bake_crashed", take=f"the body of {self._plan.object}", path=log)
