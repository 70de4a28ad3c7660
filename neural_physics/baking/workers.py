"""The processes of a bake: one for each take, or for a share of something else, each on a core of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from ..jobs.isolated_python import clean_environment
from ..jobs.process import JobFiles, JobProcess
from .plan import BakePlan

POLL_EVERY = 0.05  # seconds
RETRIES = 1  # of what crashed
MOST_PER_CORE = 4  # processes
# The same sums in the same order, so that a resumed take is the same, and one core for each take.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


def start_worker(
    plan: BakePlan, program: tuple[str, ...], files: JobFiles, task: str, *, core: int
) -> JobProcess:
    """Start `program` on one task of a plan; it ends when this process does. Raises what `start` does."""
    command = [*program, str(plan.path), task, "--core", str(core)]
    command += ["--coordinator", str(os.getpid()), "--digest", plan.digest]
    threads = ONE_THREAD if program == plan.solver else {}
    process = JobProcess(files)
    process.start(command, {**clean_environment(), **threads})
    return process


def end(processes: Sequence[JobProcess]) -> None:
    """Ask all that still run to stop, and wait until they have."""
    for process in processes:
        process.stop()
    for process in processes:
        while process.state.active:
            time.sleep(POLL_EVERY)
            process.poll()


def at_once(plan: BakePlan) -> int:
    """How many processes a plan may have at the same time; each is a Blender, and more would only wait."""
    own = len(cores())
    return min(plan.parallel or own, MOST_PER_CORE * own)


def cores() -> list[int]:
    """The processor's cores that this process may use."""
    if sys.platform == "linux":
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
