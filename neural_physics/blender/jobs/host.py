"""The jobs of this Blender: started by buttons, watched by a timer, or by a loop where there is no window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...errors import Problem
from ...files.atomic import writing
from ...jobs.isolated_python import clean_environment
from ...jobs.life_cycle import JobState
from ...jobs.process import JobFiles, JobProcess, read_about
from ...jobs.wording import job_name, progress
from ..settings.own_folders import user_folder
from ..settings.paths import remove_if_empty
from .redrawing import Progress, redraw
from .timers import in_window

POLL_EVERY = 0.2  # seconds
Delivery = Callable[[Path, dict[str, Any]], bool]

_jobs: dict[JobFiles, JobProcess] = {}
_on_disk: dict[JobFiles, tuple[int, ...]] = {}  # how what is known of a job looked there last
_deliveries: dict[str, Delivery] = {}
_progress = Progress()
_begun_here = set[JobFiles]()  # in this process: what somebody's log said there before is gone
_ended: dict[JobFiles, float] = {}  # by `time.monotonic`, of the jobs that were seen to end


def on_result(kind: str, deliver: Delivery) -> None:
    """Call `deliver(folder, result)` whenever a job of this kind has finished, until it says that it arrived.

    It may raise Problem, which then is how the job ended.
    """
    _deliveries[kind] = deliver


def start(folder: Path, kind: str, argv: Sequence[str], owner: str = "") -> None:
    """Start a job of `owner`, its files in `folder`; the same job, if it runs already, is only followed.

    Raises Problem("object_busy" | "job_not_started" | "folder_not_writable" | "disk_full").
    """
    job = _job(folder, kind)
    job.start(argv, clean_environment(), user_folder())
    _remember(job)
    # One of a Blender that was killed before it could note what it had started has a log, and nothing else.
    unknown = job.state.phase == "idle"
    if unknown or (job.state.active and _argv_of(job.files) != list(argv)):
        raise Problem("object_busy", object=owner or folder, job=job_name(kind))
    _begun_here.add(job.files)
    _watch()


def stop(folder: Path, kind: str) -> None:
    """Ask a job to stop at its next checkpoint; the second time, end it."""
    _job(folder, kind).stop()
    redraw()


def state_of(folder: Path, kind: str) -> JobState:
    """What is known of a job, from this session or from disk."""
    job = _job(folder, kind)
    if bpy.app.background:  # where no timer does
        job.poll()
    if job.state.active or job.waits_for_delivery:
        _watch()
    return job.state


def state_now(folder: Path, kind: str) -> JobState:
    """The same of a job that is waited for, where no timer gets to run."""
    job = _job(folder, kind)
    job.poll()
    return job.state


def is_known(folder: Path, kind: str) -> bool:
    """Whether `state_of` need not seek a job on disk, where its log may be long."""
    files = JobFiles(folder, kind)
    job = _jobs.get(files)
    return job is not None and (job.state.active or _on_disk[files] == _stamp(files))


def began_here(folder: Path, kind: str) -> bool:
    """Whether this process has started a job there: else what is known of one was found on disk."""
    return JobFiles(folder, kind) in _begun_here


def forget_begun() -> None:
    """Another file is opened: what was begun for this one is found on disk from then on."""
    _begun_here.clear()


def forget(folder: Path, kinds: Iterable[str]) -> None:
    """Delete all that jobs of these kinds have left in a folder. None of them may be running.

    Raises Problem("folder_not_writable").
    """
    with writing(folder):
        for files in (JobFiles(folder, kind) for kind in kinds):
            _jobs.pop(files, None)
            for path in (files.log, files.about, files.stop):
                path.unlink(missing_ok=True)
        remove_if_empty(folder)


def let_go(folder: Path) -> None:
    """Look at the jobs below a folder anew where they are asked for next: their files have been moved."""
    for files in [files for files in _jobs if files.folder.is_relative_to(folder)]:
        del _jobs[files]


def forget_resting() -> None:
    """Forget the jobs that do not run and have delivered: what is asked for is found on disk again."""
    for files in [files for files, job in _jobs.items() if not (job.state.active or job.waits_for_delivery)]:
        del _jobs[files]
    for files in _on_disk.keys() - _jobs.keys():
        del _on_disk[files]
    for files in _ended.keys() - _jobs.keys():
        del _ended[files]


def begun(folder: Path, kind: str, words: Sequence[str]) -> float | None:
    """When a job was started last, seconds since 1970; None unless its command ends with these words."""
    files = JobFiles(folder, kind)
    argv = _argv_of(files)
    return files.about.lstat().st_mtime if argv and argv[-len(words) :] == list(words) else None


def ended_at(folder: Path, kind: str) -> float:
    """When a job was seen to end, seconds of `time.monotonic`; minus infinity where none was."""
    return _ended.get(JobFiles(folder, kind), float("-inf"))


def last_said(folder: Path, kind: str) -> float:
    """When a job said something last, seconds since 1970; infinity where it never did."""
    try:
        return log_of(folder, kind).lstat().st_mtime
    except OSError:
        return float("inf")


def log_of(folder: Path, kind: str) -> Path:
    """The file that holds everything a job printed."""
    return JobFiles(folder, kind).log


def run_blocking(
    folder: Path,
    kind: str,
    argv: Sequence[str],
    on_change: Callable[[JobState], None] | None = None,
    *,
    owner: str = "",
) -> JobState:
    """Run a job to its end; Ctrl-C asks it to stop, twice ends it. Returns how it ended.

    Raises what `start` does.
    """
    start(folder, kind, argv, owner)
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
    """Say where a job that runs is, in one line on standard output."""
    if state.active:
        share = f"{state.share:4.0%} " if state.total else ""
        print(share + progress(state), flush=True)  # noqa: T201 (this is for a terminal)


def register() -> None:
    """Nothing to do: jobs are found when they are asked for."""


def unregister() -> None:
    """Stop watching; jobs go on and are found again from their logs."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    _jobs.clear()
    _begun_here.clear()
    _on_disk.clear()
    _ended.clear()
    _deliveries.clear()


def _job(folder: Path, kind: str) -> JobProcess:
    """A job as it is now: one that rests may have been started by another Blender or a terminal meanwhile."""
    files = JobFiles(folder, kind)
    job = _jobs.get(files)
    if job is None or (not job.state.active and _on_disk[files] != _stamp(files)):
        job = _jobs[files] = JobProcess(files)
        _remember(job)
    return job


def _remember(job: JobProcess) -> None:
    _on_disk[job.files] = _stamp(job.files)


def _stamp(files: JobFiles) -> tuple[int, ...]:
    """What changes when anybody starts the job."""
    try:
        about = files.about.lstat()
    except OSError:
        return ()
    return about.st_mtime_ns, about.st_size, about.st_ino


def _argv_of(files: JobFiles) -> list[str] | None:
    """What the job was started with last."""
    argv = (read_about(files) or {}).get("argv")
    return argv if isinstance(argv, list) else None


def _watch() -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=POLL_EVERY, persistent=True)


@in_window
def _tick() -> float | None:
    for job in list(_jobs.values()):
        before = job.state
        job.poll()
        _deliver(job)
        if before.active and not job.state.active:
            _ended[job.files] = time.monotonic()
        if job.state.phase != before.phase:
            redraw()
        elif job.state is not before:
            _progress.changed()
    _progress.draw()
    return POLL_EVERY if any(job.state.active for job in _jobs.values()) else None


def _deliver(job: JobProcess) -> None:
    if not job.waits_for_delivery:
        return
    deliver = _deliveries.get(job.files.kind)
    try:
        arrived = deliver is None or deliver(job.files.folder, job.state.result)
    except Problem as problem:
        job.fail(problem.code, problem.message)
        arrived = True
    if arrived:
        _begun_here.discard(job.files)
        try:
            job.delivered()
        except Problem as problem:  # a folder that cannot be written to any more
            job.fail(problem.code, problem.message)
        _remember(job)
