"""How the networks of levels are trained; `docs/methods/hierarchical_cloth.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LevelPreset:
    """Everything that decides a training beside its data and seed.

    form: a name in `neural_physics.methods.triangle_forms.FORMS`. hidden: sizes of the hidden layers.
    linear: a linear map, fitted by least squares, to which the network adds. mirror: pairs are also seen in
    the mirror that the triangle's plane is. limits: the layers are shown no more than was in any pair.
    loss "rmse": equation 7; "square": its square, per vertex. pairs: of each level, drawn from the takes.
    epochs, batch: over and of them. learning_rate falls along a cosine to a hundredth, or stays where
    `cosine` is off. validate_every: steps; patience: validations without a better one; minutes: training
    ends then (0: no limit).
    """

    form: str = "local"
    hidden: tuple[int, ...] = (32, 32)
    linear: bool = True
    mirror: bool = True
    limits: bool = True
    loss: Literal["rmse", "square"] = "square"
    pairs: int = 400_000
    epochs: float = 40.0
    batch: int = 2048
    learning_rate: float = 3e-3
    cosine: bool = True
    validate_every: int = 200
    patience: int = 30
    minutes: float = 0.0


LEVEL_PRESETS = {
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
