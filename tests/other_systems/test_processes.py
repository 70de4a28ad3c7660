"""Starting, ending and watching processes, where there are no process groups and no signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pretending import loaded_on, module

from neural_physics.jobs import events, process
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.process import JobFiles, JobProcess

NO_WINDOW, NEW_GROUP = 0x0800_0000, 0x0000_0200


class Processes:
    """`_winapi`: handles of processes, which stay those of who was meant."""

    SYNCHRONIZE, WAIT_OBJECT_0 = 0x0010_0000, 0

    def __init__(self) -> None:
        self.alive: set[int] = {7}
        self.protected: set[int] = set()

    def OpenProcess(self, access: int, inherit: bool, number: int) -> int:  # noqa: N802 (as there)
        assert (access, inherit) == (self.SYNCHRONIZE, False)
        if number in self.protected or number not in self.alive:
            error = OSError(22, "refused")
            error.winerror = 5 if number in self.protected else 87  # type: ignore[attr-defined]
            raise error
        return number + 1000

    def WaitForSingleObject(self, handle: int, milliseconds: int) -> int:  # noqa: N802 (as there)
        assert milliseconds == 0
        return 258 if handle - 1000 in self.alive else self.WAIT_OBJECT_0


@pytest.fixture
def there() -> Processes:
    return Processes()


@pytest.fixture
def windows(monkeypatch, there):
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", NO_WINDOW, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", NEW_GROUP, raising=False)
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(signal, "SIGKILL")
    return loaded_on("win32", "neural_physics.jobs.processes", _winapi=there)


def test_on_windows_a_worker_stops_when_its_coordinator_is_gone(windows, there, monkeypatch):
    """Windows gives nobody another parent, so that only the coordinator's own end tells."""
    monkeypatch.setattr(events, "Watched", windows.Watched)
    stop = StopRequest()
    stop.follow(7)
    assert not stop.asked()
    there.alive.clear()
    assert stop.asked()
    late = StopRequest()
    late.follow(7)  # which has ended before it could be asked about
    assert late.asked()


def test_on_windows_a_process_of_somebody_else_counts_as_there(windows, there):
    there.protected = {8}
    assert not windows.Watched(8).is_gone()


def test_here_a_process_of_somebody_else_counts_as_there(monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    stop = StopRequest()
    stop.follow(1)
    assert not stop.asked()


def test_on_windows_a_job_is_ended_with_its_children_by_the_systems_own_program(
    windows, tmp_path, monkeypatch
):
    ran = []
    monkeypatch.setenv("SYSTEMROOT", r"C:\Windows")
    monkeypatch.setattr(subprocess, "run", lambda words, **how: ran.append((words, how)))
    monkeypatch.setattr(process, "end_with_children", windows.end_with_children)
    job = JobProcess(JobFiles(tmp_path, "sleep"))
    job.start([sys.executable, "-c", "import time; time.sleep(60)"], os.environ)
    job.stop()
    job.stop()
    assert job._process is not None
    os.kill(job._process.pid, 9)
    job._process.wait()
    ((words, how),) = ran
    assert Path(words[0]).parts[0] == r"C:\Windows" and words[0].endswith("taskkill.exe")
    assert words[1:] == ["/F", "/T", "/PID", str(job._process.pid)]
    assert how["creationflags"] == NO_WINDOW, "a console would flash up"


def test_on_windows_a_job_has_no_console_and_hears_no_ctrl_c_of_its_starter(windows, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(subprocess, "Popen", lambda argv, **how: asked.append(how))
    with (tmp_path / "log").open("wb") as log:
        windows.start_apart(["program"], {}, None, log)
    assert asked[0]["creationflags"] == NO_WINDOW | NEW_GROUP


def test_on_windows_closing_the_console_asks_to_stop(windows, monkeypatch):
    monkeypatch.setattr(events, "POLITE", windows.POLITE)
    kept = {number: signal.getsignal(number) for number in windows.POLITE}
    try:
        stop = StopRequest()
        stop.listen()
        signal.raise_signal(signal.SIGUSR1)  # in the place of SIGBREAK
        assert stop.asked()
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_where_a_process_cannot_be_kept_to_a_core_it_runs_on_all(platform, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delattr(os, "sched_setaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    cores = loaded_on(platform, "neural_physics.jobs.cores")
    assert cores.usable_cores() == [0, 1, 2]
    cores.keep_to_cores([1])


@pytest.mark.parametrize(
    ("platform", "python"), [("win32", "env/Scripts/python.exe"), ("darwin", "env/bin/python")]
)
def test_the_python_of_an_environment_is_called_as_on_the_system(platform, python):
    there = loaded_on(platform, "neural_physics.jobs.virtual_environments")
    assert there.python_in(Path("env")) == Path(python)


def test_backslashes_of_windows_paths_reach_pip_and_elsewhere_escape_as_in_a_shell():
    typed = r'--cert "C:\my certs\a.pem" --proxy=http://a#b'
    there = loaded_on("win32", "neural_physics.jobs.virtual_environments")
    assert there.words_of(typed) == ["--cert", r"C:\my certs\a.pem", "--proxy=http://a#b"]
    here = loaded_on("linux", "neural_physics.jobs.virtual_environments")
    assert here.words_of(r"--find-links /my\ wheels") == ["--find-links", "/my wheels"]


def test_on_macos_more_open_files_than_it_allows_are_no_reason_to_fail():
    def refuse(*_: object) -> None:
        raise ValueError("current limit exceeds maximum limit")

    resource = module(RLIMIT_NOFILE=8, RLIM_INFINITY=-1, getrlimit=lambda _: (256, -1), setrlimit=refuse)
    loaded_on("darwin", "neural_physics.files.open_files", resource=resource).open_many_files()


def test_on_windows_no_limit_of_open_files_is_asked_for():
    loaded_on("win32", "neural_physics.files.open_files", resource=None).open_many_files()


def test_on_windows_the_libraries_beside_a_compiled_module_are_found(tmp_path, monkeypatch):
    found = []
    monkeypatch.setattr(os, "add_dll_directory", found.append, raising=False)
    there = loaded_on("win32", "neural_physics.solver.meshing.compiled_libraries")
    there.let_be_found(tmp_path / "missing.libs")
    there.let_be_found(tmp_path)
    assert found == [str(tmp_path)]
