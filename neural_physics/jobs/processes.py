"""Processes as each system has them: started apart from this one, ended with all they started, watched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import _winapi

    WITHOUT_CONSOLE = subprocess.CREATE_NO_WINDOW
    APART = WITHOUT_CONSOLE | subprocess.CREATE_NEW_PROCESS_GROUP
    POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)  # the last one where a console is closed
    NO_SUCH_PROCESS = 87

    def end_with_children(process: int) -> None:
        """End a process that was started apart, and all that it has started."""
        # By its whole path: Windows looks in the current folder first.
        taskkill = Path(os.environ["SYSTEMROOT"]) / "System32" / "taskkill.exe"
        words = [str(taskkill), "/F", "/T", "/PID", str(process)]
        subprocess.run(words, check=False, capture_output=True, creationflags=WITHOUT_CONSOLE)

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
