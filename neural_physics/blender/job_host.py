"""The jobs of this Blender: started by buttons, watched by a timer, or by a loop where there is no window."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..errors import Problem
from ..job_process import JobFiles, JobProcess
from ..jobs import JobState
from ..takes import writing
from ..wording import progress
from .paths import EXTENSION_ROOT

POLL_EVERY = 0.2  # seconds
Delivery = Callable[[Path, dict[str, Any]], None]

_jobs: dict[JobFiles, JobProcess] = {}
_deliveries: dict[str, Delivery] = {}


def on_result(kind: str, deliver: Delivery) -> None:
    """Call `deliver(folder, result)` whenever a job of this kind has finished, once for each result.

    It may raise Problem, which then is how the job ended.
    """
    _deliveries[kind] = deliver


def start(folder: Path, kind: str, argv: Sequence[str]) -> None:
    """Start a job whose files are kept in `folder`; a job that runs already is only followed.

    Raises Problem("job_not_started" | "folder_not_writable" | "disk_full").
    """
    _job(folder, kind).start(argv, environment())
    _watch()


def stop(folder: Path, kind: str) -> None:
    """Ask a job to stop at its next checkpoint; the second time, end it."""
    _job(folder, kind).stop()
    redraw()


def state_of(folder: Path, kind: str) -> JobState:
    """What is known of a job, from this session or from disk."""
    job = _job(folder, kind)
    if job.state.active or job.waits_for_delivery:
        _watch()
    return job.state


def forget(folder: Path) -> None:
    """Delete all that the jobs of a folder have left there. None of them may be running.

    Raises Problem("folder_not_writable").
    """
    for files in [files for files in _jobs if files.folder == folder]:
        del _jobs[files]
    if folder.is_dir():
        with writing(folder):
            shutil.rmtree(folder)


def log_of(folder: Path, kind: str) -> Path:
    """The file that holds everything a job printed."""
    return JobFiles(folder, kind).log


def run_blocking(
    folder: Path, kind: str, argv: Sequence[str], on_change: Callable[[JobState], None] | None = None
) -> JobState:
    """Run a job to its end; Ctrl-C asks it to stop, twice ends it. Returns how it ended."""
    start(folder, kind, argv)
    job = _job(folder, kind)
    shown = None
    while job.state.active:
        try:
            job.poll()
            if on_change and job.state is not shown:
                on_change(job.state)
            shown = job.state
            time.sleep(POLL_EVERY)
        except KeyboardInterrupt:
            job.stop()
    _deliver(job)
    return job.state


def print_progress(state: JobState) -> None:
    """Say where a job is, in one line on standard output."""
    if state.active:
        share = f"{state.share:4.0%} " if state.total else ""
        print(share + progress(state), flush=True)  # noqa: T201 (this is for a terminal)
    elif state.message:
        print(state.message, flush=True)  # noqa: T201


def environment() -> dict[str, str]:
    """What a job's process sees: the library on its path, nothing written into the extension's folder."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return {
        **inherited,
        "PYTHONPATH": str(EXTENSION_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }


def redraw() -> None:
    """Have the panels drawn again, in every window."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager else ():
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PREFERENCES"}:
                area.tag_redraw()


def register() -> None:
    """Nothing to do: jobs are found when they are asked for."""


def unregister() -> None:
    """Stop watching; jobs go on and are found again from their logs."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    _jobs.clear()
    _deliveries.clear()


def _job(folder: Path, kind: str) -> JobProcess:
    files = JobFiles(folder, kind)
    if files not in _jobs:
        _jobs[files] = JobProcess(files)
    return _jobs[files]


def _watch() -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=POLL_EVERY, persistent=True)


def _tick() -> float | None:
    for job in list(_jobs.values()):
        before = job.state
        job.poll()
        _deliver(job)
        if job.state is not before:
            redraw()
    return POLL_EVERY if any(job.state.active for job in _jobs.values()) else None


def _deliver(job: JobProcess) -> None:
    if not job.waits_for_delivery:
        return
    try:
        deliver = _deliveries.get(job.files.kind)
        if deliver:
            deliver(job.files.folder, job.state.result)
    except Problem as problem:
        job.fail(problem.code, problem.message)
    job.delivered()
