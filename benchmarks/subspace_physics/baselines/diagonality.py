"""Whether the motion in the bases is diagonal (Holden 2019, appendix A and Fig. 14)."""

from __future__ import annotations

import numpy as np

from learning.training.subspace_data import Sequences
from neural_physics.arrays import Doubles


def matrices(sequences: Sequences) -> tuple[Doubles, Doubles]:
    """A and B (u, u) of z_t = A z_{t-1} + B (z_{t-1} - z_{t-2}), by least squares over all runs."""
    inputs, answers = [], []
    for run in sequences.runs():
        z = sequences.z[run].astype(np.float64)
        inputs.append(np.concatenate([z[1:-1], z[1:-1] - z[:-2]], 1))
        answers.append(z[2:])
    x, y = np.concatenate(inputs), np.concatenate(answers)
    both = np.linalg.lstsq(x, y, rcond=None)[0].T
    return both[:, : y.shape[1]], both[:, y.shape[1] :]


def off_diagonal(matrix: Doubles) -> float:
    """The share of a matrix's squares that is off its diagonal."""
    squares = np.square(matrix)
    return float(1.0 - np.diag(squares).sum() / squares.sum())


def diagonal_range(matrix: Doubles) -> tuple[float, float]:
    """What nine tenths of the diagonal lie between."""
    low, high = np.quantile(np.diag(matrix), (0.05, 0.95))
    return float(low), float(high)
