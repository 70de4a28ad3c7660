"""Jobs as real processes: they are followed, stopped, killed, and found again by whoever comes next."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from neural_physics.baking.workers import end
from neural_physics.errors import Problem
from neural_physics.jobs import process
from neural_physics.jobs.process import JobFiles, JobProcess, is_written

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}

COUNT = """
import sys, time
from pathlib import Path
from neural_physics.baking.workers import end
from neural_physics.errors import Problem
from neural_physics.jobs.events import Progress, StopRequest, error_event, print_event
stop = StopRequest(Path(sys.argv[-1])); stop.listen()
progress = Progress(print_event, "Counting", int(sys.argv[1]))
try:
    for i in range(int(sys.argv[1])):
        time.sleep(0.05); progress.at(i + 1); stop.check()
    print_event({"event": "result", "counted": int(sys.argv[1])})
except Problem as problem:
    print_event(error_event(problem)); sys.exit(1)
"""


@pytest.fixture
def files(tmp_path: Path) -> JobFiles:
    return JobFiles(tmp_path / "jobs", "count")


def counting_to(number: int) -> list[str]:
    return [sys.executable, "-c", COUNT, str(number)]


def poll_until(job: JobProcess, done: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, job.state
        job.poll()
        time.sleep(0.02)


def test_a_job_reports_its_progress_and_delivers_its_result_once(files: JobFiles) -> None:
    job = JobProcess(files)
    job.start(counting_to(3), ENVIRONMENT)
    poll_until(job, lambda: not job.state.active)
    assert (job.state.phase, job.state.result, job.state.share) == ("finished", {"counted": 3}, 1.0)
    assert job.waits_for_delivery
    assert JobProcess(files).waits_for_delivery, "another session must find what was not yet delivered"
    job.delivered()
    found = JobProcess(files)
    assert found.state.phase == "finished" and not found.waits_for_delivery


def test_a_job_whose_folder_is_gone_cannot_be_asked_to_stop_and_is_ended(files: JobFiles) -> None:
    job = JobProcess(files)
    job.start(counting_to(1000), ENVIRONMENT)
    poll_until(job, lambda: job.state.done > 2)
    pid = json.loads(files.about.read_text())["pid"]
    shutil.rmtree(files.folder)
    end([job])
    assert not job.state.active
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_stopped_job_ends_at_its_checkpoint_and_can_be_started_again(files: JobFiles) -> None:
    job = JobProcess(files)
    job.start(counting_to(1000), ENVIRONMENT)
    poll_until(job, lambda: job.state.done > 2)
    job.stop()
    assert job.state.phase == "stopping"
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "stopped" and "resume" in job.state.message
    assert not files.stop.exists()
    job.start(counting_to(2), ENVIRONMENT)
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "finished"


def test_a_job_that_does_not_stop_is_ended_by_asking_twice_with_all_it_started(files: JobFiles) -> None:
    stubborn = (
        "import subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "print(child.pid, flush=True); time.sleep(60)"
    )
    job = JobProcess(files)
    job.start([sys.executable, "-c", stubborn], ENVIRONMENT)
    poll_until(job, lambda: bool(job.state.log))
    job.stop()
    job.stop()
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "stopped"
    child = Path(f"/proc/{job.state.log[0]}/stat")
    poll_until(job, lambda: not child.exists() or child.read_text().split()[2] == "Z")


def test_a_job_outlives_the_one_who_started_it_and_is_found_running_then_finished(files: JobFiles) -> None:
    starter = (
        "import os, sys; from pathlib import Path; from neural_physics.jobs.process import *; "
        f"JobProcess(JobFiles(Path({str(files.folder)!r}), 'count')).start({counting_to(30)!r}, os.environ); "
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", starter], env=ENVIRONMENT, check=True)
    job = JobProcess(files)
    assert job.state.phase == "running"
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "finished" and job.state.result == {"counted": 30}


def test_a_job_started_elsewhere_is_followed_not_started_twice(files: JobFiles) -> None:
    late = JobProcess(files)
    job = JobProcess(files)
    job.start(counting_to(20), ENVIRONMENT)
    late.start(counting_to(5), ENVIRONMENT)
    poll_until(late, lambda: not late.state.active)
    assert late.state.result == {"counted": 20}


def test_a_killed_job_is_not_taken_for_a_running_one(files: JobFiles) -> None:
    job = JobProcess(files)
    job.start(counting_to(1000), ENVIRONMENT)
    poll_until(job, lambda: job.state.done > 0)
    assert is_written(files.log)
    os.kill(int(job._about["pid"]), 9)
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "failed" and "resume" in job.state.message
    found = JobProcess(files)
    assert found.state.phase == "failed" and not is_written(files.log)


def test_a_crash_is_reported_with_its_last_output(files: JobFiles) -> None:
    job = JobProcess(files)
    job.start([sys.executable, "-c", "raise ValueError('out of luck')"], ENVIRONMENT)
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "failed" and "out of luck" in job.state.message


def test_of_two_who_start_at_once_the_slower_follows_and_leaves_the_log_alone(files, monkeypatch) -> None:
    slower, job = JobProcess(files), JobProcess(files)
    job.start(counting_to(20), ENVIRONMENT)
    poll_until(job, lambda: job.state.done > 2)
    looked = iter([False])  # before the faster one had started
    monkeypatch.setattr(process, "is_written", lambda log: next(looked, True))
    slower.start(counting_to(5), ENVIRONMENT)
    monkeypatch.undo()
    poll_until(job, lambda: not job.state.active)
    poll_until(slower, lambda: not slower.state.active)
    assert job.state.result == slower.state.result == {"counted": 20}
    assert files.log.read_text().count('"event": "result"') == 1


def test_whoever_looks_whether_a_job_runs_does_not_keep_another_from_starting_it(files: JobFiles) -> None:
    files.folder.mkdir()
    files.log.touch()
    with files.log.open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.1, fcntl.flock, (looking, fcntl.LOCK_UN)).start()
        job = JobProcess(files)
        job.start(counting_to(2), ENVIRONMENT)
        poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "finished"


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_that_refuses_locks_is_no_reason_to_fail(files, monkeypatch, number) -> None:
    """NFS and CIFS refuse to lock exclusively what is open for reading; others know no locks at all."""
    lock = fcntl.flock

    def refused(file, operation):
        reads = fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        if number != errno.EBADF or (reads and operation & fcntl.LOCK_EX):
            raise OSError(number, os.strerror(number))
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", refused)
    job = JobProcess(files)
    job.start(counting_to(5), ENVIRONMENT)
    assert is_written(files.log) == (number == errno.EBADF)
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "finished" and not is_written(files.log)


def test_a_job_of_another_computer_is_asked_to_stop_but_no_process_of_this_one_is_ended(files) -> None:
    job = JobProcess(files)
    job.start([sys.executable, "-c", "import time; time.sleep(60)"], ENVIRONMENT)
    about = json.loads(files.about.read_text())
    files.about.write_text(json.dumps(about | {"host": "render-07"}))
    elsewhere = JobProcess(files)
    elsewhere.stop()
    with pytest.raises(Problem, match="render-07") as raised:
        elsewhere.stop()
    assert raised.value.code == "job_elsewhere" and job._process.poll() is None
    job.stop()
    job.stop()
    poll_until(job, lambda: not job.state.active)


@pytest.mark.parametrize("about", ["[]", "3", "{", '{"a":' * 100_000])
def test_notes_of_a_job_that_make_no_sense_are_none(files: JobFiles, about: str) -> None:
    files.folder.mkdir()
    files.about.write_text(about)
    assert JobProcess(files).state.phase == "idle"


def test_a_pipe_in_the_place_of_a_log_is_not_waited_for(files: JobFiles) -> None:
    files.folder.mkdir()
    files.about.write_text("{}")
    os.mkfifo(files.log)
    assert JobProcess(files).state.phase == "failed"


def test_a_job_ends_as_it_should_where_its_stop_file_cannot_be_deleted_any_more(files, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    job = JobProcess(files)
    job.start(counting_to(2), ENVIRONMENT)
    monkeypatch.setattr(Path, "unlink", refuse)
    poll_until(job, lambda: not job.state.active)
    assert job.state.phase == "finished"


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("in the way")
    with pytest.raises(Problem) as raised:
        JobProcess(JobFiles(tmp_path / "jobs", "count")).start(counting_to(1), ENVIRONMENT)
    assert raised.value.code == "folder_not_writable"


def test_a_missing_program_is_reported(files: JobFiles) -> None:
    job = JobProcess(files)
    with pytest.raises(Problem, match="nowhere/python") as raised:
        job.start(["/nowhere/python"], ENVIRONMENT)
    assert raised.value.code == "job_not_started"
    assert job.state.phase == "idle"
