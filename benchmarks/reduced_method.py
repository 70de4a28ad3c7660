"""Bakes, trains and measures a method at reduced size, as its benchmark declares it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from benchmarks.reduced import Reduced
from ml_backend.simulation.recording import TakeSimulation
from ml_backend.simulation.simulation import Simulation
from ml_backend.simulation.spring_cloth import SpringSimulation
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.evaluation.rollouts import (
    GIVEN_FRAMES,
    Window,
    held_out_takes,
    rollout,
    rollout_errors,
    tile,
)
from neural_physics.files.atomic import write_atomically
from neural_physics.methods.interface import Method
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

ROUNDS = 5  # of both times, in turns
STEPS, SIMULATED = 300, 16  # frames of each in a round
NO_LIMIT = ("minutes=0", "patience=1000000000")


def prepare(folder: Path, reduced: Reduced) -> None:
    """Bake and train what is not there yet, and find the error; what was stopped goes on where it was."""
    if not reduced.dataset_of:
        from benchmarks.reduced_baking import bake

        bake(folder, reduced)
    error = folder / "error.json"
    if not error.is_file():
        path = _trained(folder, reduced)
        write_atomically(error, json.dumps(_error(path, dataset_in(folder, reduced))).encode())


def measure(folder: Path, reduced: Reduced) -> dict[str, float]:
    """The figures; times are medians of rounds, the model's and its simulation's in turns, on one core."""
    step_ms, simulation_ms = times(model_in(folder), reduced, dataset_in(folder, reduced))
    return {
        "error": json.loads((folder / "error.json").read_text(encoding="utf-8"))["error"],
        "step_us": 1e3 * step_ms,
        "simulation_ms": simulation_ms,
        "speed_up": simulation_ms / step_ms,
    }


def times(model: Path, reduced: Reduced, dataset: Dataset) -> tuple[float, float]:
    """A step of Play with its decoding, and a frame of what simulated the dataset's held-out take, ms.

    Medians of rounds in turns, on one core.
    """
    take = held_out_takes(dataset)[0]
    stepped = _steps(load_method(read_model(model)), take)
    simulated = _simulation(reduced, dataset, take)
    rounds = [(stepped(), simulated()) for _ in range(ROUNDS)]
    step_ms, simulation_ms = (median(each) for each in zip(*rounds, strict=True))
    return step_ms, simulation_ms


def dataset_in(folder: Path, reduced: Reduced) -> Dataset:
    """What was baked."""
    return Dataset.open(folder.parent / (reduced.dataset_of or folder.name) / "dataset")


def model_in(folder: Path) -> Path:
    """What was trained."""
    return folder / "model.safetensors"


def _trained(folder: Path, reduced: Reduced) -> Path:
    from ml_backend.commands.train import TRAINERS, add_arguments, run
    from neural_physics.jobs.events import StopRequest

    known = vars(TRAINERS.presets(reduced.method)[reduced.preset])
    unlimited = [change for change in NO_LIMIT if change.partition("=")[0] in known]
    words = [
        *(str(dataset_in(folder, reduced).path), "--out", str(model_in(folder)), "--method", reduced.method),
        *("--preset", reduced.preset, "--bases", str(reduced.bases), "--seed", "0", "--device", "cpu"),
        *(word for change in (*unlimited, *reduced.changes) for word in ("--set", change)),
    ]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    run(parser.parse_args(words), lambda event: None, StopRequest())
    return model_in(folder)


def _error(path: Path, dataset: Dataset) -> dict[str, float]:
    """The error over all usable frames of the held-out takes: excluded frames are in no rollout."""
    method = load_method(read_model(path))
    found = rollout_errors(rollout(method), tile(held_out_takes(dataset)), method.mean_shape)
    return {"error": found.error, "frames": found.frames}


def _steps(method: Method, take: Take) -> Callable[[], float]:
    """A round of Play's steps over the take's first usable frames: the median, ms of the processor."""
    first, stop = take.segments()[0]
    window = Window(take, first, min(stop, first + STEPS + GIVEN_FRAMES))
    now = first + GIVEN_FRAMES - 1
    y = np.array(take.interaction[: window.stop + method.look_ahead])
    seen = [np.array(rows[t]) for rows in (take.positions, y) for t in (now, now - 1)]

    def timed() -> float:
        state, taken = method.state_from(*seen), []
        for t in range(now + 1, window.stop):
            later = y[t + 1 : t + 1 + method.look_ahead]
            ahead = list(later) if len(later) == method.look_ahead else []
            began = process_time()
            state = method.step(state, y[t], ahead)
            method.positions(state, y[t])
            taken.append(process_time() - began)
        return 1e3 * median(taken)

    return timed


def _simulation(reduced: Reduced, dataset: Dataset, take: Take) -> Callable[[], float]:
    """A round of what simulated the take, frame after frame: the median, ms of the processor."""
    if dataset.surroundings(take.name) is not None:
        advance: Callable[[], object] = _solver(dataset, take.name).advance
    else:
        from benchmarks.reduced_baking import blender_frames

        advance = blender_frames(reduced, dataset, take)

    def timed() -> float:
        taken = []
        for _ in range(SIMULATED):
            began = process_time()
            advance()
            taken.append(process_time() - began)
        return 1e3 * median(taken)

    return timed


def _solver(dataset: Dataset, take: str) -> TakeSimulation:
    surroundings = dataset.surroundings(take)
    assert surroundings is not None
    request, tracks = surroundings
    if dataset.body is None:
        return SpringSimulation(request, tracks, dataset.info.channels)
    return Simulation(request, dataset.body, tracks)
