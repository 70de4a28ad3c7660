"""Holden's Table 2 and the ablations of section 7.2, at a size that fits two cores."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.records import recorded
from benchmarks.subspace_physics.datasets import SHEET, SMALL, Corpus, baked
from benchmarks.subspace_physics.models import evaluated, trained

SCENES: dict[str, Corpus] = {"Ball & Sheet": SHEET, **SMALL}
BASES = (64, 128, 256)
PRESET = "preview"
SEEDS = (0, 1, 2)
# Carried windows, which the paper does not have, hide what is ablated: each is trained without them, too.
WITHOUT_CARRYING = "carry=0"
# Settings of the preset; what the paper saw is reported in `docs/benchmarks/subspace_physics.md`.
ABLATIONS: dict[str, list[str]] = {
    "as it is": [],
    "no window": ["window=3", "first_window=3"],
    "no noise": ["noise=0"],
    "no initial model": ["initial_model=false"],
    "absolute prediction": ["residual=false"],
}


def judge() -> dict[str, Any]:
    """Rows of the table and of the ablations."""
    return {
        "preset": PRESET,
        "rows": [row(scene, bases) for scene in SCENES for bases in BASES],
        "ablations": [_ablation(name, changes) for name, changes in ABLATIONS.items()],
    }


def row(scene: str, bases: int) -> dict[str, Any]:
    """A scene's error and sizes with so many bases."""
    corpus = SCENES[scene]
    name = f"{corpus.name}_{bases}"
    return recorded(f"bases/{name}", partial(_row, name, scene, corpus, bases))


def _row(name: str, scene: str, corpus: Corpus, bases: int) -> dict[str, Any]:
    dataset = baked(corpus)
    _, training = trained(name, dataset.path, PRESET, bases)
    frames = sum(len(take.positions) for take in dataset.takes("training"))
    return {"scene": scene, "training_frames": frames, "training": training, **evaluated(name, dataset.path)}


def _ablation(name: str, changes: list[str]) -> dict[str, Any]:
    """What became of each seed, with carried windows and without."""
    return {
        "name": name,
        "changes": changes,
        "carried": [ablated(name, seed, carried=True) for seed in SEEDS],
        "not_carried": [ablated(name, seed, carried=False) for seed in SEEDS],
    }


def ablated(name: str, seed: int, *, carried: bool) -> dict[str, Any]:
    """The training and the errors of one of `ABLATIONS`."""
    folder = f"ablation_{name.replace(' ', '_')}{'' if carried else '_not_carried'}_seed{seed}"
    changes = [*ABLATIONS[name], *([] if carried else [WITHOUT_CARRYING])]
    return recorded(f"ablations/{folder}", partial(_ablated, folder, changes, seed))


def _ablated(folder: str, changes: list[str], seed: int) -> dict[str, Any]:
    dataset = baked(SHEET)
    _, training = trained(folder, dataset.path, PRESET, 64, seed=seed, changes=changes)
    return {"training": training, **evaluated(folder, dataset.path)}
