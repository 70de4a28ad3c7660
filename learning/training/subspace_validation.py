"""How far rollouts of coefficients are off the truth, over the validation spans."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learning.training.subspace_data import SubspaceData
from learning.training.validation_error import ValidationError, of_frames
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
        self._vertices = len(data.mean)
        squares = sequences.squares[frames[2:]][self._counted].astype(np.float64)
        within = (z[frames[2:]][self._counted].astype(np.float64) ** 2) @ self._weights.astype(np.float64)
        self._beyond = squares - within  # what no choice of z could have matched
        self._total = float(squares.mean())

    def error(self, rollout: Rollout) -> ValidationError:
        """Over all vertices, relative to predicting the mean shape."""
        wrong = np.square(rollout(self._z[0], self._z[1], self._w) - self._z[2:]) @ self._weights
        # Rounding may leave a frame that the bases hold whole with a little less than nothing beyond.
        squares = np.maximum(0.0, wrong[self._counted] + self._beyond)
        floor = float(np.sqrt(max(0.0, float(self._beyond.mean())) / max(self._total, 1e-30)))
        return of_frames(squares / self._vertices, self._total / self._vertices, floor)
