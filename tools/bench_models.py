"""Models of the benchmarks, trained and judged by the extension's own jobs, kept in build/bench."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench_datasets import BENCH
from workshop import backend, run_job, timing_of

MODELS = BENCH / "models"


def trained(
    name: str, dataset: Path, preset: str, bases: int, seed: int = 0, changes: Sequence[str] = ()
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
    """The evaluation's figures for a trained model, with what it costs to run."""
    folder = MODELS / name
    found = folder / "evaluation.json"
    if not found.is_file():
        model = folder / "model.safetensors"
        result = run_job(f"Evaluate {name}", folder, "evaluate", backend("evaluate", model, dataset))
        _write(found, {**result, **timing_of(model)})
    return json.loads(found.read_text())


def _write(path: Path, item: dict[str, Any]) -> None:
    path.write_text(json.dumps(item, indent=1) + "\n", encoding="utf-8")
