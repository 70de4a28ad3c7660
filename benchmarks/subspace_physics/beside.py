"""What stands beside a model of the benchmarks: its smaller network alone, and linear dynamics.

Linear dynamics are hard to beat in the first frames after a true state, so those are looked at by themselves.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from benchmarks.subspace_physics.baselines.errors import first_frames, judged
from benchmarks.subspace_physics.baselines.linear_map import LinearNetwork
from benchmarks.subspace_physics.baselines.task import task_of
from benchmarks.subspace_physics.models import MODELS
from learning.methods.linear_dynamics.presets import PRESETS
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.rollouts import held_out_takes, rollout, rollout_errors, tile
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.method import FAST, SubspacePhysics
from neural_physics.models.model_file import read_model


def first_of(name: str) -> dict[str, float]:
    """See `first_frames`: of a model that was evaluated."""
    report = json.loads((MODELS / name / "report.json").read_text(encoding="utf-8"))
    return first_frames(report["curve"]["model"])


def fast(name: str, dataset: Dataset) -> dict[str, Any]:
    """`error` and `first` of a model's second opinion alone, which *Fast* plays."""
    method = load_method(read_model(MODELS / name / "model.safetensors"))
    assert isinstance(method, SubspacePhysics)
    method.adjust({FAST: 1.0})
    errors = rollout_errors(rollout(method), tile(held_out_takes(dataset)), method.mean_shape)
    return {"error": errors.error, "first": first_frames(errors.curve)}


def linear(name: str, dataset: Dataset, bases: int) -> dict[str, Any]:
    """`error` and `first` of linear dynamics, fitted to what the network learns from, mirrored takes too."""
    folder = MODELS / name
    folder.mkdir(parents=True, exist_ok=True)
    task = task_of(dataset, bases, folder, emit=lambda event: None, stop=StopRequest())
    network = LinearNetwork(task.data, PRESETS["balanced"])
    found = judged(task, partial(network.rollout, network.initial))
    return {"error": found["error"], "first": found["first"]}
