"""A job's files that somebody else has put there: nothing else is written, and no other process ended."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.jobs import process, processes
from neural_physics.jobs.process import JobFiles, JobProcess, is_written
from neural_physics.jobs.processes import STOP_OPTION, is_told_to_stop_by

WAIT = "import time; time.sleep(60)"


@pytest.fixture
def files(tmp_path: Path) -> JobFiles:
    files = JobFiles(tmp_path / "jobs", "train")
    files.folder.mkdir()
    return files


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the user's own, which has nothing to do with any job."""
    process = subprocess.Popen([sys.executable, "-c", WAIT], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def noted(files: JobFiles, pid: object) -> None:
    files.about.write_text(json.dumps({"pid": pid, "host": platform.node(), "argv": [], "delivered": False}))


def test_a_note_of_more_than_any_job_has_is_not_read(files) -> None:
    """It is read as a panel is drawn."""
    noted(files, 1)
    files.log.write_text('{"event": "result", "take": "take_000"}\n')
    assert JobProcess(files).waits_for_delivery
    files.about.write_text(files.about.read_text() + " " * process.LARGEST_ABOUT)
    assert not JobProcess(files).waits_for_delivery


@pytest.mark.parametrize("note", ["its number", 0, 1, -1, True, "7", None, 2.5, [3], 1 << 70])
def test_a_note_ends_no_process_that_is_not_its_job(files, victim, monkeypatch, note) -> None:
    ended: list[object] = []
    monkeypatch.setattr(os, "killpg", lambda *asked: ended.append(asked))
    noted(files, victim.pid if note == "its number" else note)
    with files.log.open("wb") as log:  # somebody, somewhere, has it open
        fcntl.flock(log, fcntl.LOCK_EX)
        job = JobProcess(files)
        assert job.state.active
        job.stop()
        with pytest.raises(Problem) as raised:
            job.stop()
    assert raised.value.code == "job_elsewhere" and not ended and victim.poll() is None


def test_the_job_of_another_folder_is_not_ended(files, tmp_path) -> None:
    other = JobFiles(tmp_path / "others", "train")
    job = JobProcess(other)
    job.start([sys.executable, "-c", WAIT], dict(os.environ))
    pid = json.loads(other.about.read_text())["pid"]
    end = time.monotonic() + 20
    while not is_told_to_stop_by(pid, other.stop):  # it may not be Python yet
        assert time.monotonic() < end
    assert not is_told_to_stop_by(pid, files.stop) and not is_told_to_stop_by(pid, tmp_path / "others" / "x")
    assert not is_told_to_stop_by(os.getpid(), other.stop)
    # A log that is a link to another job's is none of this one.
    noted(files, pid)
    files.log.symlink_to(other.log)
    assert is_written(other.log) and not is_written(files.log) and not JobProcess(files).state.active
    job.stop()
    job.stop()
    while job.state.active:
        job.poll()


@pytest.mark.skipif(sys.platform == "win32", reason="asks /bin/ps")
def test_where_there_is_no_proc_the_system_is_asked(files, monkeypatch) -> None:
    def without_proc(path: str) -> Path:
        return Path("/nowhere" if path.startswith("/proc") else path)

    monkeypatch.setattr(processes, "Path", without_proc)
    command = [sys.executable, "-c", WAIT, STOP_OPTION, str(files.stop)]
    with subprocess.Popen(command, start_new_session=True) as job:
        end = time.monotonic() + 20
        while not is_told_to_stop_by(job.pid, files.stop):
            assert time.monotonic() < end
        assert not is_told_to_stop_by(job.pid, files.stop.with_name("bake.stop"))
        assert not is_told_to_stop_by(1 << 22, files.stop)
        job.kill()


@pytest.mark.parametrize("kind", ["link", "second name", "pipe"])
def test_no_log_is_written_where_something_else_is(files, tmp_path, kind) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    if kind == "pipe":
        os.mkfifo(files.log)
    else:
        (files.log.symlink_to if kind == "link" else files.log.hardlink_to)(diary)
    with pytest.raises(Problem) as raised:
        JobProcess(files).start([sys.executable, "-c", "print(1)"], dict(os.environ))
    assert raised.value.code == ("place_is_link" if kind == "link" else "place_not_own_file")
    assert diary.read_text() == "dear diary"


@pytest.mark.parametrize("there", [True, False])
def test_who_asks_a_job_to_stop_makes_no_file_anywhere_else(files, tmp_path, there) -> None:
    elsewhere = tmp_path / "autostart.desktop"
    if there:
        elsewhere.write_text("somebody's own")
        os.utime(elsewhere, (1, 1))
    job = JobProcess(files)
    job.start([sys.executable, "-c", WAIT], dict(os.environ))
    files.stop.symlink_to(elsewhere)
    job.stop()
    assert files.stop.is_file() and not files.stop.is_symlink()
    assert elsewhere.stat().st_mtime == 1 if there else not elsewhere.exists()
    job.stop()
    while job.state.active:
        job.poll()
