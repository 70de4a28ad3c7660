"""Products of a vector and a matrix on the calling thread alone.

OpenBLAS shares a product of more than a few thousand numbers among threads of its own. That saves
microseconds where the cores are free; where they are busy, with a bake or a render, it waits
milliseconds for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

MOST_NUMBERS = 2304 * 4 - 1  # in a matrix that OpenBLAS multiplies without its threads
WHOLE = 16  # float32 in the widest registers: blocks of so many columns, or a multiple of it


class Product:
    """y = x A, in blocks of A's columns, each too small for OpenBLAS to share out.

    Keeps its output buffer. The same x gives the same y, bit for bit.
    """

    def __init__(self, matrix: NDArray[np.floating]) -> None:
        """matrix: A (inputs, outputs); it is copied."""
        self._inputs, self._outputs = inputs, outputs = matrix.shape
        widest = MOST_NUMBERS // max(inputs, 1)
        widest = widest // WHOLE * WHOLE or max(widest, 1)
        count = max(1, -(-outputs // widest))
        width = -(-outputs // count)
        width = min(widest, -(-width // WHOLE) * WHOLE)
        padded = np.zeros((inputs, count * width), np.float32)
        padded[:, :outputs] = matrix
        self._blocks = np.ascontiguousarray(padded.reshape(inputs, count, width).swapaxes(0, 1))
        self._out = np.empty((count, width), np.float32)
        self._y = self._out.reshape(-1)[:outputs]

    def __call__(self, x: Floats) -> Floats:
        """y (outputs,) float32 of x (inputs,), or of its first few where the rest are zeros.

        The array is reused by the next call. Of x (n, inputs): see `rows`.
        """
        if x.ndim == 2:
            return self.rows(x)
        used = len(x)
        blocks = self._blocks if used == self._inputs else self._blocks[:, :used]
        np.matmul(x, blocks, out=self._out)
        return self._y

    def rows(self, x: Floats) -> Floats:
        """y (n, outputs) float32 of each row of x (n, inputs), bit for bit as for that row alone.

        A is read from memory once for all rows, which for a large A is most of the time.
        """
        used = x.shape[1]
        blocks = self._blocks if used == self._inputs else self._blocks[:, :used]
        by_block = np.matmul(x[None, :, None], blocks[:, None])[:, :, 0]
        return by_block.swapaxes(0, 1).reshape(len(x), -1)[:, : self._outputs]

    @property
    def matrix(self) -> Floats:
        """A (inputs, outputs), a copy."""
        rows = self._blocks.swapaxes(0, 1).reshape(self._inputs, -1)
        return np.ascontiguousarray(rows[:, : self._outputs])


def weighted_sum(weights: Floats, rows: Floats) -> Floats:
    """weights rows (outputs,) of weights (n,), rows (n, outputs) that are others at each call."""
    most = max(1, MOST_NUMBERS // max(rows.shape[1], 1))
    total = np.zeros(rows.shape[1], np.float32)
    for first in range(0, len(rows), most):
        total += weights[first : first + most] @ rows[first : first + most]
    return total
