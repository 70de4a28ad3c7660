"""Other processes of this computer: which one is a job, and how it is ended with all that it has started.

Numbers of processes are given out again, and a job's note may be a stranger's: a number proves nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

STOP_OPTION = "--stop-file"  # and the file, at the end of each job's command
# What is below is not one process but all of them, or the one that starts all others.
FIRST, LAST = 2, (1 << 31) - 1
SECONDS_TO_LIST = 10.0


def is_told_to_stop_by(process: int, stop_file: Path) -> bool:
    """Whether a process is the job that looks for this file, and leads a group of its own."""
    if not FIRST <= process <= LAST:
        return False
    if sys.platform == "win32":
        said = _listed(process)
        return f"{STOP_OPTION} " in said and str(stop_file) in said
    try:
        option, file = _words(process)[-2:]
        named = Path(file)
        same = named.name == stop_file.name and named.parent.samefile(stop_file.parent)
        return same and option == STOP_OPTION and os.getpgid(process) == process
    except (OSError, ValueError):
        return False


def end_group(process: int) -> None:
    """End a process that leads a group, and all that it has started; harmless where there is none."""
    if sys.platform == "win32":
        # By its whole path: Windows looks in the current folder first.
        taskkill = _system_program("taskkill.exe")
        subprocess.run([taskkill, "/F", "/T", "/PID", str(process)], check=False, capture_output=True)
        return
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _words(process: int) -> list[str]:
    """The words of a process's command; without /proc, those at its end that are of interest here."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        _, option, file = _listed(process).rpartition(STOP_OPTION)
        return [option, file.strip()]
    return [os.fsdecode(word) for word in words.split(b"\0")[:-1]]  # the last word ends with a zero, too


def _listed(process: int) -> str:
    """A process's command as the system lists it, "" where it does not."""
    command = ["/bin/ps", "-ww", "-o", "command=", "-p", str(process)]
    if sys.platform == "win32":
        asked = f"(Get-CimInstance Win32_Process -Filter 'ProcessId={process}').CommandLine"
        shell = _system_program("WindowsPowerShell", "v1.0", "powershell.exe")
        command = [str(shell), "-NoProfile", "-NonInteractive", "-Command", asked]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace", timeout=SECONDS_TO_LIST
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _system_program(*parts: str) -> Path:
    return Path(os.environ["SYSTEMROOT"], "System32", *parts)
