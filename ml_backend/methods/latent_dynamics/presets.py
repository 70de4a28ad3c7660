"""How long and how to learn latent dynamics; docs/methods/latent_dynamics.md has what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from ml_backend.training.presets import Preset
from neural_physics.methods.perceptron import MOST_LAYERS

Loss = Literal["solved", "potential", "supervised"]

# Least and most of each number.
RANGES: dict[str, tuple[float, float]] = {
    "latents": (1, 1024),
    "coder_layers": (2, MOST_LAYERS),
    "coder_width": (1, 8192),
    "coder_steps": (1, math.inf),
    "coder_batch": (2, math.inf),  # batch normalisation needs a spread
    "coder_rate": (0, math.inf),
    "elastic": (0, math.inf),
    "layers": (2, MOST_LAYERS),
    "width": (1, 8192),
    "boundary_weight": (0, math.inf),
    "give": (0, 1),
    "imagined": (0, math.inf),
    "pace": (1, 10),
    "sampled_elements": (0, math.inf),
    "noise": (0, math.inf),
    "swing": (0, math.inf),
    "floor": (0, math.inf),
    "carried": (0, math.inf),
    "carry_frames": (1, math.inf),
    "outlying": (0, math.inf),
    "solve_every": (1, math.inf),
    "solved": (1, math.inf),
    "evaluations": (1, math.inf),
    "memory": (1, math.inf),
    "steps": (1, math.inf),
    "batch": (1, math.inf),
    "learning_rate": (0, math.inf),
    "average": (0, math.inf),
    "validate_every": (1, math.inf),
    "patience": (1, math.inf),
    "minutes": (0, math.inf),
}


@dataclass(frozen=True)
class LatentPreset(Preset):
    """Everything that decides a training beside its data, its bases and its seed.

    latents: numbers in z. coder_layers, coder_width: of encoder and decoder, the output included.
    coder_steps, coder_batch, coder_rate: of the autoencoder's training, its learning rate falling as a
    cosine. elastic: how much the elastic energy of what it gets wrong counts in its loss, beside the square
    distance (0: the paper). shortcut: whether both start from PCA's own first coefficients, to which the
    networks add. layers, width: of the integrator, the output included. residual: whether it adds to a
    linear model of the motion, or predicts z_t alone (the paper).
    loss "solved": the distance, as an energy, from where the potential is least; "potential": the potential
    itself (eq. 4); "supervised": the square distance from the true latents (Fig. 8).
    solve_every: steps of the optimiser between two lots of samples that are solved, of `solved` without noise
    each and others as in a batch; evaluations: of the potential, for each at most; memory: how many are kept.
    balance: whether each sample's energy is divided by its mean speed (eq. 6); floor: the least speed to
    divide by, as a share of the mean over all samples. boundary_weight: w_bc, N/m. give: by which share
    of their length strands may stretch under their own weight, in the loss; stiffer ones are taken to be as
    soft as that (0: as stiff as they are). imagined: frames that are simulated in the bases, beside those
    that were baked, a part of them with what acts `pace` times as fast (1: none). sampled_elements: of solids
    and strands, at most so many stand for all in the elastic energy (0: all do). contact: whether colliders
    are in the potential.
    noise: of the two latents a noisy sample starts from, in standard deviations of its batch; swing: what
    noise of their difference in its own standard deviations is used instead of two that are independent (0:
    independent ones, the paper). carried: samples in each batch that go on from the model's own prediction,
    as a share of those without noise, for up to carry_frames frames. mixed: whether noisy and carried samples
    have their shape from another frame than what acts on them, where nothing forbids it.
    outlying: from where on a solved sample's error counts as the root of its energy, in energies of what a
    step changes of the motion (0: nowhere).
    steps: of the optimiser; batch: samples without noise per step, and as many with it; learning_rate: falls
    as a cosine where `falling`. average: of the weights, over about so many steps (0: none).
    validate_every: steps; patience: validations without a better one before training ends.
    minutes: training ends then at the latest, the autoencoder's after a quarter of them (0: no limit).
    """

    latents: int = 8
    coder_layers: int = 4
    coder_width: int = 128
    coder_steps: int = 6000
    coder_batch: int = 256
    coder_rate: float = 2e-3
    elastic: float = 1.0
    shortcut: bool = True
    layers: int = 4
    width: int = 128
    residual: bool = True
    loss: Loss = "solved"
    solve_every: int = 100
    solved: int = 64
    evaluations: int = 40
    memory: int = 32768
    balance: bool = True
    floor: float = 0.2
    boundary_weight: float = 1e5
    give: float = 0.005
    imagined: int = 8000
    pace: float = 2.0
    sampled_elements: int = 800
    contact: bool = True
    noise: float = 0.1
    swing: float = 0.5
    carried: float = 1.0
    carry_frames: int = 100
    mixed: bool = True
    outlying: float = 0.05
    steps: int = 20_000
    batch: int = 256
    learning_rate: float = 2e-3
    falling: bool = True
    average: int = 100
    validate_every: int = 200
    patience: int = 20
    minutes: float = 0.0

    ranges: ClassVar = RANGES
    above_zero: ClassVar = frozenset({"coder_rate", "learning_rate"})


PRESETS = {
    "preview": LatentPreset(coder_steps=3000, imagined=1000, steps=6000, minutes=2.0),
    "balanced": LatentPreset(minutes=9.0),
    "final": LatentPreset(
        coder_steps=30_000, imagined=16_000, steps=120_000, width=256, minutes=120.0, patience=40
    ),
    # Li 2025, section 3.3 and Table 2 (solids); docs/methods/latent_dynamics.md says where all differ.
    "paper": LatentPreset(
        latents=4,
        coder_layers=4,
        coder_width=200,
        coder_steps=40_000,
        coder_batch=500,
        coder_rate=1e-4,
        elastic=0.0,
        give=0.0,
        imagined=0,
        pace=1.0,
        sampled_elements=0,
        shortcut=False,
        layers=6,
        width=256,
        residual=False,
        loss="potential",
        floor=0.01,
        swing=0.0,
        carried=0.0,
        mixed=False,
        steps=20_000,
        batch=500,
        learning_rate=1e-4,
        falling=False,
        average=0,
        patience=100,
    ),
}
