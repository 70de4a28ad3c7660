"""A job whose files nobody keeps: another Blender does something for this one, which waits for it."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Iterator, Sequence

from ...errors import Problem
from ...files.atomic import writing
from ...jobs.life_cycle import JobState
from ..settings.own_folders import scratch_folder
from . import host

LOOK_EVERY = 0.02  # seconds


class ScratchJob:
    """One job, and a folder of its own for what it is given and makes, which is gone once it is closed."""

    def __init__(self, kind: str) -> None:
        """kind: of job."""
        self._kind = kind
        self.folder = scratch_folder() / f"{kind}_{uuid.uuid4().hex}"

    def make_folder(self) -> None:
        """Raises Problem("folder_not_writable" | "disk_full")."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    def start(self, argv: Sequence[str]) -> None:
        """Begin, and return. Raises what `host.start` does."""
        host.start(self.folder, self._kind, argv)

    def wait(self, argv: Sequence[str]) -> None:
        """Begin, and return when it has ended; prints where it is. Raises what `start` does."""
        host.run_blocking(self.folder, self._kind, argv, host.print_progress)

    @property
    def state(self) -> JobState:
        """Where it is."""
        return host.state_now(self.folder, self._kind)

    def shares(self) -> Iterator[float]:
        """How much of it is done, again and again until it has finished.

        Raises the Problem that has kept it from finishing.
        """
        while (state := self.state).active:
            yield state.share
            time.sleep(LOOK_EVERY)
        self.check()

    def check(self) -> None:
        """Raise the Problem that has kept it from finishing."""
        state = self.state
        if state.phase != "finished":
            raise Problem.reported(state.code, state.message)

    def close(self) -> None:
        """End it if it runs, and delete its files."""
        if not self.folder.exists():  # it never began
            return
        if self.state.active:
            host.stop(self.folder, self._kind)
            host.stop(self.folder, self._kind)  # at once: there is nothing that it could save
        host.let_go(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
