"""All scenes of Holden 2019 with `balanced`, three seeds each, beside the paper's own times (Tables 1 and 2).

The test take of each scene chose nothing. What simulated it is timed in turns with Play's step.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from typing import Any

from benchmarks.records import recorded
from benchmarks.reduced import Reduced
from benchmarks.reduced_method import times
from benchmarks.subspace_physics.datasets import CAPE, SHEET, SMALL, Corpus, baked
from benchmarks.subspace_physics.models import run, trained

BASES, PRESET, SEEDS = 64, "balanced", (0, 1, 2)


@dataclass(frozen=True)
class Scene:
    """What is baked, and the paper's Table 2: a frame of the reference and a step with 64 bases, ms.

    The soft ball is not the paper's, and has no times there.
    """

    corpus: Corpus
    paper_simulation_ms: float | None = None
    paper_step_ms: float | None = None


SCENES = {
    "Ball & Sheet": Scene(SHEET, 132.0, 0.038),
    "Four Pins": Scene(SMALL["Four Pins"], 64.5, 0.038),
    "Flag": Scene(SMALL["Flag"], 91.7, 0.039),
    # As with the cape, its test take plays nothing but the action that is kept for testing.
    "Skirt": Scene(Corpus("skirt", "SKIRT", (8, 1300), (1, 1200), test=(1, 1000)), 322.0, 0.038),
    "Cape": Scene(CAPE, 526.0, 0.041),
    "Bunny": Scene(Corpus("bunny", "BUNNY", (8, 600), (1, 600), test=(1, 600)), 2500.0, 0.034),
    "Dragon": Scene(Corpus("dragon", "DRAGON", (8, 600), (1, 600), test=(1, 600)), 1000.0, 0.037),
    "Soft Body": Scene(SMALL["Soft Body"]),
}


def judge() -> dict[str, Any]:
    """A row for each scene."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates solids
    rows = [
        recorded(f"scenes/{scene.corpus.name}", partial(_row, name, scene)) for name, scene in SCENES.items()
    ]
    return {"bases": BASES, "preset": PRESET, "rows": rows}


def _row(name: str, scene: Scene) -> dict[str, Any]:
    corpus = scene.corpus
    dataset = baked(corpus)
    names = {seed: f"{corpus.name}_{PRESET}_seed{seed}" for seed in SEEDS}
    runs = [
        recorded(f"scenes/{of}", partial(run, of, dataset.path, PRESET, BASES, seed=seed))
        for seed, of in names.items()
    ]
    model, _ = trained(names[0], dataset.path, PRESET, BASES)
    step_ms, simulation_ms = times(model, reduced(corpus), dataset)
    errors = [each["rollout_error"] for each in runs]
    return {
        "scene": name,
        "vertices": dataset.info.vertex_count,
        "training_frames": sum(len(take.positions) for take in dataset.takes("training")),
        "test_frames": runs[0]["frames"],
        "runs": runs,
        "median": median(errors),
        "mean": mean(errors),
        "ridge_error": runs[0]["ridge_error"],
        "basis_error": runs[0]["basis_error"],
        "step_mb": runs[0]["step_mb"],
        "step_ms": step_ms,
        "simulation_ms": simulation_ms,
        "paper_simulation_ms": scene.paper_simulation_ms,
        "paper_step_ms": scene.paper_step_ms,
    }


def reduced(corpus: Corpus) -> Reduced:
    """A corpus as what times its simulation takes it."""
    return Reduced(
        "subspace_physics",
        corpus.example,
        corpus.training,
        corpus.validation,
        test=corpus.test,
        bases=BASES,
        seed=corpus.seed,
    )
