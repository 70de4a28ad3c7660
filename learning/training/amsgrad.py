"""The optimiser of Holden 2019, section 5.4: Adam that never forgets a large gradient, in NumPy."""

from __future__ import annotations

import numpy as np

from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

MOMENTUM, MEMORY = 0.9, 0.999  # beta_1 and beta_2
LEAST = 1e-8  # added to what is divided by


class AmsGrad:
    """AMSGrad (Reddi et al. 2018) with decoupled weight decay (Loshchilov and Hutter 2019).

    weight_decay: of a parameter in each step, times the learning rate.
    """

    def __init__(self, count: int, weight_decay: float = 0.0) -> None:
        self._decay, self._steps = weight_decay, 0
        self._mean, self._square, self._largest = np.zeros((3, count), np.float32)

    def step(self, theta: Floats, gradient: Floats, rate: float) -> None:
        """Move theta (n,) in place, downhill along its gradient (n,)."""
        self._steps += 1
        self._mean += np.float32(1.0 - MOMENTUM) * (gradient - self._mean)
        self._square += np.float32(1.0 - MEMORY) * (gradient * gradient - self._square)
        np.maximum(self._largest, self._square, out=self._largest)
        size = np.sqrt(self._largest) / np.float32(np.sqrt(1.0 - MEMORY**self._steps))
        size += np.float32(LEAST)
        theta *= np.float32(1.0 - rate * self._decay)
        theta -= np.float32(rate / (1.0 - MOMENTUM**self._steps)) * self._mean / size

    def state(self) -> Tensors:
        """What the next step depends on."""
        return {
            "optimiser.steps": np.array(self._steps),
            "optimiser.mean": self._mean,
            "optimiser.square": self._square,
            "optimiser.largest": self._largest,
        }

    def restore(self, state: Tensors) -> None:
        """Go on from what `state` gave; other entries are passed over."""
        self._steps = int(state["optimiser.steps"])
        for name, own in (("mean", self._mean), ("square", self._square), ("largest", self._largest)):
            own[:] = state[f"optimiser.{name}"]
