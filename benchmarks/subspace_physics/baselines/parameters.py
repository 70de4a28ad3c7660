"""Named arrays that lie in one vector, as the trainer's optimisers move it."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from learning.training.muon import Matrix
from neural_physics.arrays import Floats

Array = Any  # of NumPy or of torch
Shape = tuple[int, ...]


class Layout:
    """Where each array is in the vector."""

    def __init__(self, shapes: Mapping[str, Shape], gates: Mapping[str, int] | None = None) -> None:
        """gates: how many matrices those arrays are, one below the other, that are more than one."""
        self._shapes, self._gates = dict(shapes), dict(gates or {})
        self.count = sum(prod(shape) for shape in shapes.values())

    def views(self, theta: Array) -> dict[str, Array]:
        """The arrays in a vector of NumPy or torch."""
        found, first = {}, 0
        for name, shape in self._shapes.items():
            found[name] = theta[first : first + prod(shape)].reshape(shape)
            first += prod(shape)
        return found

    def vector(self, arrays: Mapping[str, Array]) -> Floats:
        """The vector in which these are the arrays."""
        return np.concatenate([np.asarray(arrays[name], np.float32).ravel() for name in self._shapes])

    def matrices(self) -> list[Matrix]:
        """Where Muon finds matrices: each gate of a cell is one of its own."""
        found: list[Matrix] = []
        first = 0
        for name, shape in self._shapes.items():
            if len(shape) == 2:
                gates = self._gates.get(name, 1)
                rows, columns = shape[0] // gates, shape[1]
                found += [(first + k * rows * columns, (rows, columns)) for k in range(gates)]
            first += prod(shape)
        return found
