"""Trainings of those that are compared, by the extension's own learner and loop; kept, and gone on with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from benchmarks.subspace_physics.baselines.cell_network import CellNetwork
from benchmarks.subspace_physics.baselines.contenders import Contender, Network
from benchmarks.subspace_physics.baselines.errors import judged
from benchmarks.subspace_physics.baselines.linear_map import LinearNetwork
from benchmarks.subspace_physics.baselines.task import Task
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.training.loop import Course, Schedule, Training
from learning.training.presets import changed
from learning.training.subspace_validation import SubspaceValidation
from neural_physics.arrays import Floats
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest

RATES = (5e-4, 1e-3, 2e-3, 4e-3, 8e-3)  # tried of all that are trained; the preset's own is in the middle
TRIAL = 0.25  # share of the steps for which each is tried
CHECKPOINT_EVERY = 20.0  # seconds


@dataclass(frozen=True)
class Attempt:
    """One training: of which contender, on which takes, and how."""

    task: Task
    name: str
    contender: Contender
    seed: int
    steps: int
    rate: float

    def file(self, ending: str) -> Path:
        """Where something of it is kept."""
        return self.task.folder / f"{self.name}_seed{self.seed}_steps{self.steps}_rate{self.rate:g}{ending}"


@dataclass(frozen=True)
class Trained:
    """A network, its parameters, and how it came to them."""

    network: Network
    theta: Floats
    course: Course


def trained(attempt: Attempt, emit: Emit, stop: StopRequest) -> Trained:
    """Trained to the end, or read if it was already; what is not trained is made anew.

    Of one that diverges the best until then is taken, as of all others; so hours of the rest are not lost.
    Raises Problem("stopped" | "disk_full" | "folder_not_writable").
    """
    task, contender, seed = attempt.task, attempt.contender, attempt.seed
    network = contender.make(task, seed)
    if isinstance(network, LinearNetwork) or not contender.trained:
        found = SubspaceValidation(task.data).error(partial(network.rollout, network.initial))
        return Trained(network, network.initial, Course(best=found))
    preset = changed(task.preset(attempt.steps, attempt.rate), contender.changes)
    data = network.states_of(task.data) if isinstance(network, CellNetwork) else task.data
    learner = SubspaceLearner(
        data,
        preset,
        task.dataset.info.fps,
        seed,
        # It takes any network that has its parameters, its matrices and its tensors.
        network=cast(SubspaceNetwork, network),
        roller=cast(Roller, network),
    )
    schedule = Schedule(
        attempt.steps, preset.validate_every, preset.patience, checkpoint_every=CHECKPOINT_EVERY
    )
    identity = json.dumps([task.key, attempt.name, seed, asdict(preset), len(network.initial)])
    stage = f"{contender.name}, seed {seed}"
    training = Training(learner, schedule, attempt.file(".safetensors"), identity, stage=stage)
    try:
        training.run(emit, stop)
    except Problem as problem:
        if problem.code != "training_diverged":
            raise
    return Trained(network, training.best.get("theta", network.initial), training.course)


def errors_by_rate(
    task: Task, name: str, contender: Contender, *, steps: int, emit: Emit, stop: StopRequest
) -> dict[str, float]:
    """How far a quarter of the steps with each of `RATES`, seed 0, is off on the validation takes."""
    short = max(1, round(TRIAL * steps))
    return {
        f"{rate:g}": trained(
            Attempt(task, name, contender, 0, steps=short, rate=rate), emit, stop
        ).course.best.choice
        for rate in RATES
    }


def run(attempt: Attempt, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """One seed's errors on the test takes, and the course of its training."""
    task, found = attempt.task, trained(attempt, emit, stop)
    course = found.course
    return {
        "seed": attempt.seed,
        **judged(task, partial(found.network.rollout, found.theta)),
        "validation_error": course.best_error,
        "seconds": course.seconds,
        "best_step": course.best_step,
        "history": [[step, error] for step, _, error in course.history],
    }


def weights(network: Network) -> int:
    """How many numbers of a network were learned, and each step needs."""
    if isinstance(network, LinearNetwork):
        return network.count
    return network.step_weights if isinstance(network, CellNetwork) else len(network.initial)
