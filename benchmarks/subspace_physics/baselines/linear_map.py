"""Linear regression (de Aguiar et al. 2010), the project's own method, among the networks that are compared.

z_t = A z_{t-1} + B z_{t-2} + C w_t + c with full matrices, slowed down until it is stable. The fit that shows
whether A and B are diagonal is in `diagonality`.
"""

from __future__ import annotations

import numpy as np

from learning.methods.linear_dynamics.presets import LinearPreset
from learning.methods.linear_dynamics.train import Rollout, fit
from learning.training.subspace_data import SubspaceData
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats


class LinearNetwork:
    """Fitted at once; nothing is left to train."""

    initial = np.empty(0, np.float32)

    def __init__(self, data: SubspaceData, preset: LinearPreset) -> None:
        self._data, self._map = data, fit(data.training, preset)
        self._rollout = Rollout(self._map, data, preset.history)
        self.count = sum(array.size for array in self._arrays().values())

    def tensors(self, theta: Floats) -> Tensors:
        """Those of a model of linear dynamics."""
        return self._data.model_tensors() | self._arrays()

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._rollout(z0, z1, w)

    def _arrays(self) -> Tensors:
        names = ("now", "before", "interaction", "constant")
        return {name: getattr(self._map, name).astype(np.float32) for name in names}
