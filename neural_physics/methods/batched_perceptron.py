"""A small network for thousands of triangles at once, in NumPy, on the calling thread alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model_file import Model, damaged
from .perceptron import MOST_LAYERS, ZERO

Floats = NDArray[np.float32]

# OpenBLAS shares out products of more multiplications than these among its threads, and waits for them
# (see `products`). Blocks below it also leave what a block needs in the first-level cache.
MOST_MULTIPLICATIONS = 65536 * 4


class BatchedPerceptron:
    """Layers with ReLU between them (Oh 2018, Fig. 3), of columns: x (inputs, m) -> (outputs, m) float32."""

    def __init__(self, layers: list[tuple[Floats, Floats]], columns: int) -> None:
        """layers: weight (out, in) and bias (out,) of each. columns: m."""
        self._layers = [
            (np.ascontiguousarray(weight, np.float32), np.asarray(bias, np.float32)[:, None])
            for weight, bias in layers
        ]
        largest = max(weight.size for weight, _ in self._layers)
        self._width = max(1, min(columns, MOST_MULTIPLICATIONS // largest))
        self._blocks = [slice(first, first + self._width) for first in range(0, columns, self._width)]
        self._scratch = [np.empty((len(w), self._width), np.float32) for w, _ in self._layers[:-1]]
        self._out = np.empty((len(self._layers[-1][0]), columns), np.float32)

    def __call__(self, x: Floats) -> Floats:
        """The array is reused by the next call."""
        last = len(self._layers) - 1
        for block in self._blocks:
            below, out = x[:, block], self._out[:, block]
            for k, (weight, bias) in enumerate(self._layers):
                above = out if k == last else self._scratch[k][:, : below.shape[1]]
                np.matmul(weight, below, out=above)
                above += bias
                if k < last:
                    np.maximum(above, ZERO, out=above)
                below = above
        return self._out


def layers_of(model: Model, prefix: str, inputs: int, outputs: int) -> list[tuple[Floats, Floats]]:
    """`PREFIX.K.weight` (out, in) and `PREFIX.K.bias` (out,) of a model. Raises Problem("model_damaged")."""
    layers: list[tuple[Floats, Floats]] = []
    size = inputs
    while f"{prefix}.{len(layers)}.weight" in model.tensors and len(layers) < MOST_LAYERS:
        k = len(layers)
        weight = model.tensor(f"{prefix}.{k}.weight", -1, size)
        size = len(weight)
        layers.append((weight, model.tensor(f"{prefix}.{k}.bias", size)))
    if not layers or size != outputs:
        raise damaged(model.path, f"the network “{prefix}” ends in {size} numbers, not {outputs}")
    return layers
