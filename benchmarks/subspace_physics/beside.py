"""What stands beside a model of the benchmarks: its smaller network alone, and linear dynamics.

Linear dynamics are hard to beat in the first frames after a true state, so those are looked at by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.subspace_physics.models import MODELS, trained
from neural_physics.arrays import Doubles
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.rollouts import ErrorSums, held_out_takes, rollout, tile
from neural_physics.files.atomic import write_atomically
from neural_physics.methods.interface import Method
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.method import FAST, SubspacePhysics
from neural_physics.models.model_file import read_model

FIRST = (1, 4, 16)  # frames after a true state


def first_frames(name: str) -> dict[str, float]:
    """The relative error of a model that was evaluated, so many frames after a true state; see `FIRST`."""
    report = json.loads((MODELS / name / "report.json").read_text(encoding="utf-8"))
    return _first(report["curve"]["model"])


def fast(name: str, dataset: Dataset) -> dict[str, Any]:
    """`error` and `first` of a model's second opinion alone, which *Fast* plays."""
    method = load_method(read_model(MODELS / name / "model.safetensors"))
    assert isinstance(method, SubspacePhysics)
    method.adjust({FAST: 1.0})
    return _kept(MODELS / name / "fast.json", method, dataset)


def linear(name: str, dataset: Dataset, bases: int) -> dict[str, Any]:
    """`error` and `first` of linear dynamics in as many bases, of the same takes."""
    model, _ = trained(name, dataset.path, "balanced", bases, method="linear_dynamics")
    return _kept(MODELS / name / "linear.json", load_method(read_model(model)), dataset)


def _kept(path: Path, method: Method, dataset: Dataset) -> dict[str, Any]:
    if not path.is_file():
        write_atomically(path, (json.dumps(_measured(method, dataset)) + "\n").encode())
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _measured(method: Method, dataset: Dataset) -> dict[str, Any]:
    sums = ErrorSums(method.mean_shape)
    for window in tile(held_out_takes(dataset)):
        sums.add(rollout(method)(window), window.truth())
    errors = sums.errors()
    return {"error": errors.error, "first": _first(errors.curve)}


def _first(curve: Sequence[float] | Doubles) -> dict[str, float]:
    return {str(n): float(curve[n - 1]) for n in FIRST}
