"""Muon (Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks"), in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

MOMENTUM = 0.9
MEMORY = 0.995  # beta_2 of Adam
LEAST = 1e-8  # added to what is divided by
# The quintic whose five turns bring every singular value near 1, the post's own.
TURNS, LINEAR, CUBIC, QUINTIC = 5, np.float32(3.4445), np.float32(-4.7750), np.float32(2.0315)

Matrix = tuple[int, tuple[int, int]]  # where it begins in theta, and its shape


class Muon:
    """Each weight matrix is moved along its momentum with all singular values made about 1; what is no
    matrix, by Adam.

    So directions that few frames teach are learned as fast as those that all do.
    """

    def __init__(self, count: int, matrices: Sequence[Matrix], weight_decay: float, matrix_rate: float) -> None:
        """count: of parameters. matrices: those of them that are matrices. weight_decay: of these in each
        step, times their rate. matrix_rate: theirs, in rates of all others.
        """
        self._matrices, self._decay, self._matrix_rate = list(matrices), weight_decay, matrix_rate
        self._others = np.ones(count, np.bool_)
        for first, (rows, columns) in matrices:
            self._others[first : first + rows * columns] = False
        self._steps, self._mean = 0, np.zeros(count, np.float32)
        self._square = np.zeros(int(self._others.sum()), np.float32)

    def step(self, theta: Floats, gradient: Floats, rate: float) -> None:
        """Move theta (n,) in place, downhill along its gradient (n,)."""
        self._steps += 1
        self._mean += np.float32(1.0 - MOMENTUM) * (gradient - self._mean)
        ahead = self._mean + np.float32(1.0 - MOMENTUM) * (gradient - self._mean)  # Nesterov's
        for first, shape in self._matrices:
            part = slice(first, first + shape[0] * shape[1])
            size = self._matrix_rate * rate
            theta[part] *= np.float32(1.0 - size * self._decay)
            size *= max(1.0, shape[0] / shape[1]) ** 0.5
            theta[part] -= np.float32(size) * orthogonal(ahead[part].reshape(shape)).ravel()
        others = gradient[self._others]
        self._square += np.float32(1.0 - MEMORY) * (others * others - self._square)
        size_of_others = np.sqrt(self._square / np.float32(1.0 - MEMORY**self._steps)) + np.float32(LEAST)
        mean = self._mean[self._others] / np.float32(1.0 - MOMENTUM**self._steps)
        theta[self._others] -= np.float32(rate) * mean / size_of_others

    def state(self) -> Tensors:
        """What the next step depends on."""
        return {
            "optimiser.steps": np.array(self._steps),
            "optimiser.mean": self._mean,
            "optimiser.square": self._square,
        }

    def restore(self, state: Tensors) -> None:
        """Go on from what `state` gave; other entries are passed over."""
        self._steps = int(state["optimiser.steps"])
        self._mean[:], self._square[:] = state["optimiser.mean"], state["optimiser.square"]


def orthogonal(matrix: Floats) -> Floats:
    """Of the matrix (m, n), about U V^T of its singular value decomposition, by Newton and Schulz's turns."""
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = x / (np.linalg.norm(x) + np.float32(LEAST))
    for _ in range(TURNS):
        square = x @ x.T
        x = LINEAR * x + (CUBIC * square + QUINTIC * (square @ square)) @ x
    return x.T if matrix.shape[0] > matrix.shape[1] else x
