"""How long and how to learn; docs/methods/contact_corrections.md has what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ml_backend.training.presets import Preset


@dataclass(frozen=True)
class ContactPreset(Preset):
    """Everything that decides a training beside its data, its bases and its seed.

    handles: free points. internal, external: which corrections are learned. poses: frames of the takes whose
    shapes at rest are solved; traverses: of each, the places where a collider is led in; met: the share of
    these that are as the takes have it, the others are all over the body; depths: steps of the way in; depth:
    how far at most, as a share of the collider's own (a ball's radius).
    cubature: tetrahedra that stand for all in Play (0: all of them). iterations: of Newton's method in a
    step, at most. layers: of both networks, the output included; internal_width, external_width: theirs.
    epochs: over the samples, of each network, in batches of `batch`; learning_rate: Adam's, falling as a
    cosine where `falling`. solved: whether the last layers are solved for, and the first ones begin as steep
    as suits the samples; see `learner`.
    validate_every: steps; patience: validations without a better one before training ends; minutes: for each
    network at most (0: no limit).
    """

    handles: int = 12
    internal: bool = True
    external: bool = True
    poses: int = 300
    traverses: int = 8
    met: float = 0.5
    depths: int = 3
    depth: float = 0.6
    cubature: int = 150
    iterations: int = 8
    layers: int = 2
    internal_width: int = 200
    external_width: int = 1000
    epochs: float = 1000.0
    batch: int = 512
    learning_rate: float = 1e-3
    falling: bool = True
    solved: bool = True
    validate_every: int = 500
    patience: int = 20
    minutes: float = 4.0

    ranges: ClassVar = {
        "handles": (1, 400),
        "poses": (2, math.inf),
        "traverses": (0, math.inf),
        "met": (0, 1),
        "depths": (1, 100),
        "depth": (0, 1),
        "cubature": (0, math.inf),
        "iterations": (1, 100),
        "layers": (2, 16),
        "internal_width": (1, 8192),
        "external_width": (1, 8192),
        "epochs": (0, math.inf),
        "batch": (1, math.inf),
        "learning_rate": (0, math.inf),
        "validate_every": (1, math.inf),
        "patience": (1, math.inf),
        "minutes": (0, math.inf),
    }
    above_zero: ClassVar = frozenset({"depth", "epochs", "learning_rate"})


PRESETS = {
    "preview": ContactPreset(poses=60, traverses=4, epochs=300.0, minutes=0.5),
    "balanced": ContactPreset(),
    "final": ContactPreset(
        poses=1500, traverses=16, cubature=300, external_width=2000, patience=40, minutes=60.0
    ),
    # Romero 2021, section 4.3 and Table 1; docs/methods/contact_corrections.md says where all differ.
    "paper": ContactPreset(
        handles=8,
        poses=1200,
        met=0.0,
        cubature=600,
        internal_width=200,
        external_width=200,
        epochs=1500.0,
        falling=False,
        solved=False,
        validate_every=100,
        patience=10**9,
        minutes=0.0,
    ),
}
