"""The processes of a bake: one for each take, or for a share of something else, each on a core of its own."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence

from ..errors import Problem
from ..jobs.cores import usable_cores
from ..jobs.isolated_python import LAUNCHER, clean_environment
from ..jobs.overdue import PATIENCE
from ..jobs.process import JobFiles, JobProcess
from .plan import BakePlan
from .programs import Programs

POLL_EVERY = 0.05  # seconds
LOOK_EVERY = 1.0  # seconds, for what other computers have done
TRIES = 3  # of what crashes
MOST_PER_CORE = 4  # processes
LONGEST_NUMBER = 10  # digits
# The same sums in the same order, so that a resumed take is the same, and one core for each take.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


def start_blender(
    plan: BakePlan, programs: Programs, files: JobFiles, task: str, *, core: int, holder: int = 0
) -> JobProcess:
    """Start Blender on one task of a plan; it ends when this process does. Raises what `start` does."""
    trust = ["--key", programs.key] if programs.key else []
    trust += ["--trusted"] if programs.trusted else []
    trust += ["--all-trusted"] if programs.all_trusted else []
    command = [*programs.blender, *_task(plan, task, core, holder), *trust]
    return _started(command, files, clean_environment())


def start_solver(
    plan: BakePlan, programs: Programs, files: JobFiles, task: str, *, core: int, holder: int = 0
) -> JobProcess:
    """The same of the bundled solver. Raises what `start` does, and Problem("solver_not_here")."""
    if not programs.solver:
        raise Problem("solver_not_here", object=plan.object)
    command = [*programs.solver, *_task(plan, task, core, holder)]
    return _started(command, files, {**clean_environment(), **ONE_THREAD})


def _task(plan: BakePlan, task: str, core: int, holder: int) -> list[str]:
    where = ["--holder", str(holder), "--core", str(core), "--coordinator", str(os.getpid())]
    return [str(plan.path), task, *where]


def _started(command: list[str], files: JobFiles, environment: Mapping[str, str]) -> JobProcess:
    process = JobProcess(files)
    # Blender loads libraries from a folder `plugins` in the folder that it is started in.
    process.start(command, environment, LAUNCHER.parent)
    return process


def end(processes: Sequence[JobProcess]) -> None:
    """Ask all that still run to stop, and wait until they have; what cannot be asked is ended.

    Their folder may be gone: out of reach, or deleted by another computer that has finished the take. What
    does not stop within `PATIENCE` seconds is ended, too: its scene may keep it busy for ever.
    """
    for process in processes:
        try:
            process.stop()
        except Problem:
            process.end()
    asked = time.monotonic()
    while running := [process for process in processes if process.state.active]:
        time.sleep(POLL_EVERY)
        for process in running:
            if time.monotonic() - asked > PATIENCE:
                process.end()
            process.poll()


def number_of_takes(text: str) -> int:
    """Of a command line. Raises argparse.ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal() and len(text) < LONGEST_NUMBER):
        raise argparse.ArgumentTypeError(f"“{text:.40}” is no number of takes: 0 or more")
    return int(text)


def most_at_once(plan: BakePlan, asked: int = 0) -> int:
    """How many processes a plan may have at the same time; each is a Blender, and more would only wait.

    asked: for this computer, 0 for as many as the plan says.
    """
    own = len(usable_cores())
    return min(asked or plan.parallel or own, MOST_PER_CORE * own)
