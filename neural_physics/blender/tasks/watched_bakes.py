"""Bakes that other computers may be at, watched for panels: threads ask the folder, which may be far away.

What is drawn is what was seen last. A folder is looked at every few seconds while panels ask for it, and less
often where it answers slowly.
"""

from __future__ import annotations

import platform
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

import bpy

from ...baking.plan import check_own_folders
from ...baking.watching import Seen, Watch
from ...errors import Problem
from ...files.links import check_no_link
from ...jobs.life_cycle import JobState
from ..jobs import host
from ..jobs.redrawing import redraw_panels
from ..jobs.timers import in_window

BAKE = "bake"  # the kind of job
LOOK_EVERY, LOOK_AT_LEAST_EVERY = 5.0, 30.0  # seconds
SHARE = 0.05  # of the time may be spent on looking, between these
TICK_EVERY = 0.5  # seconds
PATIENCE = 20.0  # seconds until a folder is said not to answer

_watched: dict[Path, _Watched] = {}


class _Watched:
    """What is known of the bake in one folder.

    is_shown: whether a panel has shown what was seen last. is_expected: whether a bake is to begin there.
    """

    def __init__(self, folder: Path, is_expected: bool = False) -> None:
        self.seen: Seen | None = None
        self.is_expected = is_expected
        self.is_shown = False
        self._watch = Watch(folder)
        self._looking: Thread | None = None
        self._begun, self._again = 0.0, float("-inf")  # by `time.monotonic`
        self._took = 0.0  # seconds
        self._was_seen = False

    def look(self) -> None:
        """Look at the folder, however long that takes."""
        begun = time.monotonic()
        with suppress(
            OSError, Problem
        ):  # it is not there for now: what was seen last is still the best there is
            self.seen = self._watch.look()
        self._took = time.monotonic() - begun

    def collect(self) -> bool:
        """Whether a look has ended since the last call, and there is something to show."""
        if self._looking is None or self._looking.is_alive():
            return False
        self._looking, self.is_shown = None, False
        self._again = time.monotonic() + min(max(LOOK_EVERY, self._took / SHARE), LOOK_AT_LEAST_EVERY)
        return self.is_expected or self.seen is not None or self._was_seen

    def look_again(self) -> None:
        """Begin to look in a thread, where it is time to and a panel shows it."""
        if self._looking is None and self.is_shown and time.monotonic() >= self._again:
            self._begun, self._was_seen = time.monotonic(), self.seen is not None
            self._looking = Thread(target=self.look, name="looking at a bake", daemon=True)
            self._looking.start()

    @property
    def is_followed(self) -> bool:
        """Whether there may be something new to show by itself: a look has begun, or a bake is under way."""
        return self._looking is not None or (self.is_shown and (self.is_expected or self.seen is not None))

    @property
    def silent(self) -> float:
        """Seconds for which the folder has not answered."""
        return 0.0 if self._looking is None else time.monotonic() - self._begun


def seen_of(folder: Path) -> Seen | None:
    """The bake that was prepared in a dataset's folder, as it was seen last; None where none was."""
    if folder not in _watched:
        _watched[folder] = _Watched(folder)
    watched = _watched[folder]
    if bpy.app.background:  # where no timer looks
        watched.look()
        return watched.seen
    watched.collect()
    watched.is_shown = True
    watched.look_again()
    if watched.is_followed and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=TICK_EVERY, persistent=True)
    return watched.seen


def expect_bake(folder: Path) -> None:
    """Other computers are to bake into a folder: look now, and again until they do."""
    _watched[folder] = _Watched(folder, is_expected=True)


def silence_of(folder: Path) -> float:
    """Seconds for which a folder that is watched has not answered; 0 where that is not long."""
    watched = _watched.get(folder)
    return watched.silent if watched is not None and watched.silent >= PATIENCE else 0.0


def is_under_way(folder: Path) -> bool:
    """Whether any computer was just seen to be at a take in a dataset's folder."""
    watched = _watched.get(folder)
    return watched is not None and watched.seen is not None and bool(watched.seen.workers)


def workers_besides(seen: Seen, job: JobState, folder: Path) -> dict[str, list[str]]:
    """The takes that are under way, by the name of the computer, without those of this Blender's own job.

    folder: where that job keeps its files.
    """
    # What was seen may be from before it ended.
    own = job.active or time.monotonic() - host.ended_at(folder, BAKE) < 2 * LOOK_EVERY
    return {name: takes for name, takes in seen.workers.items() if not own or name != platform.node()}


def log_of_failure(folder: Path, take: str) -> Path:
    """What was printed by the process that failed last at a take.

    Raises Problem("file_missing" | "place_is_link").
    """
    seen = seen_of(folder)
    failed = [] if seen is None else [state for state in seen.failed if state.take.name == take]
    if not failed:
        raise Problem("file_missing", path=folder / take)
    check_own_folders(folder)
    return check_no_link(failed[0].failures[-1].log)


def check_nobody_bakes(folder: Path) -> None:
    """Raise Problem("take_held") where another computer was just seen to be at a take."""
    watched = _watched.get(folder)
    workers = {} if watched is None or watched.seen is None else watched.seen.workers
    for name, takes in workers.items():
        if name != platform.node():
            raise Problem("take_held", host=name, take=takes[0])


def forget_watched() -> None:
    """Look anew; a look that is under way ends by itself."""
    _watched.clear()
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)


@in_window
def _tick() -> float | None:
    fresh = [watched.collect() for watched in _watched.values()]
    for watched in _watched.values():
        watched.look_again()
    if any(fresh) or any(watched.silent >= PATIENCE for watched in _watched.values()):
        redraw_panels()
    return TICK_EVERY if any(watched.is_followed for watched in _watched.values()) else None
