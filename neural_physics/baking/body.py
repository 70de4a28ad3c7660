"""The body that all takes of the bundled solver share: one computer makes it, the others wait."""

from __future__ import annotations

import time

from ..datasets.take_folders import side_folder
from ..errors import Problem
from ..jobs.events import Emit, Progress, StopRequest
from ..jobs.leases import Lease, Observer
from ..jobs.process import JobFiles
from ..jobs.turns import turn
from .plan import BakePlan
from .programs import Programs
from .workers import LOOK_EVERY, POLL_EVERY, TRIES, end, start_solver

BODY = "body"  # the solver's first job, which the takes wait for


def make_body(
    plan: BakePlan, programs: Programs, emit: Emit, stop: StopRequest, *, observer: Observer, core: int
) -> None:
    """Let the solver make the body that all takes share, or check the one that is there.

    Raises Problem("stopped" | "taken_over" | "bake_crashed"), and what the solver reported.
    """
    with turn(side_folder(plan.dataset) / BODY, observer, stop, look_every=LOOK_EVERY) as lease:
        files = JobFiles(lease.folder / str(lease.number), BODY)
        for _ in range(TRIES):
            if _is_made(plan, programs, emit, stop, files=files, lease=lease, core=core):
                return
    raise Problem("bake_crashed", take=f"the body of {plan.object}", path=files.log)


def _is_made(
    plan: BakePlan,
    programs: Programs,
    emit: Emit,
    stop: StopRequest,
    *,
    files: JobFiles,
    lease: Lease,
    core: int,
) -> bool:
    """Try it once; False where the solver crashed or somebody ended it."""
    process = start_solver(plan, programs, files, BODY, core=core)
    stage = ""
    try:
        while process.state.active:
            stop.check()
            lease.renew()
            time.sleep(POLL_EVERY)
            process.poll()
            if process.state.stage != stage:
                stage = process.state.stage
                Progress(emit, stage, process.state.total)
    finally:
        process.stop()
        end([process])  # asked twice it ends at once: filling hears nothing, and nothing is lost
    if process.state.phase != "finished" and process.state.code not in ("ended_unexpectedly", "stopped"):
        raise Problem.reported(process.state.code, process.state.message)
    return process.state.phase == "finished"
