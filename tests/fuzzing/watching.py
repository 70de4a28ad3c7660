"""What must hold of every mutated file: it works, or ends in one Problem, soon, and in little memory."""

from __future__ import annotations

import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neural_physics.errors import Problem

LONGEST = 2.0  # seconds of the processor's, of any one call; of one that is a job in a process of its own
LONGEST_JOB = 10.0
GIVEN_UP = 30  # seconds after which a case is ended
MEMORY_FACTOR, MEMORY_BASE = 4, 200 << 20  # times what files say they hold, and bytes beside it
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class NotFinite(AssertionError):
    """Something that was handed out is not a number."""


class TooSlow(BaseException):
    """Not an Exception, which what is watched may catch."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended. fault: what must not be, "" if nothing. problem: the code of the Problem, "" if it
    works. seconds: of its slowest call; memory: bytes beyond what there was before, 0 if that is not known.
    """

    fault: str = ""
    problem: str = ""
    seconds: float = 0.0
    memory: int = 0


class Watch:
    """Calls things for one case, and remembers the slowest call."""

    def __init__(self) -> None:
        self.slowest, self.name = 0.0, ""

    def __call__(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """What the function gives; how long it took counts."""
        return self._timed(1.0, function, args, named)

    def job(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """The same of what is a job, and may take longer."""
        return self._timed(LONGEST / LONGEST_JOB, function, args, named)

    def _timed(self, weight: float, function: Callable[..., Any], args: Any, named: Any) -> Any:
        began = time.process_time()
        try:
            return function(*args, **named)
        finally:
            took = weight * (time.process_time() - began)
            if took > self.slowest:
                self.slowest, self.name = took, getattr(function, "__qualname__", str(function))


def finite(name: str, values: Any) -> None:
    """Raise NotFinite unless all are numbers."""
    if not np.isfinite(values).all():
        raise NotFinite(f"{name} are not finite")


def watched(case: Callable[[Watch], None], declared: int) -> Outcome:
    """How a case ends. declared: bytes that its files have, or say they have."""
    watch, fault, problem = Watch(), "", ""
    before = _reset_peak()
    try:
        with _time_limit(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            case(watch)
    except Problem as found:
        problem = found.code
        fault = _fault_of(found)
    except (Exception, TooSlow) as error:  # noqa: BLE001 (that is what is looked for)
        fault = f"{type(error).__name__}: {error!s:.200} at {_place_of(error)}"
    used = max(0, _peak() - before)
    if not fault and watch.slowest > LONGEST:
        fault = f"took {watch.slowest:.1f} s in {watch.name}"
    if not fault and used > MEMORY_FACTOR * declared + MEMORY_BASE:
        fault = f"took {used >> 20} MiB for {declared} bytes"
    return Outcome(fault, problem, watch.slowest, used)


def _fault_of(problem: Problem) -> str:
    """What is wrong with a Problem's sentence, which must be one line that can be printed."""
    try:
        problem.message.encode()
    except UnicodeEncodeError:
        return f"{problem.code} cannot be printed"
    return "" if problem.message.strip() else f"{problem.code} says nothing"


def _place_of(error: BaseException) -> str:
    """The innermost place in the project that an exception comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "fuzzing" not in f.filename and "site-packages" not in f.filename]
    frame = (own or list(frames))[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} ({frame.name})"


@contextmanager
def _time_limit() -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return

    def end(*_: object) -> None:
        raise TooSlow(f"more than {GIVEN_UP} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(GIVEN_UP)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _reset_peak() -> int:
    """Bytes in memory, from which the peak is counted anew; 0 where the system does not say."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return 0
    return _kilobytes("VmRSS") << 10


def _peak() -> int:
    return _kilobytes("VmHWM") << 10


def _kilobytes(name: str) -> int:
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)
