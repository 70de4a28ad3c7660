"""The interaction's own subspace: w = V (y - y_mu) (Holden 2019, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-5  # share of the variance below which a direction only repeats the others


@dataclass(frozen=True)
class InteractionBasis:
    """mean (e,) and basis (v, e), float32; w has zero mean and unit standard deviation."""

    mean: NDArray[np.float32]
    basis: NDArray[np.float32]

    def project(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        """w (T, v) float32 of y (T, e)."""
        return (y - self.mean) @ self.basis.T


def fit_interaction_basis(y: NDArray[np.float32]) -> InteractionBasis:
    """PCA of y (T, e), each value first scaled to its own spread, since their units differ.

    Directions with next to no variance (joints that never move apart) are left out, one is kept.
    """
    mean = y.mean(0, dtype=np.float64)
    spread = y.std(0, dtype=np.float64)
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-9)
    centred = (y - mean) * scale
    variances, directions = np.linalg.eigh(centred.T @ centred / len(y))
    order = np.argsort(variances)[::-1]
    count = max(1, int((variances > NEGLIGIBLE * variances.sum()).sum()))
    kept = order[:count]
    whitening = directions[:, kept] / np.sqrt(np.maximum(variances[kept], 1e-12))
    basis = (scale[:, None] * whitening).T
    return InteractionBasis(mean.astype(np.float32), basis.astype(np.float32))
