"""How long and how to learn latent dynamics; docs/methods/latent_dynamics.md has what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learning.training.presets import Preset, choice, number
from neural_physics.methods.latent_dynamics.specification import LATENTS
from neural_physics.methods.perceptron import MOST_LAYERS

Loss = Literal["solved", "potential", "supervised"]


@dataclass(frozen=True)
class LatentPreset(Preset):
    """Everything that decides a training beside its data, its bases and its seed."""

    latents: int = number(8, "size of the latent state z", 1, LATENTS.most)
    coder_layers: int = number(4, "layers of encoder and decoder, the output included", 2, MOST_LAYERS)
    coder_width: int = number(128, "width of their hidden layers", 1, 8192)
    coder_steps: int = number(6000, "steps of the autoencoder's training", 1)
    coder_batch: int = number(256, "shapes in each of its batches", 2)  # batch normalisation needs a spread
    coder_rate: float = number(2e-3, "its learning rate, which falls along a cosine", above_zero=True)
    elastic: float = number(
        1.0, "weight of the elastic energy of its error in its loss, beside the square distance; 0: the paper"
    )
    shortcut: bool = choice(True, "let encoder and decoder add to the first coefficients of the PCA")
    layers: int = number(4, "layers of the integrator, the output included", 2, MOST_LAYERS)
    width: int = number(128, "width of its hidden layers", 1, 8192)
    residual: bool = choice(
        True, "let it add to a linear model of the motion; false: predict z_t alone, the paper"
    )
    loss: Loss = choice(
        "solved",
        "solved: the distance, as an energy, from the minimum of the potential; potential: the potential "
        "itself (equation 4); supervised: the square distance from the true latents (Fig. 8)",
    )
    solve_every: int = number(
        100, "steps of the optimiser between two lots of samples that are solved for", 1
    )
    solved: int = number(
        64,
        "samples without noise in each lot; those with noise, and carried ones, are as many as in a batch",
        1,
    )
    evaluations: int = number(40, "evaluations of the potential for each solved sample, at most", 1)
    memory: int = number(32768, "solved samples that are kept", 1)
    balance: bool = choice(True, "divide each sample's energy by its mean speed (equation 6)")
    floor: float = number(0.2, "the least speed to divide by, as a fraction of the mean over all samples")
    boundary_weight: float = number(1e5, "w_bc, in N/m")
    give: float = number(
        0.005,
        "fraction of their length by which strands stretch, at least, under their own weight in the loss: "
        "stiffer ones are taken to be softer than they are; 0: as stiff as they are",
        most=1,
    )
    imagined: int = number(8000, "frames that are simulated in the bases, beside those that were baked")
    pace: float = number(2.0, "how many times as fast everything acts in part of them; 1: no faster", 1, 10)
    sampled_elements: int = number(
        800, "cubature elements of each kind, at most, in the elastic energy of solids and strands; 0: all"
    )
    contact: bool = choice(True, "include colliders in the potential")
    noise: float = number(
        0.1, "noise of the two latents that a noisy sample starts from, in standard deviations of its batch"
    )
    swing: float = number(
        0.5,
        "noise of their difference, in its own standard deviations, in place of independent noise of both; "
        "0: independent, the paper",
    )
    carried: float = number(
        1.0,
        "samples in each batch that continue from the model's own prediction, as a fraction of those "
        "without noise",
    )
    carry_frames: int = number(100, "frames for which they continue, at most", 1)
    mixed: bool = choice(
        True,
        "take the shape of noisy and carried samples from another frame than what acts on them, where "
        "nothing forbids it",
    )
    outlying: float = number(
        0.05,
        "energy above which a solved sample's error counts as its root, in energies of what a step changes "
        "of the motion; 0: never",
    )
    steps: int = number(20_000, "steps of the optimiser", 1)
    batch: int = number(256, "samples in each step without noise, and as many with noise", 1)
    learning_rate: float = number(2e-3, "learning rate", above_zero=True)
    falling: bool = choice(True, "let the learning rate fall along a cosine")
    average: int = number(100, "steps over which weights are averaged, about; 0: none")
    validate_every: int = number(200, "steps from one validation to the next", 1)
    patience: int = number(20, "validations without a better one after which training ends", 1)
    minutes: float = number(0.0, "time limit, of which the autoencoder may take a quarter; 0: none")


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
SEARCHED = (
    "latents=4..16",
    "learning_rate=0.0005..0.005",
    "width=64..256",
    "noise=0.01..0.3",
    "swing=0.1..1",
    "coder_width=64..256",
)
