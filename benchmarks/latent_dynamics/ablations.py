"""Latent dynamics without what the paper says it needs (Li et al. 2025, Figs. 8 to 11), on coarse scenes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.latent_dynamics.rollouts import Roller, course, first_above, long_elastic
from benchmarks.latent_dynamics.scenes import LATENT, LatentScene, baked, cantilever, cloth, tuft
from benchmarks.latent_dynamics.training import is_trained, trained
from neural_physics.datasets.takes import Dataset, Take

SEEDS = (0, 1, 2)
NO_NOISE = ["noise=0", "swing=0", "carried=0"]
# Of a quarter of the time, and the whole of what is left: no patience ends a training before the others.
BUDGET = ["coder_steps=3000", "patience=1000"]
# With all samples that `batch=256` stands for, a step would take seconds.
POTENTIAL = ["loss=potential", "batch=24"]

ALONE = ["residual=false"]  # no linear model of the motion, to which the network would add


@dataclass(frozen=True)
class Ablation:
    """One scene, the minutes of a training, and what is changed in each row of its table."""

    scene: Callable[[], LatentScene]
    minutes: float
    rows: dict[str, list[str]]


ABLATIONS = {
    "cantilever": Ablation(
        cantilever,
        1.0,
        {
            "solved": [],
            "solved, no noise": NO_NOISE,
            "potential": POTENTIAL,
            "potential, no noise": [*POTENTIAL, *NO_NOISE],
            "supervised": ["loss=supervised", *NO_NOISE],
            "network alone, solved": ALONE,
            "network alone, solved, no noise": [*ALONE, *NO_NOISE],
            "network alone, supervised": [*ALONE, "loss=supervised", *NO_NOISE],
        },
    ),
    "cloth": Ablation(
        cloth,
        1.5,
        {
            "solved": [],
            "solved, no noise": NO_NOISE,
            "solved, not balanced": ["balance=false"],
            "potential": POTENTIAL,
            "supervised": ["loss=supervised", *NO_NOISE],
            "network alone, solved": ALONE,
            "network alone, supervised": [*ALONE, "loss=supervised", *NO_NOISE],
        },
    ),
    "tuft": Ablation(tuft, 1.5, {"solved": [], "solved, not balanced": ["balance=false"]}),
}


def model(name: str, row: str, seed: int) -> tuple[Path, dict[str, Any]]:
    """The model file of a row of a scene's table, and what its training delivered."""
    ablation = ABLATIONS[name]
    dataset = baked(ablation.scene(), LATENT)
    changes = [*BUDGET, f"minutes={ablation.minutes:g}", *ablation.rows[row]]
    return trained(_folder(name, row, seed), dataset.path, seed, changes)


def train_all() -> None:
    """All rows with one seed before the next, so that a benchmark that is stopped has something of each."""
    for seed in SEEDS:
        for name, ablation in ABLATIONS.items():
            for row in ablation.rows:
                model(name, row, seed)


LONG = 5000  # frames
MOMENTS = (300, 1000)  # frames after which the cantilever is compared with where the solver's comes to rest


def judge(kept_only: bool = False) -> dict[str, Any]:
    """The figures of each scene's rows by seed. kept_only: only of those that are trained already."""
    if not kept_only:
        train_all()
    rows = [(name, row, changes) for name, each in ABLATIONS.items() for row, changes in each.rows.items()]
    found: dict[str, Any] = {name: {"minutes": each.minutes, "rows": []} for name, each in ABLATIONS.items()}
    missing = []
    for name, row, changes in rows:
        seeds = [seed for seed in SEEDS if is_trained(_folder(name, row, seed))]
        missing += [_folder(name, row, seed) for seed in SEEDS if seed not in seeds]
        runs = [_run(name, row, seed) for seed in seeds]
        if runs:
            found[name]["rows"].append({"name": row, "changes": changes, "runs": runs})
    return {**found, "missing": missing}


def _folder(name: str, row: str, seed: int) -> str:
    return f"{name}_{row.replace(', ', '_').replace(' ', '_')}_{seed}"


def _run(name: str, row: str, seed: int) -> dict[str, Any]:
    path, training = model(name, row, seed)
    found = path.with_name("measured.json")
    if not found.is_file():
        scene = ABLATIONS[name].scene()
        measured = _measured(scene, baked(scene, LATENT), path)
        kept = {key: training[key] for key in ("steps", "best_step", "seconds", "coder_error")}
        found.write_text(json.dumps({"seed": seed, **kept, **measured}, indent=1) + "\n", encoding="utf-8")
    result: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    return result


def _measured(scene: LatentScene, dataset: Dataset, path: Path) -> dict[str, Any]:
    """Rollouts of the last take; where it is trained on, its first frames are those that were seen."""
    roller, take = Roller(path, dataset), dataset.takes("training", "test")[-1]
    frames, seed, _ = scene.takes[-1]
    seen = scene.seen if take.info.role == "training" else 0
    beside = course(roller, take)
    most = float(beside.true_elastic.max())
    longer = long_elastic(roller, scene.tracks(LONG, seed).interaction)
    result: dict[str, Any] = {
        "seen": beside.error(slice(2, seen)) if seen else None,
        "unseen": beside.error(slice(max(2, seen), frames)),
        "kinetic_unseen": beside.kept(slice(seen, frames - 1)),
        "most_elastic": float(longer.max() / most) if np.isfinite(longer).all() else None,
        "above_at": first_above(longer, most),
    }
    if scene.name == "cantilever":
        result |= _at_rest(roller, take)
    if scene.name == "tuft":
        half = frames // 2
        result |= {"slow": beside.error(slice(2, half)), "fast": beside.error(slice(half, frames))}
    return result


def _at_rest(roller: Roller, take: Take) -> dict[str, Any]:
    """How far from the solver's last shape, and how much each frame still moves, root mean squares, mm."""
    c = roller.coefficients(np.asarray(take.interaction[: max(MOMENTS)]))
    assert take.body_positions is not None
    shapes, true = np.concatenate(list(roller.shapes(c))), np.asarray(take.body_positions[-1], np.float64)
    away = 1e3 * np.sqrt(((shapes - true) ** 2).sum(2).mean(1))
    moves = 1e3 * np.sqrt((np.diff(shapes, axis=0) ** 2).sum(2).mean(1))
    return {
        "away_mm": [float(away[frame - 1]) for frame in MOMENTS],
        "moves_mm": [float(moves[frame - 51 : frame - 1].mean()) for frame in MOMENTS],
    }
