"""Table 1 of Oh 2018: equation 7 against epochs, of the paper's networks and of ours, on the same pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from benchmarks.hierarchical_cloth.curves import Curve, learned, linear_subdivision_error
from benchmarks.hierarchical_cloth.scenes import HIERARCHY, shapes_of
from ml_backend.methods.hierarchical_cloth.pairs import Pairs, Shapes, pairs_of
from ml_backend.methods.hierarchical_cloth.presets import PRESETS, LevelPreset
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers

PAIRS = 10_240
MEASUREMENTS = 50  # of each training
LEVELS = (1, 2)
# Ours starts from a linear map, and its learning rate falls to the end: a tenth of the epochs is enough.
FORMS = {
    "paper": replace(PRESETS["paper"], epochs=5000.0),
    "local": replace(PRESETS["balanced"], epochs=500.0),
}


def judge() -> dict[str, Any]:
    """The error that linear subdivision leaves on each level, and a curve for each form; metres."""
    rows = [
        {
            "level": level,
            "linear": [linear_subdivision_error(pairs) for pairs in both(level, "local")],
            "curves": {form: as_lists(network(level, form, preset)[0]) for form, preset in FORMS.items()},
        }
        for level in LEVELS
    ]
    return {"pairs": PAIRS, "rows": rows}


def network(level: int, form: str, preset: LevelPreset) -> tuple[Curve, Layers]:
    """Its curve and the best of it; kept in build/bench/hierarchy/curves."""
    name = f"{form}_{level}_{preset.layers}x{preset.width}_{preset.epochs:g}"
    checkpoint = HIERARCHY / "curves" / f"{name}.safetensors"
    return learned(
        *both(level, form), preset, MEASUREMENTS, checkpoint=checkpoint, identity=f"{level} {PAIRS}"
    )


@cache
def both(level: int, form: str) -> tuple[Pairs, Pairs]:
    """Equally many pairs of the training scenes and of those for validation, the same for each form."""
    seen, unseen = ((shapes for _, shapes in shapes_of(part)) for part in ("training", "validation"))
    return _some(seen, level, form), _some(unseen, level, form)


def as_lists(found: Curve) -> dict[str, list[float]]:
    """The curve as lists, rounded for the report."""
    return {name: [float(f"{value:.6g}") for value in values] for name, values in asdict(found).items()}


def _some(shapes: Iterable[Shapes], level: int, form: str) -> Pairs:
    return pairs_of(shapes, level, form, PAIRS, seed=0).some(PAIRS, np.random.default_rng(level))
