"""Section 7.2 of Holden 2019: other models of motion beside ours, in the same subspace, with equal steps.

`python -m benchmarks.subspace_physics.baselines.comparison --steps 1500 --boxes B --seeds 1 --sizes` is a
small run, which prints its tables; the full one is the part `baselines` of `make bench-full`.

Of the paper's figures, Fig. 12 (without the training method predictions are unstable) is the course of the
error since a rollout began, and Fig. 14 (A and B are diagonal) are the matrices; `plots` draws both. Fig. 9
(sizes of the basis) is the table of bases, and Fig. 10 (the first three coefficients) is in the report of
every evaluation. Errors against training frames and against time the paper does not show.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np
import torch

from benchmarks.records import recorded
from benchmarks.subspace_physics import boxes
from benchmarks.subspace_physics.baselines.contenders import CONTENDERS
from benchmarks.subspace_physics.baselines.diagonality import diagonal_range, matrices, off_diagonal
from benchmarks.subspace_physics.baselines.step_times import step_us, stepped_by
from benchmarks.subspace_physics.baselines.tables import frames_table, main_tables
from benchmarks.subspace_physics.baselines.task import PRESET, Task, task_of
from benchmarks.subspace_physics.baselines.training import Attempt, errors_by_rate, run, weights
from benchmarks.subspace_physics.datasets import is_baked
from benchmarks.subspace_physics.models import MODELS
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Event, StopRequest
from tools.workshop import progress_bar, run_and_exit

FOLDER = MODELS / "baselines"
FIRST = "B"  # the box in which learning rates are chosen and frames are varied
# What more frames are shown to do: those that differ in what they are, and not in how they are trained.
BY_FRAMES = ("ours", "bare", "rnn", "gru", "lstm", "rbf", "linear", "linear_history")


@dataclass(frozen=True)
class Plan:
    """steps: of every training. boxes: of the table, with these seeds. sizes: frames to learn from, besides
    all that there are, in box B with the first seed. choose: whether learning rates are chosen; else all have
    the preset's.
    """

    steps: int = 3000
    boxes: tuple[str, ...] = ("B", "A")
    seeds: tuple[int, ...] = (0, 1, 2)
    sizes: tuple[int, ...] = (1000, 2000, 4000, 8000)
    choose: bool = True


def judge() -> dict[str, Any]:
    """All of it."""
    return compared(Plan())


def compared(plan: Plan) -> dict[str, Any]:
    """What the tables and pictures are made of."""
    torch.set_num_threads(1)
    with _Shown() as shown:
        first = shown.task(boxes.takes(FIRST), f"box_{FIRST}")
        rates = {name: shown.rate(first, name, plan) for name in CONTENDERS}
        tasks = {box: shown.task(boxes.takes(box), f"box_{box}") for box in plan.boxes}
        rows = [_box(shown, box, task, plan, rates=rates) for box, task in tasks.items()]
        sizes = [_size(shown, task, plan, rates) for task in shown.sizes(plan)] if plan.sizes else []
    return {
        "bases": boxes.BASES,
        "preset": PRESET,
        "steps": plan.steps,
        "boxes": rows,
        "sizes": sizes,
        "diagonal": _diagonal(first),
    }


class _Shown:
    """Trainings with a progress bar, that Ctrl-C stops where they can go on."""

    def __init__(self) -> None:
        self._bar, self._stop = progress_bar(), StopRequest()
        self._stop.listen()

    def __enter__(self) -> _Shown:
        self._bar.start()
        self._line = self._bar.add_task("", total=1.0, left="")
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def task(self, dataset: Dataset, name: str, frames: int | None = None) -> Task:
        """The takes in their subspace."""
        folder = FOLDER / (name if frames is None else f"{name}_{frames}")
        return task_of(dataset, boxes.BASES, folder, frames=frames, emit=self._emit, stop=self._stop)

    def sizes(self, plan: Plan) -> list[Task]:
        """The first box's takes, fewer and fewer or more, where more are baked."""
        dataset, name = boxes.takes(FIRST), f"box_{FIRST}"
        found = [self.task(dataset, name, frames) for frames in plan.sizes]
        found.append(self.task(dataset, name))
        if is_baked(boxes.corpora(FIRST)[1]):
            found.append(self.task(boxes.takes(FIRST, many=True), f"{name}_many"))
        return found

    def rate(self, task: Task, name: str, plan: Plan) -> float:
        """The learning rate for one of them."""
        contender, usual = CONTENDERS[name], task.preset(1).learning_rate
        if not (plan.choose and contender.trained):
            return usual
        errors = recorded(
            f"baselines/{task.folder.name}/{name}_steps{plan.steps}_rates",
            lambda: errors_by_rate(task, name, contender, steps=plan.steps, emit=self._emit, stop=self._stop),
        )
        return float(min(errors, key=lambda rate: errors[rate]))

    def run(self, task: Task, name: str, *, seed: int, steps: int, rate: float) -> dict[str, Any]:
        """See `training.run`."""
        attempt = Attempt(task, name, CONTENDERS[name], seed, steps=steps, rate=rate)
        return recorded(
            f"baselines/{task.folder.name}/{attempt.file('').name}",
            lambda: run(attempt, self._emit, self._stop),
        )

    def _emit(self, event: Event) -> None:
        if event["event"] == "progress":
            self._bar.update(
                self._line, description=event["stage"], completed=event["done"] / max(event["total"], 1e-9)
            )


def _box(shown: _Shown, box: str, task: Task, plan: Plan, *, rates: dict[str, float]) -> dict[str, Any]:
    runs = {
        name: [
            shown.run(task, name, seed=seed, steps=plan.steps, rate=rates[name])
            for seed in _seeds(name, plan)
        ]
        for name in CONTENDERS
    }
    # After all trainings, one after the other, so that the machine's pace is the same for all.
    sizes = {name: _size_of(task, name) for name in CONTENDERS}
    return {
        "box": box,
        "training_frames": task.frames,
        "test_frames": runs["ours"][0]["frames"],
        "rows": [
            {
                "key": name,
                "name": contender.name,
                "rate": rates[name] if contender.trained else None,
                "runs": runs[name],
                "error": {
                    "median": median(run["error"] for run in runs[name]),
                    "mean": mean(run["error"] for run in runs[name]),
                },
                **sizes[name],
            }
            for name, contender in CONTENDERS.items()
        ],
    }


def _size_of(task: Task, name: str) -> dict[str, Any]:
    """How large one is, and how fast it steps: whatever it has learned."""
    network = CONTENDERS[name].make(task, 0)
    return {
        "weights": weights(network),
        "step_us": step_us(task, network, network.initial),
        "stepped_by": stepped_by(network),
    }


def _seeds(name: str, plan: Plan) -> tuple[int, ...]:
    """Linear maps have no chance in them."""
    return plan.seeds[:1] if name.startswith("linear") else plan.seeds


def _size(shown: _Shown, task: Task, plan: Plan, rates: dict[str, float]) -> dict[str, Any]:
    errors = {
        name: shown.run(task, name, seed=plan.seeds[0], steps=plan.steps, rate=rates[name])["error"]
        for name in BY_FRAMES
    }
    return {"frames": task.frames, "errors": errors}


def _diagonal(task: Task) -> dict[str, Any]:
    a, b = matrices(task.data.training)
    np.savez(FOLDER / "matrices.npz", a=a, b=b)
    return {
        name: {"off_diagonal": off_diagonal(matrix), "diagonal": diagonal_range(matrix)}
        for name, matrix in (("A", a), ("B", b))
    }


def main() -> None:
    """A run of another size, whose tables are printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=Plan.steps)
    parser.add_argument("--boxes", nargs="*", default=Plan.boxes)
    parser.add_argument("--seeds", type=int, default=len(Plan.seeds), help="how many")
    parser.add_argument("--sizes", type=int, nargs="*", default=Plan.sizes)
    parser.add_argument("--one-rate", action="store_true", help="choose no learning rates")
    args = parser.parse_args()
    seeds = tuple(range(args.seeds))
    found = compared(Plan(args.steps, tuple(args.boxes), seeds, tuple(args.sizes), choose=not args.one_rate))
    sys.stdout.write(main_tables(found) + "\n\n" + (frames_table(found) if found["sizes"] else "") + "\n")


if __name__ == "__main__":
    run_and_exit(main)
