"""Ball & Sheet: 46,000 training frames, 64 bases, three seeds, judged on two takes nobody has seen."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.records import recorded
from benchmarks.subspace_physics.datasets import SHEET, baked
from benchmarks.subspace_physics.models import run, trained

SEEDS = (0, 1, 2)
PRESET, BASES = "balanced", 64


def judge() -> dict[str, Any]:
    """Every seed's error and training time, and the median error."""
    dataset = baked(SHEET)
    runs = [judged(seed) for seed in SEEDS]
    return {
        "vertices": dataset.info.vertex_count,
        "training_frames": sum(len(take.positions) for take in dataset.takes("training")),
        "test_frames": sum(len(take.positions) for take in dataset.takes("test")),
        "bases": BASES,
        "preset": PRESET,
        "runs": runs,
        "rollout_error": median(run["rollout_error"] for run in runs),
        "ridge_error": runs[0]["ridge_error"],
        "mean_error": runs[0]["mean_error"],
    }


def trained_with(seed: int) -> tuple[Path, dict[str, Any]]:
    """The model of one seed and what its training delivered; trained if it is not there yet."""
    return trained(_name(seed), baked(SHEET).path, PRESET, BASES, seed=seed)


def judged(seed: int) -> dict[str, Any]:
    """What is kept of one seed's training and its evaluation; see `run`."""
    name = _name(seed)
    return recorded(f"accuracy/{name}", partial(run, name, baked(SHEET).path, PRESET, BASES, seed=seed))


def _name(seed: int) -> str:
    return f"sheet_{PRESET}_seed{seed}"
