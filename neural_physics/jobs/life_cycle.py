"""The life of a job as one pure function: (state, event) -> (state, effects).

Nothing here starts a process or knows Blender; `neural_physics.jobs.process` carries out the
effects and feeds the events, and so can a test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..errors import Problem
from ..plain_text import one_line

Phase = Literal["idle", "running", "stopping", "stopped", "failed", "finished"]
Effect = Literal["ask_to_stop", "kill", "deliver"]


@dataclass(frozen=True)
class JobState:
    """What is known of one job.

    stage, done, total, seconds_left: its last progress. message, code: how it ended, in words.
    result: what it delivered. history: (step, loss, validation) points for the plot of a training, of the
    last stage that had any, which is `learning`: what one network leaves is no measure for the next.
    best, best_step: the best model's validation error there, and after how many steps it was measured; the
    first is infinite while there is none. metres: how far a validation error of 1 is, 0 where that is not
    known.
    """

    phase: Phase = "idle"
    stage: str = ""
    done: float = 0.0
    total: float = 0.0
    seconds_left: float | None = None
    code: str = ""
    message: str = ""
    log: tuple[str, ...] = ()
    result: dict[str, Any] = field(default_factory=dict)
    history: tuple[tuple[float, float, float], ...] = ()
    learning: str = ""
    best: float = math.inf
    best_step: int = 0
    metres: float = 0.0

    @property
    def active(self) -> bool:
        """Whether its process runs."""
        return self.phase in ("running", "stopping")

    @property
    def share(self) -> float:
        """Progress of the current stage, 0 to 1."""
        return max(0.0, min(1.0, self.done / self.total)) if self.total else 0.0


@dataclass(frozen=True)
class Start:
    """The artist asked for the job."""


@dataclass(frozen=True)
class Stop:
    """The artist asked it to stop; asked twice, it is killed (what it saved stays)."""


@dataclass(frozen=True)
class Reported:
    """The process said something (see `neural_physics.jobs.events`)."""

    event: dict[str, Any]


@dataclass(frozen=True)
class Exited:
    """The process ended."""

    status: int


JobEvent = Start | Stop | Reported | Exited
LOG_LINES = 200
MOST_NOTES = 50
MOST_SHOWN = 3000  # characters of a line, or of a sentence
HISTORY_POINTS = 2000
MOST = 1e15  # of steps, seconds and whatever else a job counts


def advance(state: JobState, event: JobEvent) -> tuple[JobState, tuple[Effect, ...]]:
    """What becomes of a job, and what is to be done now."""
    match event:
        case Start() if not state.active:
            return JobState(phase="running", stage="Starting"), ()
        case Stop() if state.phase == "running":
            return replace(state, phase="stopping"), ("ask_to_stop",)
        case Stop() if state.phase == "stopping":
            return state, ("kill",)
        case Reported(event=said) if state.active:
            return _reported(state, said), ()
        case Exited(status=status) if state.active:
            return _exited(state, status)
    return state, ()


def _reported(state: JobState, said: dict[str, Any]) -> JobState:
    match said.get("event"):
        case "progress":
            try:
                return _progressed(state, said)
            except (KeyError, TypeError, ValueError, OverflowError):
                return state  # the log of some other program
        case "log":
            return replace(state, log=(*state.log, one_line(said.get("text", ""), MOST_SHOWN))[-LOG_LINES:])
        case "error":
            message = one_line(said.get("message", ""), MOST_SHOWN)
            return replace(state, code=str(said.get("code", "")), message=message)
        case "result":
            return replace(state, result=_result(said))
    return state


def number_in(result: Mapping[str, Any], name: str) -> float | None:
    """A number that a job delivered; None where it is not there, or none that can be shown.

    A job's log lies where anybody may have written it.
    """
    value = result.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= MOST else None


def text_in(result: Mapping[str, Any], name: str) -> str:
    """A text that a job delivered, as it can be shown; "" where it is not there, or no text."""
    value = result.get(name)
    return one_line(value, MOST_SHOWN) if isinstance(value, str) else ""


def _result(said: dict[str, Any]) -> dict[str, Any]:
    """What was delivered, its notes as they can be shown."""
    result = {name: value for name, value in said.items() if name != "event"}
    if "notes" in result:
        notes = result["notes"] if isinstance(result["notes"], list) else []
        result["notes"] = [one_line(note, MOST_SHOWN) for note in notes[:MOST_NOTES]]
    return result


def _progressed(state: JobState, said: dict[str, Any]) -> JobState:
    stage, history, learning = one_line(said["stage"]), state.history, state.learning
    best, best_step, metres = state.best, state.best_step, state.metres
    if "loss" in said:
        error = said.get("validation")
        validation = math.nan if error is None else float(error)
        if validation < 0.0:
            raise ValueError("an error below 0")
        point = (_finite(said.get("step", said["done"])), float(said["loss"]), validation)
        history = (*(history if stage == learning else ()), point)[-HISTORY_POINTS:]
        learning = stage
        best, best_step = float(said.get("best", math.inf)), int(said.get("best_step", 0))
        metres = _finite(said.get("metres", 0.0))
    left = said.get("seconds_left")
    return replace(
        state,
        stage=stage,
        done=_finite(said["done"]),
        total=_finite(said["total"]),
        seconds_left=None if left is None else _finite(left),
        history=history,
        learning=learning,
        best=best,
        best_step=best_step,
        metres=metres,
    )


def _finite(value: Any) -> float:  # noqa: ANN401 (from JSON)
    """Raises TypeError, ValueError or OverflowError for what is no number to be shown."""
    number = float(value)
    if not abs(number) <= MOST:
        raise ValueError("a number that nothing is counted to")
    return number


def _exited(state: JobState, status: int) -> tuple[JobState, tuple[Effect, ...]]:
    if state.code not in ("", "stopped"):
        return replace(state, phase="failed"), ()
    if state.code == "stopped" or (state.phase == "stopping" and not state.result):
        message = state.message or Problem("stopped").message
        return replace(state, phase="stopped", code="stopped", message=message), ()
    if status == 0 and state.result:
        return replace(state, phase="finished", message=""), ("deliver",)
    last = state.log[-1] if state.log else "there was no output"
    problem = Problem("ended_unexpectedly", status=status, said=last)
    return replace(state, phase="failed", code=problem.code, message=problem.message), ()
