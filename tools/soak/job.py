"""`python -m tools.soak.job FOLDER KIND COMMAND ...`: one job without Blender, as its host runs it.

For what the extension has no setting for: trainings that count steps, and not minutes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from neural_physics.errors import Problem
from neural_physics.jobs.isolated_python import clean_environment
from neural_physics.jobs.process import JobFiles, JobProcess
from tools.soak.marks import BEGINS

POLL_EVERY = 0.05  # seconds


def main(folder: str, kind: str, *command: str) -> int:
    """Run or follow the job to its end; 0 where it finished, else 1, and why in one sentence."""
    try:
        return _run(JobProcess(JobFiles(Path(folder), kind)), command)
    except Problem as problem:
        return _failed(problem.message)


def _run(job: JobProcess, command: Sequence[str]) -> int:
    job.start(command, clean_environment())
    print(BEGINS, flush=True)  # noqa: T201 (whoever times a fault waits for it)
    if job.state.phase == "idle":  # it has been started by one that was killed before it could note that
        raise Problem("object_busy", object=job.files.folder, job=job.files.kind)
    while job.state.active:
        time.sleep(POLL_EVERY)
        job.poll()
    if job.state.phase != "finished":
        return _failed(job.state.message)
    job.delivered()
    return 0


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)  # noqa: T201 (as a command of the extension says it)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
