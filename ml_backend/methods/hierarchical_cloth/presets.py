"""How the networks of levels are trained; `docs/methods/hierarchical_cloth.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learning.training.presets import Preset, choice, number
from neural_physics.methods.perceptron import MOST_LAYERS


@dataclass(frozen=True)
class LevelPreset(Preset):
    """Everything that decides a training beside its data and its seed."""

    form: Literal["local", "paper"] = choice(
        "local", "what the network is given of a triangle, and what it gives"
    )
    layers: int = number(3, "layers of the network, the output included", 1, MOST_LAYERS)
    width: int = number(32, "width of its hidden layers", 1)
    linear: bool = choice(True, "let the network add to a linear map that is fitted by least squares")
    mirror: bool = choice(True, "also learn from each pair as mirrored in the plane of its triangle")
    limits: bool = choice(True, "clip what the layers are given to the range of the pairs")
    loss: Literal["rmse", "square"] = choice(
        "square", "rmse: equation 7; square: its square, for each vertex"
    )
    pairs: int = number(400_000, "pairs drawn from the takes, for each level", 1)
    epochs: float = number(40.0, "epochs over the pairs", above_zero=True)
    steps: int = number(0, "steps of the optimiser; 0: as many as the epochs have")
    batch: int = number(2048, "pairs in each batch", 1)
    learning_rate: float = number(3e-3, "Adam's learning rate", above_zero=True)
    cosine: bool = choice(True, "let the learning rate fall along a cosine, to a hundredth")
    validate_every: int = number(200, "steps from one validation to the next", 1)
    patience: int = number(30, "validations without a better one after which training ends", 1)
    minutes: float = number(0.0, "time limit; 0: none")

    @property
    def hidden(self) -> list[int]:
        """Sizes of the hidden layers."""
        return [self.width] * (self.layers - 1)


PRESETS = {
    "preview": LevelPreset(pairs=100_000, epochs=30.0, minutes=1.0),
    "balanced": LevelPreset(minutes=8.0),
    "final": LevelPreset(pairs=3_000_000, epochs=100.0, validate_every=1000, minutes=120.0),
    # Oh 2018, sections 3.3 and 4: Adam, equation 7, 5,000 epochs over 2.9 and 3.0 million pairs. The paper
    # names neither the size of a batch nor the learning rate: these are TensorFlow's usual ones of its time.
    "paper": LevelPreset(
        form="paper",
        linear=False,
        mirror=False,
        limits=False,
        loss="rmse",
        pairs=3_000_000,
        epochs=5000.0,
        batch=1024,
        learning_rate=1e-3,
        cosine=False,
        validate_every=1000,
        patience=10**9,
    ),
}
SEARCHED = (
    "learning_rate=0.0005..0.01",
    "width=16..96",
    "layers=2..4",
    "loss=rmse,square",
    "mirror=true,false",
)
