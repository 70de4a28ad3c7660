"""Muon (Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks"), in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learning.training.amsgrad import MOMENTUM, AmsGrad
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

LEAST = 1e-8  # added to what is divided by
# The quintic whose five turns bring every singular value near 1, the post's own.
TURNS, LINEAR, CUBIC, QUINTIC = 5, np.float32(3.4445), np.float32(-4.7750), np.float32(2.0315)

Matrix = tuple[int, tuple[int, int]]  # where it begins in theta, and its shape


class Muon:
    """Each weight matrix is moved along its momentum with all singular values made about 1; what is no
    matrix, by AmsGrad.

    So directions that few frames teach are learned as fast as those that all do.
    """

    def __init__(
        self, count: int, matrices: Sequence[Matrix], weight_decay: float, matrix_rate: float
    ) -> None:
        """count: of parameters. matrices: those of them that are matrices. weight_decay: of these in each
        step, times their rate. matrix_rate: theirs, in rates of all others.
        """
        self._matrices, self._decay, self._matrix_rate = list(matrices), weight_decay, matrix_rate
        self._others = np.ones(count, np.bool_)
        for first, (rows, columns) in matrices:
            self._others[first : first + rows * columns] = False
        self._mean = np.zeros(count - int(self._others.sum()), np.float32)
        self._of_others = AmsGrad(int(self._others.sum()))

    def step(self, theta: Floats, gradient: Floats, rate: float) -> None:
        """Move theta (n,) in place, downhill along its gradient (n,)."""
        in_matrices = gradient[~self._others]
        self._mean += np.float32(1.0 - MOMENTUM) * (in_matrices - self._mean)
        ahead = self._mean + np.float32(1.0 - MOMENTUM) * (in_matrices - self._mean)  # Nesterov's
        moved, begin = self._matrix_rate * rate, 0
        for first, (rows, columns) in self._matrices:
            size = rows * columns
            direction = orthogonal(ahead[begin : begin + size].reshape(rows, columns)).ravel()
            theta[first : first + size] *= np.float32(1.0 - moved * self._decay)
            theta[first : first + size] -= np.float32(moved * max(1.0, rows / columns) ** 0.5) * direction
            begin += size
        others = theta[self._others]
        self._of_others.step(others, gradient[self._others], rate)
        theta[self._others] = others

    def state(self) -> Tensors:
        """What the next step depends on."""
        return self._of_others.state() | {"optimiser.matrices": self._mean}

    def restore(self, state: Tensors) -> None:
        """Go on from what `state` gave; other entries are passed over."""
        self._of_others.restore(state)
        self._mean[:] = state["optimiser.matrices"]


def orthogonal(matrix: Floats) -> Floats:
    """Of the matrix (m, n), about U V^T of its singular value decomposition, by Newton and Schulz's turns."""
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = x / (np.linalg.norm(x) + np.float32(LEAST))
    for _ in range(TURNS):
        square = x @ x.T
        x = LINEAR * x + (CUBIC * square + QUINTIC * (square @ square)) @ x
    return x.T if matrix.shape[0] > matrix.shape[1] else x
