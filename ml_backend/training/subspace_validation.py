"""How far rollouts of coefficients are off the truth, over the validation spans."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ml_backend.training.subspace_data import SubspaceData
from ml_backend.training.validation_rollouts import tiled

# z_0, z_1 (n, u) and w (T, n, v): the (T - 2, n, u) that follow.
Rollout = Callable[[Tensor, Tensor, Tensor], Tensor]


class SubspaceValidation:
    """Rollouts as Play would run them: from two true states, their interaction clipped."""

    def __init__(self, data: SubspaceData, device: torch.device) -> None:
        sequences = data.validation
        frames, counted = tiled(sequences.runs())
        z = sequences.z
        self._counted = torch.from_numpy(counted[2:].astype(np.float32)).to(device)
        self._z = torch.from_numpy(z[frames]).to(device)
        w = np.clip(sequences.w, data.training.w.min(0), data.training.w.max(0))
        self._w = torch.from_numpy(w[frames]).to(device)
        self._weights = torch.from_numpy(data.deviations**2).to(device)
        squares = sequences.squares[frames[2:]][counted[2:]].astype(np.float64)
        within = (z[frames[2:]][counted[2:]].astype(np.float64) ** 2) @ (
            data.deviations.astype(np.float64) ** 2
        )
        self._beyond = float((squares - within).sum())  # what no choice of z could have matched
        self._total = float(squares.sum())

    def error(self, rollout: Rollout) -> float:
        """The root of the mean square error over all vertices, relative to predicting the mean shape."""
        with torch.no_grad():
            wrong = (rollout(self._z[0], self._z[1], self._w) - self._z[2:]).square() @ self._weights
            squares = float((wrong * self._counted).sum(dtype=torch.float64))
        return float(np.sqrt((squares + self._beyond) / self._total))
