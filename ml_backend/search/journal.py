"""What is known of a search, in one file that all computers append to: Optuna's journal.

Its lines are JSON and nothing of them is run: Optuna pickles only with a storage that keeps snapshots, which
that of a file does not.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from ml_backend.search.varied import Value, Values, Varied
from neural_physics.errors import Problem
from neural_physics.files.atomic import writing
from neural_physics.files.flushing import flush
from neural_physics.files.links import check_no_link, open_own
from neural_physics.files.reading import NotReadable, open_plain

STUDY = "search"
LARGEST = 1 << 23  # bytes; ten thousand trials have room in it
MOST_TRIALS, MOST_LINES = 10_000, 1000  # and lines about each of them, or about the search as a whole
LONGEST = 20.0  # seconds of work to read it; 8 MB of a search's own take one or two
BEGINS_STUDY, BEGINS_TRIAL = 0, 4  # kinds of lines
ABOUT = "about"
LEFT_FOR_DEAD = 30  # seconds without a change after which Optuna takes the journal's lock from a process
# What Optuna raises where a line is not one of its own.
DAMAGED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RecursionError,
    optuna.exceptions.OptunaError,
)


class _Lines(JournalFileBackend):
    """The lines of the file, of which Optuna gets no more than a search has.

    With each that it has it gets slower: it copies what is known of a trial, goes through the studies, and
    for a setting through all trials that do not have it.
    """

    def __init__(self, path: Path, alone: JournalFileOpenLock) -> None:
        super().__init__(str(path), alone)
        self._path, self._alone = path, alone
        self._counts: Counter[object] = Counter()

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """As Optuna does, which opens the file anew each time, by whatever link stands there by then."""
        lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in logs)
        self._alone.acquire()
        try:
            check_no_link(self._path.parent)
            with os.fdopen(open_own(self._path, os.O_WRONLY | os.O_APPEND), "ab") as file:
                file.write(lines.encode())
                flush(file.fileno())
        finally:
            self._alone.release()

    def read_logs(self, log_number_from: int) -> Generator[dict[str, Any], None, None]:
        check_no_link(self._path.parent)
        open_plain(check_no_link(self._path)).close()
        until = time.process_time() + LONGEST  # which is as long on a computer that has other work
        for line in super().read_logs(log_number_from):
            self._check(line)
            if time.process_time() > until:
                raise ValueError("it takes longer to read than that of any search")
            yield line

    def _check(self, line: dict[str, Any]) -> None:
        """Raise ValueError for what is in no search; others of `DAMAGED` for what Optuna has not written."""
        kind = line["op_code"]
        if kind == BEGINS_STUDY:  # said again by all who take part
            if (line["study_name"], line["directions"]) != (STUDY, [StudyDirection.MINIMIZE]):
                raise ValueError("it is of another search")
            return
        about = "trials" if kind == BEGINS_TRIAL else line.get("trial_id", STUDY)
        self._counts[about] += 1
        if self._counts[about] > (MOST_TRIALS if kind == BEGINS_TRIAL else MOST_LINES):
            raise ValueError("it has more lines than any search")


class Journal:
    """The trials of a search, as Optuna knows them.

    All methods raise Problem("search_damaged" | "disk_full" | "folder_not_writable").
    """

    def __init__(self, path: Path, seed: int, *, prunes: bool) -> None:
        """seed: of what is drawn. prunes: whether trials may end early, see `report`.

        Raises Problem("place_is_link"), too.
        """
        self._path, self._seed = path, seed
        lock = Path(f"{path}.lock")
        for place in (path.parent, path, lock):
            check_no_link(place)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        pruner = optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=5)
        with self._reading():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Made anew with O_EXCL: of locks by which Optuna keeps two from writing at a time that works on
            # shares of NFS 3 and of Windows alike; a symbolic link, the default, may not be made there.
            alone = JournalFileOpenLock(str(path), LEFT_FOR_DEAD)
            if path.exists():
                self._check_size()
                self._cut(alone)
            self._storage = JournalStorage(_Lines(path, alone))
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=STUDY,
                pruner=pruner if prunes else optuna.pruners.NopPruner(),
                load_if_exists=True,
            )

    def about(self, said: dict[str, Any]) -> dict[str, Any]:
        """What the search is of: `said`, unless another one has said it before."""
        with self._reading():
            found = self._study.user_attrs.get(ABOUT)
            if found is None:
                self._study.set_user_attr(ABOUT, said)
                return said
        return found if isinstance(found, dict) else {}

    def trials(self) -> list[FrozenTrial]:
        """All that were begun, by their numbers."""
        with self._reading():
            self._check_size()
            known = self._study.get_trials(deepcopy=False)
            for trial in known:
                _check(trial)
        return [trial for trial in known if trial.state != TrialState.WAITING]

    def trial(self, number: int) -> FrozenTrial:
        """One of them."""
        with self._reading():
            found = self._study.get_trials(deepcopy=False)[number]
            _check(found)
        return found

    def begin(self, fixed: Values) -> int:
        """The number of a new trial. fixed: values that it has, before others are drawn.

        Only one computer at a time may call it. What one had begun to begin that was killed is gone on with.
        """
        with self._reading():
            if not self._study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
                self._study.enqueue_trial(dict(fixed))
            return self._study.ask().number

    def values(self, number: int, space: tuple[Varied, ...]) -> dict[str, Value]:
        """A trial's settings: those that it has, the rest drawn now.

        Drawn is what trials that have ended make likely to be good. What it has must be in the space: of a
        trial that was begun with other values Optuna gives those.
        """
        with self._reading():
            trial = self._trial(number)
            values = {each.name: _suggested(trial, each) for each in space}
            for each in space:
                if not each.allows(values[each.name]):
                    raise ValueError(f"{each.name} of trial {number + 1} is none of what is searched")
            return values

    def report(self, number: int, step: int, error: float) -> bool:
        """Say how far off a trial's best model is by now, and hear whether to give it up.

        That is where half of the others were better at the same step. error: what a training chooses by.
        """
        with self._reading():
            trial, said = self._trial(number), self._study.get_trials(deepcopy=False)[number]
            for each in range(max(said.intermediate_values, default=0) + 1, step + 1):
                trial.report(error, each)
            return bool(trial.should_prune())

    def finish(self, number: int, state: TrialState, error: float | None = None, why: str = "") -> None:
        """Say how a trial has ended; nothing is changed where that was said."""
        with self._reading():
            if why:
                self._trial(number).set_user_attr("why", why)
            self._study.tell(number, error, state, skip_if_finished=True)

    def _trial(self, number: int) -> Trial:
        """A trial whoever began it, which `Study` itself gives only to that one."""
        study = self._storage.get_study_id_from_name(STUDY)
        # Of each trial its own, or all that are drawn first would be the same.
        seed = int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0])
        self._study.sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=6)
        return Trial(self._study, self._storage.get_trial_id_from_study_id_trial_number(study, number))

    def _cut(self, alone: JournalFileOpenLock) -> None:
        """Leave out half a line that a full disk has left: with another behind it, neither could be read."""
        alone.acquire()
        try:
            with os.fdopen(open_own(self._path, os.O_RDWR), "rb+") as file:
                data = file.read()
                file.truncate(data.rfind(b"\n") + 1)
        finally:
            alone.release()

    def _check_size(self) -> None:
        with open_plain(self._path) as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise NotReadable(f"it is larger than {LARGEST >> 20} MB")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """For whatever reads lines, which others may have written."""
        with writing(self._path):
            try:
                yield
            except DAMAGED as error:
                reason = str(error) or type(error).__name__
                raise Problem("search_damaged", path=self._path, reason=reason) from error


def _check(trial: FrozenTrial) -> None:
    """Raise ValueError where a trial says what none does, as Optuna takes any."""
    error = trial.values or []  # a list, of one number where it has ended with a model
    if len(error) > 1 or not all(isinstance(each, float | int) and math.isfinite(each) for each in error):
        raise ValueError(f"the error of trial {trial.number + 1} is no number")
    if not isinstance(trial.user_attrs, dict):
        raise ValueError(f"what trial {trial.number + 1} says is no text")


def _suggested(trial: Trial, each: Varied) -> Value:
    if each.words:
        return str(trial.suggest_categorical(each.name, each.words))
    if each.whole:
        return trial.suggest_int(each.name, int(each.least), int(each.most), log=each.by_factors)
    # One that it was begun with is as it is in the file.
    return float(trial.suggest_float(each.name, each.least, each.most, log=each.by_factors))
