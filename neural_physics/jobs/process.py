"""Carrying out a job: its process, and the files from which its state is found again.

In the job's folder: `<kind>.jsonl`, everything it printed; `<kind>.json`, what was started; `<kind>.stop`,
there while it is asked to stop. The job writes its log itself, so it continues when the Blender that started
it is closed, and the next one finds it by reading the log from its beginning.
"""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.links import check_no_link, is_link, may_be_looked_at
from ..files.locks import holding, is_held
from ..files.looking import is_file
from ..files.reading import open_plain, read_json
from .events import parse_event
from .life_cycle import Effect, Exited, JobEvent, JobState, Reported, Start, Stop, advance
from .processes import STOP_OPTION, end_with_children, is_told_to_stop_by, start_apart

LONGEST_LINE = 1 << 20  # bytes at the end of a log, in which its last line is
# Of a log, at each look; of more the beginning is passed over: how a job ended is said at the end.
MOST_READ, MOST_LINES = 1 << 24, 10_000
LARGEST_ABOUT = 1 << 16  # bytes of how a job was started


@dataclass(frozen=True)
class JobFiles:
    """Where a job of one kind keeps what is known of it."""

    folder: Path
    kind: str

    @property
    def log(self) -> Path:
        """The events that it has printed."""
        return self.folder / f"{self.kind}.jsonl"

    @property
    def about(self) -> Path:
        """Which process it is, and what became of its result."""
        return self.folder / f"{self.kind}.json"

    @property
    def stop(self) -> Path:
        """The file whose appearance asks it to stop."""
        return self.folder / f"{self.kind}.stop"


class JobProcess:
    """One job: started here, or found on disk and followed from there."""

    def __init__(self, files: JobFiles) -> None:
        self.files = files
        self.state = JobState()
        self.waits_for_delivery = False
        self._about: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0
        self._find()

    def start(
        self, argv: Sequence[str], environment: Mapping[str, str], current_folder: Path | None = None
    ) -> None:
        """Start `argv` with `--stop-file`; does nothing if it is running already, here or elsewhere.

        current_folder: the job's, None for this process's. Never one that may come from somebody else:
        programs look there for code and settings.
        Raises Problem("job_not_started" | "place_is_link" | "place_not_own_file" | "folder_not_writable" |
        "disk_full").
        """
        if self.state.active:
            return
        check_no_link(self.files.folder)
        if is_written(self.files.log):
            self._find()
            return
        with writing(self.files.folder):
            self.files.folder.mkdir(parents=True, exist_ok=True)
            with holding(self.files.log) as log:
                if log is None:  # another process was faster
                    self._find()
                    return
                log.truncate(0)
                log.seek(0)
                self.files.stop.unlink(missing_ok=True)
                self._process = self._spawn(argv, environment, current_folder, log)
            self._read = 0
            about = {"pid": self._process.pid, "host": platform.node(), "argv": list(argv)}
            self._write_about({**about, "delivered": False})
        self._feed(Start())

    def stop(self) -> None:
        """Ask it to stop at its next checkpoint; asked again, end it at once.

        Raises Problem("job_elsewhere" | "folder_not_writable" | "disk_full").
        """
        for effect in self._feed(Stop()):
            if effect == "ask_to_stop":
                with writing(self.files.folder):
                    self.files.stop.unlink(missing_ok=True)  # nothing is made through a link
                    self.files.stop.touch(exist_ok=False)
            elif effect == "kill" and is_written(self.files.log):
                self._kill()

    def end(self) -> None:
        """End it and all it started at once, where this process has started it: it need not be reached."""
        if self._process is not None and self._process.poll() is None:
            end_with_children(self._process.pid)

    def poll(self) -> None:
        """Hear what it said since, and whether it has ended."""
        if not self.state.active:
            return
        # Asked first: what it said before it ended is then all in the log.
        status = self._exit_status()
        for line in self._new_lines(ended=status is not None):
            event = parse_event(line) or {"event": "log", "text": line}
            self._feed(Reported(event))
        if status is not None:
            self.waits_for_delivery = "deliver" in self._feed(Exited(status))
            self._process = None
            with suppress(OSError):  # where it cannot be deleted now, the next start says so
                self.files.stop.unlink(missing_ok=True)

    def delivered(self) -> None:
        """What it made has arrived: remember that across sessions."""
        self.waits_for_delivery = False
        with writing(self.files.folder):
            self._write_about({**self._about, "delivered": True})

    def fail(self, code: str, message: str) -> None:
        """What it made could not be used: that is how it ended."""
        self._feed(Start())
        self._feed(Reported({"event": "error", "code": code, "message": message}))
        self._feed(Exited(1))

    def _spawn(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        current_folder: Path | None,
        log: BinaryIO,
    ) -> subprocess.Popen[bytes]:
        try:
            words = [*argv, STOP_OPTION, str(self.files.stop)]
            return start_apart(words, environment, current_folder, log)
        except OSError as error:
            raise Problem("job_not_started", path=argv[0], reason=error.strerror or error) from error

    def _find(self) -> None:
        about = read_about(self.files)
        if about is None:
            return
        self._about, self._read = about, max(0, _size(self.files.log) - MOST_READ)
        self._feed(Start())
        if may_be_looked_at(self.files.stop):
            self._feed(Stop())
        self.poll()
        self.waits_for_delivery = self.waits_for_delivery and not self._about.get("delivered", True)

    def _kill(self) -> None:
        """End it and all it started."""
        if self._process is not None:
            end_with_children(self._process.pid)
            return
        host, pid = self._about.get("host"), self._about.get("pid")
        # On another computer the number is some other program's, and anybody may have written the note.
        if host != platform.node() or type(pid) is not int or not is_told_to_stop_by(pid, self.files.stop):
            raise Problem("job_elsewhere", host=host or "another computer", path=self.files.folder)
        end_with_children(pid)

    def _feed(self, event: JobEvent) -> tuple[Effect, ...]:
        self.state, effects = advance(self.state, event)
        return effects

    def _exit_status(self) -> int | None:
        if self._process is not None:
            return self._process.poll()
        if is_written(self.files.log):
            return None
        # Nobody waited for it; whether it ended well shows in what it said.
        end = _size(self.files.log) - LONGEST_LINE
        return 0 if b'"event": "result"' in _bytes(self.files.log, max(0, end)) else -1

    def _new_lines(self, *, ended: bool) -> list[str]:
        """The whole lines since the last call; the last one, torn or not, once the job has ended."""
        new = _bytes(self.files.log, self._read)
        whole = len(new) if ended else new.rfind(b"\n") + 1
        self._read += whole
        last = new[:whole].rsplit(b"\n", MOST_LINES + 1)[-MOST_LINES - 1 :]
        return [line for each in last if (line := each[:LONGEST_LINE].decode("utf-8", "replace").strip())]

    def _write_about(self, about: dict[str, Any]) -> None:
        self._about = about
        write_atomically(self.files.about, json.dumps(about).encode())


def read_about(files: JobFiles) -> dict[str, Any] | None:
    """How the job was started last, as somebody's file says; None where there is no such file."""
    if not may_be_looked_at(files.about):
        return None
    try:
        about = read_json(files.about, LARGEST_ABOUT)
    except (OSError, ValueError):
        return None
    return about if isinstance(about, dict) else None


def is_written(log: Path) -> bool:
    """Whether a job still has this log open: process numbers are given out again, so they prove nothing.

    Where the file system cannot say, it counts as not written, and so does a link to another file, which
    somebody else may have open.
    """
    try:
        return not is_link(log) and is_file(log) and is_held(log)
    except OSError:
        return False


def _bytes(path: Path, first: int) -> bytes:
    """The bytes from there on; none where there is no such file."""
    if not may_be_looked_at(path):
        return b""
    try:
        with open_plain(path) as file:
            file.seek(first)
            return file.read(MOST_READ)
    except (OSError, ValueError):
        return b""


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
