"""How far rollouts of coefficients are off the truth, over the validation spans."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learning.training.subspace_data import SubspaceData
from learning.training.validation_rollouts import tiled
from neural_physics.arrays import Floats

# z_0, z_1 (n, u) and w (T, n, v): the (T - 2, n, u) that follow.
Rollout = Callable[[Floats, Floats, Floats], Floats]


class SubspaceValidation:
    """Rollouts as Play would run them: from two true states, their interaction clipped."""

    def __init__(self, data: SubspaceData) -> None:
        sequences = data.validation
        frames, counted = tiled(sequences.runs())
        z = sequences.z
        self._counted, self._z = counted[2:], z[frames]
        self._w = np.clip(sequences.w, data.training.w.min(0), data.training.w.max(0))[frames]
        self._weights = data.deviations**2
        squares = sequences.squares[frames[2:]][self._counted].astype(np.float64)
        within = (z[frames[2:]][self._counted].astype(np.float64) ** 2) @ self._weights.astype(np.float64)
        self._beyond = float((squares - within).sum())  # what no choice of z could have matched
        self._total = float(squares.sum())

    def error(self, rollout: Rollout) -> float:
        """The root of the mean square error over all vertices, relative to predicting the mean shape."""
        wrong = np.square(rollout(self._z[0], self._z[1], self._w) - self._z[2:]) @ self._weights
        squares = float((wrong * self._counted).sum(dtype=np.float64))
        return float(np.sqrt((squares + self._beyond) / self._total))
