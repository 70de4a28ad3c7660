"""Decoding coefficients into vertices (Holden 2019, section 6.2)."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Floats
from .model_file import LARGEST_NUMBER
from .single_thread_products import Product


class LinearDecoder:
    """x = x_mu + U^T z, one vertex after the other (Holden 2019, section 6.2).

    mean (V, 3) and basis (u, V, 3) float32, metres.
    """

    def __init__(self, mean: Floats, basis: Floats) -> None:
        self.mean = np.ascontiguousarray(mean, np.float32)
        self.basis_count = len(basis)
        self._product = Product(basis.reshape(len(basis), -1))
        self._flat_mean = self.mean.reshape(-1)
        self._inverse: Doubles | None = None

    @property
    def basis(self) -> Floats:
        """(u, 3 V), a copy."""
        return self._product.matrix

    def decode(self, z: Floats, bases: int | None = None) -> Floats:
        """(V, 3) float32 from z (u,); only the first `bases` are used where asked (Holden 2019, section 6.2).

        The array is reused by the next call.
        """
        offsets = self._product(z if bases is None else z[:bases])
        offsets += self._flat_mean
        return offsets.reshape(-1, 3)

    def decode_many(self, z: Floats, bases: int | None = None) -> Floats:
        """(n, V, 3) float32 from z (n, u): each shape as `decode` gives it, bit for bit."""
        offsets = self._product.rows(z if bases is None else z[:, :bases])
        offsets += self._flat_mean
        return offsets.reshape(len(z), -1, 3)

    def project(self, positions: Floats) -> Floats:
        """The z (..., u) float32 whose shapes are nearest, by least squares, to positions (..., V, 3).

        It is U (x - x_mu) (Holden 2019, section 5.1) where the bases are orthonormal.
        Bases need not be orthogonal or of unit length; one that adds nothing gets 0.
        """
        basis = self.basis
        if self._inverse is None:
            exact = basis.astype(np.float64)
            self._inverse = np.linalg.pinv(exact @ exact.T, hermitian=True)
        offsets = positions.reshape(*positions.shape[:-2], -1) - self._flat_mean
        nearest = np.dot(offsets, basis.T) @ self._inverse
        if not np.abs(nearest).max(initial=0.0) <= LARGEST_NUMBER:  # shapes, or bases, that are none
            nearest = np.clip(np.nan_to_num(nearest), -LARGEST_NUMBER, LARGEST_NUMBER)
        return nearest.astype(np.float32)
