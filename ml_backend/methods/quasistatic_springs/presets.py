"""How springs are fitted; `docs/methods/quasistatic_springs.md` says what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ml_backend.training.presets import Preset
from neural_physics.methods.perceptron import MOST_LAYERS


@dataclass(frozen=True)
class SpringPreset(Preset):
    """Everything that decides a fit beside its data and seed.

    frames: of the training takes that springs are fitted to, at most about. left_out: the share of them that
    each vertex does without, the worst ones (Figure 7); none by default, as bad frames are found beforehand.
    shrink: the weight of the springs' own offsets from the targets, squared, beside those from the
    simulation. generations: of the search for first guesses. settled: whether the shape that bones carry is
    the one about which the simulation swings, as flesh that hangs has it, and not the mesh's own; it stands
    in for the network of poses, where there are none or `network` is off.

    Of the network of held poses: poses: that it learns from, at most. modes: principal components at each
    vertex, on average: bones share them out by what they show; bones_seen: that each bone's network sees, at
    most. layers: the output included; width: of those before it. ridge: of the regression that it adds to,
    in the inputs' variances. steps, batch, learning_rate (falls along a cosine to a hundredth), decay:
    AdamW's, of the weights. validate_every: steps; patience: validations without a better one; minutes:
    training ends then (0: no limit).
    """

    frames: int = 200
    left_out: float = 0.0
    shrink: float = 1e-3
    generations: int = 3
    settled: bool = True
    network: bool = True
    poses: int = 1000
    modes: int = 16
    bones_seen: int = 8
    layers: int = 3
    width: int = 32
    ridge: float = 1e-3
    steps: int = 4000
    batch: int = 64
    learning_rate: float = 3e-3
    decay: float = 0.1
    validate_every: int = 50
    patience: int = 40
    minutes: float = 8.0

    ranges: ClassVar = {
        "frames": (8, math.inf),
        "left_out": (0.0, 0.5),
        "shrink": (0.0, math.inf),
        "generations": (0, 1000),
        "poses": (1, math.inf),
        "modes": (1, 256),
        "bones_seen": (1, 64),
        "layers": (1, MOST_LAYERS),
        "width": (1, 1024),
        "ridge": (0.0, math.inf),
        "steps": (1, math.inf),
        "batch": (1, math.inf),
        "learning_rate": (0.0, math.inf),
        "decay": (0.0, math.inf),
        "validate_every": (1, math.inf),
        "patience": (1, math.inf),
        "minutes": (0.0, math.inf),
    }
    above_zero: ClassVar = frozenset({"ridge", "learning_rate"})


PRESETS = {
    "preview": SpringPreset(frames=100, generations=2, poses=300, steps=1000, minutes=1.0),
    "balanced": SpringPreset(),
    "final": SpringPreset(
        frames=1000,
        generations=6,
        poses=5000,
        modes=48,
        bones_seen=12,
        width=64,
        steps=20_000,
        minutes=60.0,
    ),
    # Jin 2022, sections 3.1 and 7: about 5,000 poses; under 100 frames, the worst tenth left out. It has a
    # regularisation, and no figure. Its network is a CNN of images: see the method's page.
    "paper": SpringPreset(frames=100, left_out=0.1, poses=5000, modes=32, steps=20_000, minutes=60.0),
}
