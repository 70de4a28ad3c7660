"""From coefficients to vertices (Holden 2019, section 6.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class LinearDecoder:
    """x = x_mu + U^T z, one vertex after the other.

    mean (V, 3) and basis (u, V, 3) float32, metres. Keeps its output buffer, so that a frame
    allocates nothing.
    """

    def __init__(self, mean: NDArray[np.float32], basis: NDArray[np.float32]) -> None:
        self.mean = np.ascontiguousarray(mean, np.float32)
        self.basis = np.ascontiguousarray(basis.reshape(len(basis), -1), np.float32)
        self._out = np.empty(self.mean.size, np.float32)
        self._inverse: NDArray[np.float64] | None = None

    @property
    def basis_count(self) -> int:
        return len(self.basis)

    def decode(self, z: NDArray[np.float32], bases: int | None = None) -> NDArray[np.float32]:
        """(V, 3) float32 from z (u,); only the first `bases` are used where asked.

        The array is reused by the next call.
        """
        used = self.basis_count if bases is None else min(bases, self.basis_count)
        np.dot(z[:used], self.basis[:used], out=self._out)
        self._out += self.mean.ravel()
        return self._out.reshape(-1, 3)

    def project(self, positions: NDArray[np.float32]) -> NDArray[np.float32]:
        """The z (..., u) float32 whose shapes are nearest, by least squares, to positions (..., V, 3).

        Bases need not be orthogonal or of unit length; one that adds nothing gets 0.
        """
        if self._inverse is None:
            exact = self.basis.astype(np.float64)
            self._inverse = np.linalg.pinv(exact @ exact.T, hermitian=True)
        offsets = positions.reshape(*positions.shape[:-2], -1) - self.mean.ravel()
        return (np.dot(offsets, self.basis.T) @ self._inverse).astype(np.float32)
