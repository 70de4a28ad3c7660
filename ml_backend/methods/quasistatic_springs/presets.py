"""How springs are fitted; `docs/methods/quasistatic_springs.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from learning.training.presets import Preset, choice, number
from neural_physics.methods.perceptron import MOST_LAYERS


@dataclass(frozen=True)
class SpringPreset(Preset):
    """Everything that decides a fit beside its data and its seed: of the springs, then of the network."""

    frames: int = number(200, "frames of the training takes that springs are fitted to, at most about", 8)
    # Bad frames are found beforehand, so that none must be left out here.
    left_out: float = number(
        0.0, "fraction of worst frames that each vertex's fit leaves out (Fig. 7)", most=0.5
    )
    shrink: float = number(
        1e-3, "weight of the squared offsets of the springs from their targets, beside the errors"
    )
    generations: int = number(3, "generations of the search for first guesses", most=1000)
    settled: bool = choice(
        True,
        "where there is no network: swing about the shape that the simulation swings about, as flesh "
        "that hangs has it, and not about the mesh's own",
    )
    network: bool = choice(True, "learn a network of held poses, where there are any")
    poses: int = number(1000, "poses that it learns from, at most", 1)
    modes: int = number(16, "principal components at each vertex, on average", 1, 256)
    bones_seen: int = number(8, "bones that each bone's network sees, at most", 1, 64)
    layers: int = number(3, "layers of the network, the output included", 1, MOST_LAYERS)
    width: int = number(32, "width of its hidden layers", 1, 1024)
    ridge: float = number(
        1e-3, "penalty of the ridge regression that it adds to, in the inputs' variances", above_zero=True
    )
    steps: int = number(4000, "steps of the optimiser", 1)
    batch: int = number(64, "poses in each batch", 1)
    learning_rate: float = number(
        3e-3, "AdamW's learning rate, which falls along a cosine to a hundredth", above_zero=True
    )
    decay: float = number(0.1, "AdamW's weight decay")
    validate_every: int = number(50, "steps from one validation to the next", 1)
    patience: int = number(40, "validations without a better one after which training ends", 1)
    minutes: float = number(8.0, "time limit; 0: none")


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
SEARCHED = (
    "shrink=0.0001..0.1",
    "left_out=0..0.2",
    "modes=8..32",
    "width=16..64",
    "learning_rate=0.0005..0.01",
    "decay=0.01..0.5",
)
