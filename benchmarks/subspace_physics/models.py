"""Models of the benchmarks, trained and judged by the extension's own jobs, kept in build/bench."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.subspace_physics.datasets import BENCH
from neural_physics.models.model_file import read_model
from tools.workshop import backend, run_job

MODELS = BENCH / "models"
DECODER = ("mean", "basis", "normal_mean", "normal_basis")
KEPT = (
    "role",
    "frames",
    "rollouts",
    "vertices",
    "bases",
    "rollout_error",
    "ridge_error",
    "mean_error",
    "frame_mean",
    "frame_median",
    "rms_metres",
    "spread_metres",
    "basis_error",
    "per_rollout",
    "expected_error",
    "reference",
    "prediction",
    "step_us",
    "decode_us",
)


def trained(
    name: str, dataset: Path, preset: str, bases: int, *, seed: int = 0, changes: Sequence[str] = ()
) -> tuple[Path, dict[str, Any]]:
    """The model file, and what the training job delivered; trained if it is not there yet.

    changes: of the preset's settings, such as "noise=0".
    """
    folder = MODELS / name
    model, found = folder / "model.safetensors", folder / "training.json"
    if not found.is_file():
        options = ["--preset", preset, "--bases", bases, "--seed", seed, "--out", model]
        changed = [word for change in changes for word in ("--set", change)]
        argv = backend("train", dataset, *options, *changed)
        _write(found, run_job(f"Train {name}", folder, "train", argv))
    return model, json.loads(found.read_text())


def evaluated(name: str, dataset: Path) -> dict[str, Any]:
    """The evaluation's report of a trained model without its curves, and the model's size in megabytes."""
    folder = MODELS / name
    model, found = folder / "model.safetensors", folder / "report.json"
    if not found.is_file():
        run_job(f"Evaluate {name}", folder, "evaluate", backend("evaluate", model, dataset))
    report = json.loads(found.read_text(encoding="utf-8"))
    report = {key: value for key, value in report.items() if key in KEPT}
    return {**report, **_megabytes(model)}


def run(name: str, dataset: Path, preset: str, bases: int, *, seed: int) -> dict[str, Any]:
    """What is kept of one seed: the seed, its training and the evaluation's report; see `trained`."""
    _, training = trained(name, dataset, preset, bases, seed=seed)
    return {"seed": seed, "training": training, **evaluated(name, dataset)}


def _megabytes(model: Path) -> dict[str, float]:
    """What must be at hand to step, and what only decoding needs and a GPU could hold."""
    sizes = {name: array.nbytes / 1e6 for name, array in read_model(model).tensors.items()}
    decoder = sum(size for name, size in sizes.items() if name in DECODER)
    return {"step_mb": sum(sizes.values()) - decoder, "decoder_mb": decoder}


def _write(path: Path, item: dict[str, Any]) -> None:
    path.write_text(json.dumps(item, indent=1) + "\n", encoding="utf-8")
