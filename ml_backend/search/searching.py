"""What one computer does of a search: one training after the other, each in a process of its own.

Who carries out a trial holds its folder `trials/NUMBER` (see `jobs.leases`), and has in a numbered folder
there what it works with. Who takes over from one that is gone goes on from its checkpoint.
"""

from __future__ import annotations

import math
import os
import platform
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

from optuna.trial import FrozenTrial, TrialState

from ml_backend.search.asked import Asked
from ml_backend.search.journal import Journal
from ml_backend.search.varied import Values, combinations, in_words, words_of
from neural_physics.baking.failures import failures, note_failure
from neural_physics.baking.handing_over import go_on_from_last
from neural_physics.baking.workers import LOOK_EVERY, TRIES, end
from neural_physics.errors import Problem
from neural_physics.files.atomic import replace_atomically, write_atomically, writing
from neural_physics.files.below import clear_below
from neural_physics.files.links import check_unmoved, is_own_file
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.jobs.isolated_python import clean_environment, run_module
from neural_physics.jobs.leases import Lease, Observer
from neural_physics.jobs.process import JobFiles, JobProcess
from neural_physics.jobs.turns import turn
from neural_physics.models.model_file import ModelInfo, parse_model, read_model_bytes
from neural_physics.wording import plural

POLL_EVERY = 0.1  # seconds
STEPS = 20  # in a training, after each of which it may be given up
TRAINING, MODEL = "training", "model.safetensors"
LARGEST_ERROR = 1e300  # that a model can say; whole numbers may be larger than any float
GIVEN_UP, NO_MODEL = "given up, as others were better by then", "its model does not say how good it is"


class Search:
    """The part of this process in a search."""

    def __init__(self, asked: Asked, emit: Emit, stop: StopRequest) -> None:
        """Raises Problem("search_other" | "stopped"), and what reading the journal does."""
        self._asked, self._emit, self._stop = asked, emit, stop
        self._journal = Journal(asked.folder / "journal.jsonl", asked.seed, prunes=not asked.every)
        self._observer = Observer()
        with self._turn():
            if self._journal.about(asked.about) != asked.about:
                raise Problem("search_other", path=asked.folder)
        self._ended = 0  # trials
        self._progress = Progress(emit, "Searching", asked.trials)

    def run(self) -> dict[str, Any]:
        """Carry out what nobody else does until nothing is left; returns what the "result" event says.

        Raises Problem("stopped" | "search_without_model"), what reading the journal does, and what keeps all
        trainings from their work.
        """
        while True:
            self._stop.check()
            trials = self._journal.trials()
            self._ended = sum(trial.state.is_finished() for trial in trials)
            # Not those of a longer search: a journal may say that there are thousands.
            left = [trial.number for trial in trials[: self._asked.trials] if not trial.state.is_finished()]
            lease = self._claimed(left)
            if lease is None and len(trials) < self._asked.trials:
                number = self._begun()
                lease = self._claimed([] if number is None else [number])
            if lease is not None:
                self._carry_out(lease)
            elif len(trials) >= self._asked.trials:
                if not left:
                    return self._result(trials)
                self._say(f"Waiting for {plural(len(left), 'trial')} on other computers", 0.0)
                time.sleep(LOOK_EVERY)

    def _claimed(self, numbers: list[int]) -> Lease | None:
        """One of these trials that nobody else holds."""
        trials = check_unmoved(self._asked.folder / "trials")
        folders = (trials / f"{number:06d}" for number in numbers)
        leases = (self._observer.claim(folder, platform.node()) for folder in folders)
        return next((lease for lease in leases if lease is not None), None)

    def _begun(self) -> int | None:
        """The number of a new trial, None where others have begun the last one."""
        with self._turn():
            trials = self._journal.trials()
            if len(trials) >= self._asked.trials:
                return None
            for trial in trials:
                if len(trial.params) < len(self._asked.space):  # who began it was killed before it had all
                    self._journal.values(trial.number, self._asked.space)
            number = self._journal.begin(self._fixed(self._journal.trials()))
            self._journal.values(number, self._asked.space)
            return number

    def _fixed(self, trials: list[FrozenTrial]) -> Values:
        """What is not drawn of the next trial."""
        if self._asked.every:
            known = [trial.params for trial in trials]
            return next((each for each in combinations(self._asked.space) if each not in known), {})
        return {} if trials else self._asked.usual

    def _carry_out(self, lease: Lease) -> None:
        number = int(lease.folder.name)
        try:
            # Asked after the claim: until then another one may have ended it.
            if not self._journal.trial(number).state.is_finished():
                check_unmoved(lease.folder)
                with writing(lease.folder):
                    go_on_from_last(lease, below=self._asked.folder, last=(MODEL,))
                why = self._trained(lease, number)
                if why is None:
                    return
                self._end(lease, number, why)
            check_unmoved(lease.folder)  # again: a training takes its time
            clear_below(self._asked.folder, lease.folder)
        except Problem as problem:
            if problem.code != "taken_over":
                raise
        finally:
            lease.release()

    def _trained(self, lease: Lease, number: int) -> str | None:
        """Train a trial, or the rest of it: why it has no model, "" where it has; None if it is to go on.

        Raises Problem("stopped" | "taken_over"), and what keeps all trainings from their work.
        """
        folder = check_unmoved(lease.folder / str(lease.number))
        failed = failures(lease.folder)
        if is_own_file(folder / MODEL):
            return ""
        if len(failed) >= TRIES:
            return failed[-1].reason
        process = JobProcess(JobFiles(folder, TRAINING))
        process.start(self._command(folder, number), clean_environment())
        if self._is_given_up(process, lease, number):
            return GIVEN_UP
        state = process.state
        if state.code == "training_diverged":
            return state.message
        if state.code == "ended_unexpectedly":
            note_failure(
                self._asked.folder, lease.folder, lease.number, reason=state.message, log=process.files.log
            )
        elif state.phase == "failed":
            raise Problem.reported(state.code, state.message)
        return "" if state.phase == "finished" else None

    def _command(self, folder: Path, number: int) -> list[str]:
        values = words_of(self._journal.values(number, self._asked.space))
        end_with = ["--coordinator", str(os.getpid()), "--out", str(folder / MODEL), "--json"]
        return [*run_module(sys.executable, "ml_backend"), "train", *self._asked.words, *values, *end_with]

    def _is_given_up(self, process: JobProcess, lease: Lease, number: int) -> bool:
        """Wait until it has ended, or ends as others were better after as much of their training."""
        step = 0
        try:
            while process.state.active:
                self._stop.check()
                lease.renew()
                time.sleep(POLL_EVERY)
                process.poll()
                state = process.state
                self._say(f"Trial {number + 1} of {self._asked.trials}", state.share)
                if int(STEPS * state.share) > step and math.isfinite(state.best):
                    step = int(STEPS * state.share)
                    if self._journal.report(number, step, state.best):
                        return True
        finally:
            end([process])
        return False

    def _end(self, lease: Lease, number: int, why: str) -> None:
        """Say how it ended and, if its model is the best so far, put that where it belongs."""
        folder, error, model = check_unmoved(lease.folder / str(lease.number)), math.nan, b""
        copy = folder / "best"
        if not why:
            model = read_model_bytes(folder / MODEL)
            error = _error_of(parse_model(model, str(folder / MODEL)).info)
        if self._is_best(error):
            with writing(copy):
                write_atomically(copy, model)  # not moved: killed now, the next one needs it
        with self._turn():
            lease.check()
            if self._is_best(error):
                check_unmoved(folder)
                with writing(self._asked.out):
                    replace_atomically(copy, self._asked.out)
            if math.isfinite(error):
                self._journal.finish(number, TrialState.COMPLETE, error)
            else:
                # What was given up or diverged says where not to search; a crash says nothing.
                crashed = len(failures(lease.folder)) >= TRIES
                self._journal.finish(
                    number, TrialState.FAIL if crashed else TrialState.PRUNED, why=why or NO_MODEL
                )
        values = in_words(self._journal.trial(number).params)
        came_to = why or f"error {error:.3f}"
        self._emit({"event": "log", "text": f"Trial {number + 1} ({values}): {came_to}."})

    def _is_best(self, error: float) -> bool:
        """Whether no trial that has ended is as good."""
        best = _best(self._journal.trials())
        return error < (math.inf if best is None else cast(float, best.value))

    def _say(self, stage: str, share: float) -> None:
        self._progress.stage = stage
        self._progress.at(min(self._ended + share, self._asked.trials))

    def _result(self, trials: list[FrozenTrial]) -> dict[str, Any]:
        best = _best(trials)
        if best is None:
            why = next((str(trial.user_attrs["why"]) for trial in trials if "why" in trial.user_attrs), "")
            raise Problem("search_without_model", path=self._asked.folder, reason=why)
        ended = [trial.state for trial in trials]
        return {
            "validation_error": best.value,
            "settings": in_words(best.params),
            "trial": best.number + 1,
            "trials": len(trials),
            "given_up": ended.count(TrialState.PRUNED),
            "failed": ended.count(TrialState.FAIL),
        }

    def _turn(self) -> AbstractContextManager[Lease]:
        """What only one computer does at a time: begin a trial, and put the best model in its place."""
        return turn(self._asked.folder / "turn", self._observer, self._stop, look_every=POLL_EVERY)


def _error_of(model: ModelInfo) -> float:
    """What a model is chosen by, NaN where it says nothing that an error can be."""
    said = model.training.get("validation_error")
    return float(said) if isinstance(said, float | int) and 0.0 <= said < LARGEST_ERROR else math.nan


def _best(trials: list[FrozenTrial]) -> FrozenTrial | None:
    ended = [trial for trial in trials if trial.state == TrialState.COMPLETE and trial.value is not None]
    return min(ended, key=lambda trial: cast(float, trial.value), default=None)
