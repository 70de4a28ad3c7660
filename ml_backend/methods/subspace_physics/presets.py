"""How long and how to train; `docs/methods/subspace_physics.md` says what was measured with each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from ml_backend.training.presets import Preset
from neural_physics.methods.perceptron import MOST_LAYERS

Loss = Literal["paper", "metres"]
Activation = Literal["relu", "silu"]

# Least and most of each number.
RANGES: dict[str, tuple[float, float]] = {
    "layers": (2, MOST_LAYERS),
    "width": (0, math.inf),
    "steps": (1, math.inf),
    "window": (3, math.inf),  # a state and the two before it
    "first_window": (3, math.inf),
    "growth": (0, 1),
    "batch": (1, math.inf),
    "noise": (0, math.inf),
    "emphasis": (0, math.inf),
    "weight_decay": (0, math.inf),
    "carry": (0, 1),
    "learning_rate": (0, math.inf),
    "decay": (0, 1),
    "average": (0, math.inf),
    "validate_every": (1, math.inf),
    "patience": (1, math.inf),
    "minutes": (0, math.inf),
}


@dataclass(frozen=True)
class SubspacePreset(Preset):
    """Everything that decides a training beside its data and seed.

    layers: of the network, the output included; width: hidden units per basis; activation.
    interaction_velocity: whether the network also sees w_t - w_{t-1}; initial_model, residual: see
    `neural_physics.methods.subspace_physics.method`; switched off for the ablations of section 7.2.
    loss "paper": mean absolute error of unit z, and of its velocity per second (Algorithm 1);
    "metres": mean square distance of the vertices over their mean square distance from the mean shape.
    steps: of the optimiser. window, batch: frames and windows per step; the window grows to `window`
    from `first_window` over the first `growth` of the training. noise: of the first two states, in unit z.
    emphasis: the network sees each coefficient times how far its basis moves the mesh to this power: with
    1 the large shapes lead, with 0 (the paper) all count alike. weight_decay: per step, times learning rate.
    carry: the chance that a window starts where the model's own prediction of the window before it ended,
    and not at two true states; it rises to that between a fifth and a half of the training.
    learning_rate; decay: its factor per epoch, or None for a cosine to zero over the training.
    average: of the weights, over about so many steps (0: none).
    validate_every: steps; patience: validations without a better one before training ends.
    minutes: training ends then, whatever it has reached (0: no limit). Where that comes before all steps
    are done, what follows the training's course (window, carry, cosine) follows the clock.
    """

    layers: int = 4
    width: float = 1.5
    activation: Activation = "silu"
    interaction_velocity: bool = True
    initial_model: bool = True
    residual: bool = True
    loss: Loss = "metres"
    steps: int = 4000
    window: int = 32
    first_window: int = 16
    growth: float = 0.1
    batch: int = 48
    noise: float = 0.05
    emphasis: float = 1.0
    weight_decay: float = 0.1
    carry: float = 0.9
    learning_rate: float = 2e-3
    decay: float | None = None
    average: int = 100
    validate_every: int = 100
    patience: int = 20
    minutes: float = 0.0

    ranges: ClassVar = RANGES
    above_zero: ClassVar = frozenset({"width", "learning_rate", "decay"})


PRESETS = {
    "preview": SubspacePreset(steps=3000, minutes=2.0),
    "balanced": SubspacePreset(steps=24000, validate_every=200, patience=60, minutes=9.0),
    "final": SubspacePreset(steps=120_000, validate_every=500, patience=60, minutes=120.0, width=3.0),
    # Holden 2019, sections 5.3 and 5.4; docs/methods/subspace_physics.md says where all presets differ.
    "paper": SubspacePreset(
        layers=10,
        activation="relu",
        interaction_velocity=False,
        loss="paper",
        steps=500_000,
        window=32,
        first_window=32,
        batch=16,
        noise=0.01,
        emphasis=0.0,
        weight_decay=0.0,
        carry=0.0,
        learning_rate=1e-4,
        decay=0.999,
        average=0,
        validate_every=500,
        patience=100,
    ),
}
