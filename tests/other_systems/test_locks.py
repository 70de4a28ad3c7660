"""Who has a file open, and one process at a time, where there is no flock."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from pretending import HeldFiles, loaded_on, module, refused

from neural_physics.jobs import process
from neural_physics.jobs.process import JobFiles, JobProcess

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


class Locking:
    """`msvcrt.locking`: the first byte of a file is one handle's until that is closed."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.owners: dict[str, int] = {}

    def locking(self, file: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        name = str(Path(f"/proc/self/fd/{file}").readlink())
        if self.owners.get(name, file) != file:
            raise OSError(errno.EACCES, "Permission denied")
        self.owners[name] = file


@pytest.fixture
def windows_locks(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    locking, close = Locking(), os.close

    def closed(file: int) -> None:
        for name in [name for name, owner in locking.owners.items() if owner == file]:
            del locking.owners[name]
        close(file)

    monkeypatch.setattr(os, "close", closed)
    substitute = module(locking=locking.locking, LK_NBLCK=locking.LK_NBLCK)
    return loaded_on("win32", "neural_physics.files.locks", msvcrt=substitute, fcntl=None)


def test_on_windows_a_second_one_waits_until_the_first_has_left_the_folder(windows_locks, tmp_path):
    happened = []

    def second() -> None:
        with windows_locks.one_at_a_time(tmp_path / "dataset"):
            happened.append("second")

    with windows_locks.one_at_a_time(tmp_path / "dataset"):
        thread = threading.Thread(target=second)
        thread.start()
        with windows_locks.one_at_a_time(tmp_path / "other dataset"):  # nobody is in this one
            thread.join(0.1)
        happened.append("first")
    thread.join()
    assert happened == ["first", "second"]


def test_on_windows_a_folder_that_is_worked_on_holds_no_file_of_ours(windows_locks, tmp_path):
    (tmp_path / "dataset").mkdir()
    with windows_locks.one_at_a_time(tmp_path / "dataset"):
        assert list((tmp_path / "dataset").iterdir()) == []


def test_on_windows_where_there_are_no_locks_nobody_waits(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    substitute = module(locking=refuse, LK_NBLCK=2)
    locks = loaded_on("win32", "neural_physics.files.locks", msvcrt=substitute, fcntl=None)
    with locks.one_at_a_time(tmp_path), locks.one_at_a_time(tmp_path):
        pass


def test_on_windows_a_log_is_written_while_its_job_has_it_open_and_not_where_it_is_read_only(
    windows_locks, tmp_path, monkeypatch
):
    HeldFiles(monkeypatch)
    log = tmp_path / "log"
    assert not windows_locks.is_held(log)
    with log.open("wb"):
        assert windows_locks.is_held(log)
    assert not windows_locks.is_held(log)

    def refuse(*_: object) -> None:
        raise refused(5)

    monkeypatch.setattr(os, "rename", refuse)
    assert not windows_locks.is_held(log)


def test_on_windows_a_job_is_started_once_followed_ended_and_started_again(
    windows_locks, tmp_path, monkeypatch
):
    HeldFiles(monkeypatch, by="[0-9]*")
    monkeypatch.setattr(process, "holding", windows_locks.holding)
    monkeypatch.setattr(process, "is_held", windows_locks.is_held)
    files = JobFiles(tmp_path / "jobs", "sleep")
    late, job = JobProcess(files), JobProcess(files)
    job.start(SLEEP, os.environ)
    looked = iter([False])  # before the faster one had started
    with pytest.MonkeyPatch.context() as early:
        early.setattr(process, "is_written", lambda log: next(looked, True))
        late.start(SLEEP, os.environ)
    assert late.state.phase == "running" and late._process is None
    late.stop()
    late.stop()
    for one in (job, late):
        ends = time.monotonic() + 20
        while one.state.active and time.monotonic() < ends:
            one.poll()
            time.sleep(0.02)
    assert late.state.phase == "stopped" and not job.state.active
    again = JobProcess(files)
    again.start([sys.executable, "-c", "print('here')"], os.environ)
    assert again._process is not None
    again._process.wait()


def test_a_lock_goes_with_a_process_that_is_killed(tmp_path):
    """Here, with what this system really has."""
    script = (
        "import sys, time; from pathlib import Path; from neural_physics.files.locks import one_at_a_time\n"
        "with one_at_a_time(Path(sys.argv[1])): print('in', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", script, str(tmp_path)]
    root = str(Path(__file__).resolve().parents[2])
    locks = loaded_on(sys.platform, "neural_physics.files.locks")
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": root}) as other:
        assert other.stdout is not None and other.stdout.readline() == b"in\n"
        threading.Timer(0.2, other.kill).start()
        with locks.one_at_a_time(tmp_path):
            assert other.wait(5) != 0
