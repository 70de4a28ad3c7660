"""The initial model of Holden 2019, eq. 1: each basis goes on by itself."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...models.model_file import Model

NOTHING = np.empty(0, np.float32)


class InitialModel:
    """z_bar = alpha z_{t-1} + beta (z_{t-1} - z_{t-2}) (Holden 2019, eq. 1).

    Tensors: alpha, beta (u,). features: how many numbers the network sees of it beside the guess: 0.
    """

    features = 0

    def __init__(self, model: Model, bases: int, name: str = "") -> None:
        """bases: u. name: before the tensors' names. Raises Problem("model_damaged")."""
        self._alpha, self._beta = model.tensor(f"{name}alpha", bases), model.tensor(f"{name}beta", bases)

    def __call__(self, z: Floats, z_before: Floats, y: Floats) -> tuple[Floats, Floats]:
        """z_bar (u,), and nothing (0,). Of n states: z, z_before (n, u), y (n, e) -> (n, u)."""
        return self._alpha * z + self._beta * (z - z_before), NOTHING


class LastState:
    """z_bar = z_{t-1}: without the initial model (an ablation of Holden 2019, section 7.2)."""

    features = 0

    def __call__(self, z: Floats, z_before: Floats, y: Floats) -> tuple[Floats, Floats]:
        """See `InitialModel`."""
        return z, NOTHING
