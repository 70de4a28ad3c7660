"""How the networks of levels are trained; `docs/methods/hierarchical_cloth.md` says what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from ml_backend.training.presets import Preset
from neural_physics.methods.perceptron import MOST_LAYERS


@dataclass(frozen=True)
class LevelPreset(Preset):
    """Everything that decides a training beside its data and seed.

    form: a name in `triangle_forms.FORMS` of the run time. layers: of the network, the output
    included; width: of those before it.
    linear: a linear map, fitted by least squares, to which the network adds. mirror: pairs are also seen in
    the mirror that the triangle's plane is. limits: the layers are shown no more than was in any pair.
    loss "rmse": equation 7; "square": its square, per vertex. pairs: of each level, drawn from the takes.
    epochs, batch: over and of them. steps: of the optimiser; 0: as many as the epochs have. learning_rate
    falls along a cosine to a hundredth, or stays where `cosine` is off. validate_every: steps; patience:
    validations without a better one; minutes: training ends then (0: no limit).
    """

    form: Literal["local", "paper"] = "local"
    layers: int = 3
    width: int = 32
    linear: bool = True
    mirror: bool = True
    limits: bool = True
    loss: Literal["rmse", "square"] = "square"
    pairs: int = 400_000
    epochs: float = 40.0
    steps: int = 0
    batch: int = 2048
    learning_rate: float = 3e-3
    cosine: bool = True
    validate_every: int = 200
    patience: int = 30
    minutes: float = 0.0

    ranges: ClassVar = {
        "layers": (1, MOST_LAYERS),
        "width": (1, math.inf),
        "pairs": (1, math.inf),
        "epochs": (0, math.inf),
        "steps": (0, math.inf),
        "batch": (1, math.inf),
        "learning_rate": (0, math.inf),
        "validate_every": (1, math.inf),
        "patience": (1, math.inf),
        "minutes": (0, math.inf),
    }
    above_zero: ClassVar = frozenset({"epochs", "learning_rate"})

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
