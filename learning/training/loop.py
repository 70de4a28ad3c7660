"""The loop that every method trains in: steps, validation, checkpoints, and when to end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from learning.training.tensor_files import IDENTITY, Tensors, read_tensors, write_tensors
from learning.training.validation_error import ValidationError
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, Progress, StopRequest

# The note where a checkpoint cannot be gone on from; see `Training.anew`.
STARTED_ANEW = (
    "The stopped training had a different preset, bases, seed or takes, or was of another version: "
    "training started from scratch."
)


FELL = 0.05  # of the error: less is not worth longer training


class Learner(Protocol):
    """What is trained. The same step after the same steps must give the same result."""

    def step(self, number: int, share: float) -> float:
        """One step of the optimiser, when `share` (0 to 1) of the training is done; its loss."""

    def validate(self) -> ValidationError:
        """How far the model is off over the validation spans, by rollouts where it rolls out."""

    def weights(self) -> Tensors:
        """The model that `validate` measured."""

    def state(self) -> Tensors:
        """Everything that the next step depends on."""

    def restore(self, state: Tensors) -> None:
        """Go on from a state. One of another learner's may raise what such a mistake raises."""


@dataclass(frozen=True)
class Schedule:
    """See `presets.Preset`; checkpoint_every: seconds.

    together: the best model is the one after which the mean of so many errors, its own and those measured
    before it, is least, as soon as there are so many. A single one may be small by chance, where it depends
    on which way rollouts tip.
    tolerance: a later model is kept in its place where that mean is larger by no more than this share: what
    has trained for longer is the better one if validation takes are too few to tell them apart.
    """

    steps: int
    validate_every: int
    patience: int
    minutes: float = 0.0
    checkpoint_every: float = 20.0
    together: int = 1
    tolerance: float = 0.0


@dataclass
class Course:
    """How far a training has come. `history`: (step, loss, validation error) at each validation.

    best: what was measured at `best_step`. least: the least error so far by which models are chosen, see
    `Schedule`. fallen_to, fell_until: what that error was, and after how many steps, when it had last
    fallen by the share FELL.
    """

    step: int = 0
    seconds: float = 0.0
    best: ValidationError = field(default_factory=lambda: ValidationError(math.inf))
    best_step: int = 0
    least: float = math.inf
    fallen_to: float = math.inf
    fell_until: int = 0
    reason: str = ""
    history: list[tuple[int, float, float]] = field(default_factory=list)

    @property
    def best_error(self) -> float:
        """The relative error of the best model so far, infinite before there is one."""
        return self.best.relative

    def summary(self) -> dict[str, Any]:
        """What a model file says of it."""
        return {
            **self.best.summary(),
            "steps": self.step,
            "best_step": self.best_step,
            "fell_until": self.fell_until,
            "seconds": round(self.seconds, 1),
            "reason": self.reason or "stopped",
        }


class Training:
    """A training that may be stopped, or killed at any moment, and resumes from its last checkpoint.

    path: of the checkpoint. identity: what must be the same for a checkpoint to be used.
    stage: the name of this work in the progress events.
    """

    def __init__(
        self, learner: Learner, schedule: Schedule, path: Path, identity: str, *, stage: str = "Training"
    ) -> None:
        self._stage = stage
        self._learner, self._schedule = learner, schedule
        self._path, self._identity = path, identity
        self.course = Course()
        self.best: Tensors = {}
        self.anew = False  # a checkpoint was there that cannot be gone on from
        self._loss = math.nan
        self._resume()

    def run(self, emit: Emit, stop: StopRequest, keep: Callable[[], None] | None = None) -> None:
        """Train to the end; `course.reason` says why it was the end. `best` is the best model so far.

        keep: called at checkpoints after which there is a better model than the last time.
        Raises Problem("stopped" | "training_diverged" | "disk_full" | "folder_not_writable").
        """
        course, schedule = self.course, self._schedule
        progress = Progress(emit, self._stage, schedule.steps, course.step)
        ran_before, started, saved = course.seconds, time.monotonic(), time.monotonic()
        kept = 0
        while not course.reason:
            loss = self._learner.step(course.step, self._share())
            course.step += 1
            if not math.isfinite(loss):
                raise Problem("training_diverged", steps=course.step)
            self._loss = loss if math.isnan(self._loss) else 0.98 * self._loss + 0.02 * loss
            course.seconds = ran_before + time.monotonic() - started
            if course.step % schedule.validate_every == 0 or self._share() >= 1.0:
                self._validate()
            progress.at(self._share() * schedule.steps, **self._curves())
            if course.reason or stop.asked() or time.monotonic() - saved > schedule.checkpoint_every:
                self._save()
                if keep is not None and course.best_step != kept:
                    keep()
                    kept = course.best_step
                saved = time.monotonic()
                stop.check()
        progress.at(schedule.steps, **self._curves())

    def run_and_keep(
        self, write: Callable[[Path], None], partial: Path, emit: Emit, stop: StopRequest
    ) -> None:
        """`run`; meanwhile, and where it is stopped or diverges, the best model so far is in `partial`."""
        try:
            self.run(emit, stop, lambda: write(partial))
        except Problem as problem:
            if problem.code in ("stopped", "training_diverged") and self.best:
                write(partial)
                emit({"event": "log", "text": f"The best model so far is in {partial}."})
            raise

    def _share(self) -> float:
        """How much of the training is done: by steps or by the clock, whichever is further.

        A machine too slow for all the steps so ends with a small learning rate too.
        """
        course, schedule = self.course, self._schedule
        limit = 60.0 * schedule.minutes
        return min(1.0, max(course.step / schedule.steps, course.seconds / limit if limit else 0.0))

    def _validate(self) -> None:
        course, schedule = self.course, self._schedule
        measured = self._learner.validate()
        course.history.append((course.step, self._loss, measured.choice))
        error, count = measured.choice, schedule.together
        if len(course.history) >= count:
            error = sum(error for _, _, error in course.history[-count:]) / count
        # Means are compared with means alone: a single error before them may be smaller by chance.
        least = error < course.least or len(course.history) == count
        if least:
            course.least = error
        if error < course.fallen_to * (1.0 - FELL) or len(course.history) == count:
            course.fallen_to, course.fell_until = error, course.step
        if least or error < course.least * (1.0 + schedule.tolerance):
            course.best, course.best_step = measured, course.step
            self.best = self._learner.weights()
        worse = (course.step - course.best_step) // schedule.validate_every
        if course.step >= schedule.steps:
            course.reason = f"all {schedule.steps} steps were completed"
        elif 0 < 60 * schedule.minutes <= course.seconds:
            course.reason = f"the preset's time limit of {schedule.minutes:g} minutes was reached"
        elif worse >= schedule.patience:
            course.reason = f"no improvement on the validation takes in the last {worse} measurements"

    def _curves(self) -> dict[str, float]:
        """What goes along with the progress: see `jobs.life_cycle.JobState`."""
        course, said = self.course, {"loss": self._loss, "step": float(self.course.step)}
        if course.history:
            said |= {"validation": course.history[-1][2], "best": course.best.choice}
            said |= {"best_step": float(course.best_step)}
        if course.best.metres > 0.0 and course.best_error > 0.0:
            said["metres"] = course.best.metres / course.best_error
        return said

    def _save(self) -> None:
        tensors = {f"state.{name}": tensor for name, tensor in self._learner.state().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best.items()}
        about = {
            IDENTITY: self._identity,
            "course": json.dumps(asdict(self.course)),
            "loss": repr(self._loss),
        }
        write_tensors(self._path, tensors, about)

    def _resume(self) -> None:
        found = read_tensors(self._path, self._identity)
        if found is None:
            self.anew = self._path.is_file()
            return
        tensors, about = found
        untouched = self._learner.state()
        try:
            course, loss = Course(**_course(about["course"])), float(about["loss"])
            self._learner.restore(_under("state.", tensors))
        # As another version of the learner kept it, or somebody else.
        except (LookupError, ArithmeticError, AttributeError, ValueError, TypeError, RuntimeError):
            self._learner.restore(untouched)
            self.anew = True
            return
        self.course, self._loss, self.best = course, loss, _under("best.", tensors)


def _under(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def _course(text: str) -> dict[str, Any]:
    item = json.loads(text)
    item["best"] = ValidationError(**item["best"])
    item["history"] = [(int(step), float(loss), float(error)) for step, loss, error in item["history"]]
    counts, seconds = (item["step"], item["best_step"]), item["seconds"]
    if not all(type(count) is int and count >= 0 for count in counts) or not 0.0 <= seconds < math.inf:
        raise ValueError("a training that never began")  # and may never end
    if not isinstance(item["reason"], str):
        raise TypeError("a reason that is no text")
    fallen_to, fell_until = float(item.get("fallen_to", math.inf)), int(item.get("fell_until", 0))
    return {**item, "least": float(item["least"]), "fallen_to": fallen_to, "fell_until": fell_until}
