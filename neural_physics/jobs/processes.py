"""Processes as each system has them: started apart from this one, ended with all they started, watched.

Numbers of processes are given out again, and a job's note may be a stranger's: a number proves nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

STOP_OPTION = "--stop-file"  # and the file, at the end of each job's command
# What is below is not one process but all of them, or the one that starts all others.
FIRST, LAST = 2, (1 << 31) - 1
SECONDS_TO_LIST = 10.0

if sys.platform == "win32":
    import _winapi

    WITHOUT_CONSOLE = subprocess.CREATE_NO_WINDOW
    APART = WITHOUT_CONSOLE | subprocess.CREATE_NEW_PROCESS_GROUP
    POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)  # the last one where a console is closed
    NO_SUCH_PROCESS = 87

    def end_with_children(process: int) -> None:
        """End a process that was started apart, and all that it has started."""
        words = [_system_program("taskkill.exe"), "/F", "/T", "/PID", str(process)]
        subprocess.run(words, check=False, capture_output=True, creationflags=WITHOUT_CONSOLE)

    def _leads_with(process: int, stop_file: Path) -> bool:
        asked = f"(Get-CimInstance Win32_Process -Filter 'ProcessId={process}').CommandLine"
        shell = _system_program("WindowsPowerShell", "v1.0", "powershell.exe")
        said = _said([shell, "-NoProfile", "-NonInteractive", "-Command", asked])
        return f"{STOP_OPTION} " in said and str(stop_file) in said

    def _system_program(*parts: str) -> str:
        """By its whole path: Windows looks in the current folder first."""
        return str(Path(os.environ["SYSTEMROOT"], "System32", *parts))

    class Watched:
        """A process that may end; who that is stays known, although numbers are given out again."""

        def __init__(self, process: int) -> None:
            self._handle: int | None = None
            self._gone = False
            try:
                self._handle = _winapi.OpenProcess(_winapi.SYNCHRONIZE, False, process)
            except OSError as error:
                self._gone = error.winerror == NO_SUCH_PROCESS  # else it is there, and somebody else's

        def is_gone(self) -> bool:
            """Whether it has ended."""
            if self._handle is None:
                return self._gone
            return _winapi.WaitForSingleObject(self._handle, 0) == _winapi.WAIT_OBJECT_0

else:
    WITHOUT_CONSOLE = APART = 0
    POLITE = (signal.SIGINT, signal.SIGTERM)

    def end_with_children(process: int) -> None:
        """End a process that was started apart, and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)

    def _leads_with(process: int, stop_file: Path) -> bool:
        try:
            option, file = _words(process)[-2:]
            named = Path(file)
            same = named.name == stop_file.name and named.parent.samefile(stop_file.parent)
            return same and option == STOP_OPTION and os.getpgid(process) == process
        except (OSError, ValueError):
            return False

    def _words(process: int) -> list[str]:
        """The words of a process's command; without /proc, those at its end that are of interest here."""
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
        except FileNotFoundError:
            listed = _said(["/bin/ps", "-ww", "-o", "command=", "-p", str(process)])
            _, option, file = listed.rpartition(STOP_OPTION)
            return [option, file.strip()]
        return [os.fsdecode(word) for word in words.split(b"\0")[:-1]]  # the last one ends with a zero, too

    class Watched:
        """A process that may end."""

        def __init__(self, process: int) -> None:
            self._process = process

        def is_gone(self) -> bool:
            """Whether it has ended."""
            try:
                os.kill(self._process, 0)
            except ProcessLookupError:
                return True
            except OSError:  # it is there, and somebody else's
                return False
            return False


def start_apart(
    argv: Sequence[str], environment: Mapping[str, str], current_folder: Path | None, output: BinaryIO
) -> subprocess.Popen[bytes]:
    """Start a process that goes on when this one ends, without a console, all it prints in `output`.

    Raises OSError.
    """
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=current_folder,
        env=dict(environment),
        start_new_session=True,
        creationflags=APART,
    )


def start_with_pipes(argv: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that is told what to do on its input, answers on its output, and ends with this one.

    Raises OSError.
    """
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(environment),
        creationflags=WITHOUT_CONSOLE,
    )


def is_told_to_stop_by(process: int, stop_file: Path) -> bool:
    """Whether a process is the job that looks for this file, and leads a group of its own."""
    return FIRST <= process <= LAST and _leads_with(process, stop_file)


def _said(command: Sequence[str]) -> str:
    """What a program of the system says, "" where it does not."""
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS_TO_LIST,
            creationflags=WITHOUT_CONSOLE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
